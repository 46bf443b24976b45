"""Vectors of a data set as arrays: right for each picture and caption, and resumed after a break."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from drawing import draw
from tiny_encoder import COLOURS, TinyEncoder

from visavis.errors import NotFoundError
from visavis.lab.datasets.protocol import read_protocol_data
from visavis.lab.evaluation import vectors
from visavis.lab.evaluation.gallery import load_gallery
from visavis.lab.evaluation.vectors import embed


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    rows = []
    for name in COLOURS:
        draw(folder / "pictures" / f"{name}.png", name)
        rows.append({"file": f"{name}.png", "captions": [name, f"all {name}"], "attributes": {"colour": name}})
    rows[0]["split"], rows[1]["split"] = "train", "val"
    rows.append({"file": "absent.png", "captions": ["gone"]})
    (folder / "captions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_rows_have_texts_attributes_and_splits(data: Path):
    pictures = read_protocol_data(data)
    assert [picture.id for picture in pictures] == list(COLOURS)
    assert pictures[3].captions == ("red", "all red")
    assert pictures[3].attributes == {"colour": "red"}
    assert [picture.is_target("val") for picture in pictures[:3]] == [False, True, True]


def test_products_are_read_from_their_table(tmp_path: Path):
    draw(tmp_path / "images" / "15970.jpg", "blue")
    table = "id,articleType,baseColour,productDisplayName\n15970,Shirts,Blue,Turtle Men, Blue Shirt\n1,Hats,Red,Hat\n"
    (tmp_path / "styles.csv").write_text(table)
    (picture,) = read_protocol_data(tmp_path)
    assert (picture.id, picture.path.name) == ("15970", "15970.jpg")
    assert picture.attributes["baseColour"] == "Blue"
    assert picture.split in ("train", "val")


def test_a_folder_without_rows_is_refused(tmp_path: Path):
    with pytest.raises(NotFoundError):
        read_protocol_data(tmp_path)


def test_arrays_are_those_of_the_encoder(data: Path, tmp_path: Path):
    pictures, encoder = read_protocol_data(data), TinyEncoder()
    state = embed(pictures, encoder, tmp_path / "out")
    assert (state["pictures"], state["done"], state["unreadable"]) == (12, 12, 0)
    gallery = load_gallery(tmp_path / "out")
    assert gallery.ids == tuple(COLOURS)
    texts, places = np.load(tmp_path / "out" / "texts.npy"), np.load(tmp_path / "out" / "text_pictures.npy")
    assert places.tolist() == [place for place in range(12) for _ in range(2)]
    assert (texts[::2] @ gallery.whole.T).argmax(axis=1).tolist() == list(range(12))
    assert gallery.regions.shape == (12, 9, encoder.dimension)


def test_a_run_that_was_stopped_goes_on(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vectors, "_BATCH", 4)
    monkeypatch.setattr(vectors, "_NOTED", 1)
    pictures, encoder = read_protocol_data(data), TinyEncoder()

    def stop(done: int, _: int) -> None:
        if done == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed(pictures, encoder, tmp_path, stop)
    seen: list[int] = []
    embed(pictures, encoder, tmp_path, lambda done, _: seen.append(done))
    assert seen == [12]
    assert (np.linalg.norm(load_gallery(tmp_path).whole, axis=1) > 0.99).all()


def test_another_encoder_begins_anew(data: Path, tmp_path: Path):
    class Other(TinyEncoder):
        name = "tiny-other"

    pictures = read_protocol_data(data)
    embed(pictures, TinyEncoder(), tmp_path)
    assert embed(pictures, Other(), tmp_path)["encoder"] == "tiny-other"
