"""Black and white pictures, known by their pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageOps

from visavis.pictures.derived import is_black_and_white

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "coco" / "sample"


def noise(seed: int = 1) -> Image.Image:
    """A picture of many colours."""
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), np.uint8)
    return Image.fromarray(pixels).resize((320, 240), Image.Resampling.BILINEAR)


def test_shades_of_one_tint_are_black_and_white():
    assert not is_black_and_white(noise())
    assert is_black_and_white(ImageOps.grayscale(noise()))
    old_print = ImageOps.colorize(ImageOps.grayscale(noise()), (20, 14, 10), (235, 222, 205), mid=(120, 108, 96))
    assert is_black_and_white(old_print)


@pytest.mark.parametrize("colour", ["red", "grey", "white", "black"])
def test_a_plain_area_is_not(colour: str):
    assert not is_black_and_white(Image.new("RGB", (60, 40), colour))


def test_a_black_thing_on_white_is_a_picture_in_colour():
    product = Image.new("RGB", (120, 160), "white")
    ImageDraw.Draw(product).ellipse((30, 40, 90, 120), fill=(20, 20, 20))
    assert not is_black_and_white(product)


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="needs shared/data")
def test_photos():
    found = {name for name in ("000000545363", "000000060856", "000000214671", "000000192905")
             if is_black_and_white(Image.open(SAMPLE / f"{name}.jpg"))}  # fmt: skip
    assert found == {"000000545363", "000000060856"}, "a black and white cat or zebra is no black and white photo"
