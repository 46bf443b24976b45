"""Packs: what is written is what is read."""

import json

import numpy as np
import pytest
from PIL import Image

from visavis.errors import NotFoundError
from visavis.lab.training.packs import Pack, Sample, write_pack


@pytest.fixture
def pictures(tmp_path):
    for number, colour in enumerate(["red", "lime", "blue"]):
        Image.new("RGB", (64, 32), colour).save(tmp_path / f"{number}.png")
    (tmp_path / "broken.png").write_bytes(b"not a picture")
    return tmp_path


def test_a_pack_gives_back_pictures_and_texts(pictures):
    samples = [Sample(pictures / f"{n}.png", (f"number {n}",), "val" if n == 2 else "train") for n in range(3)]
    assert write_pack(pictures / "pack", samples, size=16, processes=1) == 3
    pack = Pack(pictures / "pack")
    assert [sample.texts for sample in pack.samples] == [("number 0",), ("number 1",), ("number 2",)]
    assert [sample.split for sample in pack.samples] == ["train", "train", "val"]
    pixels = pack.pixels([2, 0], 16, processes=1)
    assert pixels.shape == (2, 3, 16, 16)
    assert pixels.mean(axis=(2, 3)).round(-1).tolist() == pytest.approx(np.array([[0, 0, 255], [255, 0, 0]]), abs=12)


def test_unreadable_pictures_are_left_out(pictures):
    samples = [Sample(pictures / "broken.png", ("x",)), Sample(pictures / "0.png", ("y",))]
    assert write_pack(pictures / "pack", samples, processes=1) == 1
    assert Pack(pictures / "pack").samples[0].texts == ("y",)


def test_pictures_are_never_enlarged_on_disk(pictures):
    write_pack(pictures / "pack", [Sample(pictures / "0.png", ("x",))], size=192, processes=1)
    row = json.loads((pictures / "pack.jsonl").read_text())
    data = (pictures / "pack.bin").read_bytes()[row["offset"] :][: row["length"]]
    (pictures / "out.webp").write_bytes(data)
    with Image.open(pictures / "out.webp") as image:
        assert image.size == (64, 64)


def test_half_a_pack_is_no_pack(pictures):
    (pictures / "pack.bin").write_bytes(b"")
    with pytest.raises(NotFoundError, match="no pack"):
        Pack(pictures / "pack")
