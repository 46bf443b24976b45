"""Each published layout is read, and errors in a file have their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drawing import draw
from hypothesis import given
from hypothesis import strategies as st

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets import CaptionedSet, LabelledSet, open_dataset
from visavis.lab.datasets.base import spread
from visavis.lab.datasets.folders import class_name, is_held_out
from visavis.lab.datasets.protocol import read_rows


def write_lines(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def names(data: CaptionedSet | LabelledSet) -> list[str]:
    return [picture.path.name for picture in data.pictures]


def test_captioned_folder(tmp_path: Path):
    for name in ("a.png", "b.png"):
        draw(tmp_path / name)
    records = [{"file": "a.png", "captions": ["one", " ", "two"]}, {"file": "b.png", "caption": "three"}]
    write_lines(tmp_path / "captions.jsonl", *records, {"file": "gone.png", "captions": ["x"]})
    data = open_dataset(tmp_path)
    assert isinstance(data, CaptionedSet)
    assert [picture.captions for picture in data.pictures] == [("one", "two"), ("three",)]
    assert data.absent == 1


def test_a_captioned_folder_may_have_splits_and_ids_of_coco(tmp_path: Path):
    for name in ("a.webp", "b.webp"):
        draw(tmp_path / name)
    first = {"image_id": 9, "file": "a.webp", "captions": ["one"], "split": "train"}
    captions = write_lines(tmp_path / "captions.jsonl", first, first | {"file": "b.webp", "split": "val"})
    assert names(open_dataset(tmp_path)) == ["a.webp", "b.webp"]
    assert names(open_dataset(tmp_path, split="val")) == ["b.webp"]
    assert [(row.id, row.path.name) for row in read_rows(captions)] == [("9", "a.webp"), ("9", "b.webp")]
    with pytest.raises(NotFoundError, match="no pictures of the split 'test'"):
        open_dataset(tmp_path, split="test")


def test_the_demo_catalogue_is_one_too(tmp_path: Path):
    from visavis.demo import draw_catalogue

    draw_catalogue(tmp_path, 2, processes=1)
    assert len(open_dataset(tmp_path).pictures) == 2


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "line 2: this is not JSON"),
        ("[1]", "line 2: an object is expected"),
        ('{"captions": ["a"]}', "line 2: there is no 'file'"),
        ('{"file": "a.png"}', "line 2: 'captions' is no list"),
        ('{"file": "a.png", "captions": [3]}', "line 2: 'captions' is no list"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, why: str):
    draw(tmp_path / "a.png")
    (tmp_path / "captions.jsonl").write_text('{"file": "a.png", "captions": ["a"]}\n' + line)
    with pytest.raises(BadInputError, match=why):
        open_dataset(tmp_path)


def test_coco_records_by_split(tmp_path: Path):
    images = tmp_path / "images"
    for number in (9, 25):
        draw(images / f"{number:012d}.jpg")
    captions = write_lines(
        tmp_path / "captions.jsonl",
        {"image_id": 9, "split": "train", "captions": ["a"]},
        {"image_id": 25, "split": "val", "captions": ["b", "c"]},
    )
    assert names(open_dataset(captions=captions, images=images, split="val")) == ["000000000025.jpg"]
    assert len(open_dataset(captions=captions, images=images).pictures) == 2
    with pytest.raises(NotFoundError, match="no pictures of the split 'test'"):
        open_dataset(captions=captions, images=images, split="test")
    with pytest.raises(NotFoundError, match="None of the 2 pictures"):
        open_dataset(captions=captions, images=tmp_path)


def test_coco_as_published(tmp_path: Path):
    draw(tmp_path / "x.jpg")
    content = {
        "images": [{"id": 1, "file_name": "x.jpg"}],
        "annotations": [{"image_id": 1, "caption": " one "}, {"image_id": 1, "caption": "two"}],
    }
    (tmp_path / "captions_val2017.json").write_text(json.dumps(content))
    data = open_dataset(captions=tmp_path / "captions_val2017.json", images=tmp_path)
    assert data.pictures[0].captions == ("one", "two")
    (tmp_path / "captions_val2017.json").write_text('{"images": [{}]}')
    with pytest.raises(BadInputError, match="not in the form"):
        open_dataset(captions=tmp_path / "captions_val2017.json", images=tmp_path)


STYLES = "id,gender,season,productDisplayName\n1,Men,Fall,Blue Shirt\n2,Men,,Shirt, Red\n3,Women,Fall,\n4\n"


@pytest.mark.parametrize("where", ["", "images", "sample"])
def test_products(tmp_path: Path, where: str):
    (tmp_path / "styles.csv").write_text(STYLES)
    for number in (1, 2, 3):
        draw(tmp_path / where / f"{number}.jpg")
    data = open_dataset(tmp_path)
    assert [picture.captions for picture in data.pictures] == [("Blue Shirt",), ("Shirt, Red",)]


def test_products_without_pictures_or_with_other_columns(tmp_path: Path):
    (tmp_path / "styles.csv").write_text(STYLES)
    with pytest.raises(NotFoundError, match="no pictures of products"):
        open_dataset(tmp_path)
    (tmp_path / "styles.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInputError, match="columns"):
        open_dataset(tmp_path)


def test_a_twentieth_of_the_products_is_held_out():
    held = [str(n) for n in range(20_000) if is_held_out(str(n))]
    assert 0.045 < len(held) / 20_000 < 0.055
    assert is_held_out("10018") == is_held_out("10018")


def test_splits_of_products_share_nothing(tmp_path: Path):
    rows = "".join(f"{n},Men,Fall,Title {n}\n" for n in range(1, 81))
    (tmp_path / "styles.csv").write_text(STYLES.splitlines()[0] + "\n" + rows)
    for n in range(1, 81):
        draw(tmp_path / f"{n}.jpg", size=(2, 2))
    train, held = (set(names(open_dataset(tmp_path, split=split))) for split in ("train", "val"))
    assert held
    assert not train & held
    assert len(train | held) == 80
    with pytest.raises(BadInputError, match="no split 'test'"):
        open_dataset(tmp_path, split="test")


def test_flickr8k(tmp_path: Path):
    text = tmp_path / "Flicker8k_text"
    text.mkdir()
    (text / "Flickr8k.token.txt").write_text("a.jpg#0\tA dog , running .\na.jpg#1\tDog\nb.jpg#0\tCat\n")
    (text / "Flickr_8k.testImages.txt").write_text("b.jpg\n")
    for name in ("a.jpg", "b.jpg"):
        draw(tmp_path / "Flicker8k_Dataset" / name)
    data = open_dataset(tmp_path)
    assert [picture.captions for picture in data.pictures] == [("A dog, running.", "Dog"), ("Cat",)]
    assert names(open_dataset(tmp_path, split="test")) == ["b.jpg"]
    with pytest.raises(BadInputError, match="no split 'x'"):
        open_dataset(tmp_path, split="x")
    (text / "Flickr8k.token.txt").write_text("a.jpg#0 no tab\n")
    with pytest.raises(BadInputError, match="line 1"):
        open_dataset(tmp_path)


def test_class_folders(tmp_path: Path):
    for name in ("Golden_Retriever", "tabby cat", "BACKGROUND_Google", ".hidden", "empty"):
        (tmp_path / name).mkdir()
    draw(tmp_path / "Golden_Retriever" / "a.png")
    draw(tmp_path / "tabby cat" / "deeper" / "b.png")
    draw(tmp_path / "BACKGROUND_Google" / "c.png")
    (tmp_path / "tabby cat" / "notes.txt").write_text("no picture")
    data = open_dataset(tmp_path)
    assert isinstance(data, LabelledSet)
    assert data.classes == ("golden retriever", "tabby cat")
    assert [(picture.path.name, picture.label) for picture in data.pictures] == [("a.png", 0), ("b.png", 1)]


def test_class_folders_below_a_split(tmp_path: Path):
    for split in ("train", "test"):
        for name in ("hat", "shoe"):
            draw(tmp_path / split / name / "a.png")
    assert open_dataset(tmp_path, split="test").classes == ("hat", "shoe")
    with pytest.raises(BadInputError, match="--split test"):
        open_dataset(tmp_path)
    with pytest.raises(NotFoundError, match="no folder"):
        open_dataset(tmp_path, split="val")


def test_what_is_no_data_set(tmp_path: Path):
    with pytest.raises(NotFoundError, match=r"captions\.jsonl"):
        open_dataset(tmp_path)
    with pytest.raises(NotFoundError, match="no folder"):
        open_dataset(tmp_path / "nowhere")
    with pytest.raises(BadInputError, match="No data"):
        open_dataset()
    with pytest.raises(NotFoundError, match="no file"):
        open_dataset(captions=tmp_path / "gone.jsonl", images=tmp_path)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("001.ak47", "ak47"),
        ("n01440764_tench", "tench"),
        ("T-shirt", "t-shirt"),
        ("oak_tree", "oak tree"),
        ("7", "7"),
    ],
)
def test_class_names(folder: str, name: str):
    assert class_name(folder) == name


@given(st.lists(st.integers(), max_size=50), st.integers(1, 60))
def test_spread_takes_a_part_in_order(items: list[int], limit: int):
    places = list(enumerate(items))
    taken = spread(places, limit)
    assert len(taken) == min(limit, len(items))
    assert sorted(taken) == list(taken)
    assert len(set(taken)) == len(taken)
