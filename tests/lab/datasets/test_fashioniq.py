"""The published files of Fashion IQ, MT-FashionIQ and Shoes; attributes mined from a catalogue, and what is said."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from drawing import draw

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets import multiturn as fashioniq
from visavis.lab.datasets.folders import is_development, is_held_out
from visavis.lab.datasets.product_attributes import (
    AttributeTable,
    ProductText,
    compared,
    described,
    labels_of,
    mined_table,
)
from visavis.lab.datasets.protocol import find_rows, read_protocol_data, read_rows, split_of_regions

SHARED = Path(__file__).parents[4] / "shared" / "data"
ROW = {
    "articleType": "Shirts", "baseColour": "Navy Blue", "gender": "Men", "usage": "Casual", "season": "Fall",
    "productDisplayName": "Turtle Check Men Navy Blue Shirt",
}  # fmt: skip
OTHER = {**ROW, "baseColour": "Red", "productDisplayName": "Turtle Striped Men Red Shirt"}


def write(folder: Path, name: str, value: object) -> None:
    (folder / name).write_text(json.dumps(value))


def test_relative_captions(tmp_path: Path):
    said = ["Unlike the provided image, the one I want is solid black", " "]
    write(tmp_path, "cap.dress.val.json", [{"target": "A", "candidate": "B", "captions": said}])
    assert fashioniq.read_captions(tmp_path, "val", ("dress",)) == [
        fashioniq.RelativeCaption("A", "B", ("is solid black",), "dress")
    ]
    with pytest.raises(NotFoundError):
        fashioniq.read_captions(tmp_path, "train")
    write(tmp_path, "cap.dress.val.json", [{"target": "A"}])
    with pytest.raises(BadInputError):
        fashioniq.read_captions(tmp_path, "val", ("dress",))


def test_attributes_and_shoes(tmp_path: Path):
    groups = [["tee"], ["striped"], [""], [], [], ["red"]]
    write(tmp_path, "attributes.json", {"A": groups * 2})
    assert fashioniq.read_attributes(tmp_path / "attributes.json")["A"] == (
        ("tee",),
        ("striped",),
        (),
        (),
        (),
        ("red",),
    )
    pair = {"ImageName": "a.jpg", "ReferenceImageName": "b.jpg", "RelativeCaption": "is red"}
    write(tmp_path, "relative_captions_shoes.json", [pair])
    write(tmp_path, "captions_shoes.json", [{"ImageName": "a.jpg", "Caption": "red heels"}])
    pairs, told = fashioniq.read_shoes(tmp_path)
    assert (pairs[0].category, told) == ("shoes", {"a.jpg": "red heels"})


def test_pictures_in_a_folder_or_by_their_addresses(tmp_path: Path):
    write(tmp_path, "split.dress.val.json", ["A", "B"])
    write(tmp_path, "split.toptee.train.json", ["B", "C", "D"])
    (tmp_path / "multiturn").mkdir()
    groups = [["tee"], ["striped", "red"], [], [], [], ["striped"]]
    write(tmp_path / "multiturn", "asin2attr.all.val.new.json", {"A": groups})
    reference = [["http://x/b2.jpg", ["is red"], "B"]]
    write(tmp_path / "multiturn", "all.val.json", [{"target": ["http://x/a.jpg", "A"], "reference": reference}])
    (tmp_path / "asin2url.toptee.txt").write_text("C \t http://x/c3.jpg\nD\n")
    images = tmp_path / "pictures"
    for name in ("A", "b2", "c3"):
        draw(images / f"{name}.jpg", "red")
    found = {picture.id: picture for picture in read_protocol_data(tmp_path, images)}
    assert {id: picture.path.name for id, picture in found.items()} == {"A": "A.jpg", "B": "b2.jpg", "C": "c3.jpg"}
    assert found["B"].split == "val", "held out in one gallery, so in all"
    assert found["A"].attributes["articleType"] == "dress"
    assert (found["A"].captions, found["C"].captions) == (("tee striped red",), ())
    assert found["C"].attributes["subCategory"] == "top"


def test_pictures_of_shoes_lie_at_any_depth(tmp_path: Path):
    write(tmp_path, "relative_captions_shoes.json", [])
    write(tmp_path, "captions_shoes.json", [{"ImageName": "img_womens_clogs_1.jpg", "Caption": "red clogs"}])
    draw(tmp_path / "womens_clogs" / "0" / "img_womens_clogs_1.jpg", "red")
    (picture,) = read_protocol_data(tmp_path)
    assert (picture.id, picture.captions) == ("img_womens_clogs_1.jpg", ("red clogs",))
    assert picture.path.is_file()


def test_visual_genome_lies_in_two_folders(tmp_path: Path):
    regions = [{"phrase": f"ball {number}"} for number in range(12)]
    rows = [{"id": id, "regions": regions} for id in range(1, 40)]
    write(tmp_path, "region_descriptions.json", rows)
    for id, folder in ((1, "VG_100K"), (2, "VG_100K_2")):
        draw(tmp_path / folder / f"{id}.jpg", "red")
    assert [picture.id for picture in read_protocol_data(tmp_path)] == ["1", "2"]
    listed = read_rows(find_rows(tmp_path))
    assert all(len(picture.captions) == 10 for picture in listed)
    assert {picture.split for picture in listed} == {"train", "val"}
    assert [picture.split for picture in listed] == [split_of_regions(str(row["id"])) for row in rows]


@pytest.mark.skipif(not (SHARED / "fashioniq").is_dir(), reason="the published files are not here")
def test_the_published_files():
    folder = SHARED / "fashioniq"
    assert [len(fashioniq.read_captions(folder, split)) for split in ("train", "val")] == [18_000, 6016]
    assert len(fashioniq.read_attributes(folder / "multiturn" / "asin2attr.all.val.new.json")) == 39_792
    pairs, told = fashioniq.read_shoes(SHARED / "requests")
    assert (len(pairs), len(told)) == (10_751, 3600)
    listed = read_rows(find_rows(folder))
    assert len(listed) == 60_033
    assert sum(bool(picture.captions) for picture in listed) > 35_000
    sessions = fashioniq.read_sessions(folder / "multiturn" / "all.train.json")
    assert len(sessions) == 9106
    inside = {picture.id for picture in listed}
    assert sum(inside.issuperset(session.pictures) for session in sessions) > 9000
    assert len(read_rows(find_rows(SHARED / "requests"))) == 3600


def test_attributes_are_mined_from_columns_and_titles():
    assert labels_of(ROW) == {
        "shirts": "shape", "navy blue": "texture", "men": "style", "casual": "style", "check": "texture"
    }  # fmt: skip
    table = mined_table([ROW, ROW, OTHER], least=2)
    assert set(table.names) == {"shirts", "men", "casual", "navy blue", "check"}
    assert AttributeTable.from_json(table.as_json()) == table
    assert [table.names[n] for n in table.of_type("texture")] == ["check", "navy blue"]
    assert len(table.numbers(OTHER)) == 3


def test_only_what_differs_is_said_and_only_what_the_catalogue_says():
    one, other = ProductText.of(ROW), ProductText.of(OTHER)
    for seed in range(20):
        said = compared(one, other, random.Random(seed))
        assert "red" in said or "striped" in said
        assert "shirts" not in said
        assert described(other, random.Random(seed))
    assert compared(one, one, random.Random(0)) == "is turtle check men navy blue shirt"


def test_products_that_validate_are_not_those_held_out():
    ids = [str(number) for number in range(2000)]
    assert 50 < sum(map(is_development, ids)) < 150
    assert not any(is_development(id) and is_held_out(id) for id in ids)
