"""Predicted attributes: the likeliest of each type, and a table that can be indexed."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_encoder import TinyEncoder

from visavis.api import Collection, open_collection
from visavis.errors import NotFoundError
from visavis.search.learned import fashioniq
from visavis.search.learned.fashioniq import ATTRIBUTES_MODEL, DESCRIPTION, PictureAttributes, write_table


class FixedModel:
    """Says the same of every picture."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, feeds):
        return [np.tile(np.float32([2.0, 3.0, -1.0, 0.5]), (len(feeds["whole"]), 1))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_colours: Collection) -> Path:
    described = {"names": ["red", "blue", "wool", "shirts"], "types": ["texture", "texture", "fabric", "shape"]}
    value = {"encoder": own_colours.encoder.fingerprint, "top": 2, "attributes": described}
    (tmp_path / DESCRIPTION).write_text(json.dumps(value))
    (tmp_path / ATTRIBUTES_MODEL).touch()
    monkeypatch.setattr(fashioniq, "Tower", FixedModel)
    return tmp_path


def test_the_likeliest_of_each_type_that_is_likely(folder: Path):
    predictor = PictureAttributes(folder)
    whole, regions = np.ones((2, 4), np.float32), np.ones((2, 3, 4), np.float32)
    assert predictor.numbers(whole, regions).tolist() == [[1, 0], [1, 0]]
    assert predictor.named(whole, regions) == [{"texture": "blue", "shape": "shirts"}] * 2


def test_a_table_of_pictures_without_attributes_can_be_indexed(folder: Path, pictures: Path, tmp_path: Path):
    (pictures / "red.png").rename(pictures / "IMG_20230405_101112.png")
    with open_collection("plain", tmp_path / "home", create=True, encoder=TinyEncoder()) as collection:
        collection.index(pictures)
        value = json.loads((folder / DESCRIPTION).read_text())
        (folder / DESCRIPTION).write_text(json.dumps({**value, "encoder": collection.encoder.fingerprint}))
        assert any("taken" in picture.attributes for picture in collection), "what a file tells is no catalogue"
        assert write_table(collection, tmp_path / "table.csv", folder) == len(collection) > 1
        rows = list(csv.DictReader((tmp_path / "table.csv").open(encoding="utf-8")))
        assert rows[0]["texture"] == "blue"
        collection.index(tmp_path / "table.csv")
        assert {picture.attributes["shape"] for picture in collection} == {"shirts"}
        assert write_table(collection, tmp_path / "table.csv", folder) == 0, "now they have a catalogue"


def test_another_encoder_or_no_predictor_is_refused(folder: Path, own_colours: Collection, tmp_path: Path):
    with pytest.raises(NotFoundError, match="not installed"):
        write_table(own_colours, tmp_path / "table.csv", tmp_path / "nothing")
    value = json.loads((folder / DESCRIPTION).read_text())
    (folder / DESCRIPTION).write_text(json.dumps({**value, "encoder": "another"}))
    with pytest.raises(NotFoundError, match="another"):
        write_table(own_colours, tmp_path / "table.csv", folder)


def test_the_reader_needs_no_database():
    code = "import sys, visavis.search.learned.fashioniq; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
