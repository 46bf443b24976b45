"""People are found by what the cutter follows, and one of several by where they stand, even where they touch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from editing_support import ColourEncoder, FixedCutter
from PIL import Image

from visavis.editing.cutout.cutters import FloatArray
from visavis.editing.finding.locate import SURE, locate
from visavis.encoders.base import Encoded

#: Where three people stand, who hold hands; the third is the tallest.
PEOPLE = {"left": 40, "middle": 100, "right": 160}


class CropEncoder(ColourEncoder):
    """Sees people, or a boat, in every part of a picture."""

    def __init__(self, seen: str) -> None:
        self._seen = seen

    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        whole = np.repeat(self.encode_texts([f"a photo of a {self._seen}"]), len(images), axis=0)
        return Encoded(whole, whole[:, None], np.zeros((1, 4), np.float32))


@pytest.fixture
def row() -> FloatArray:
    mask = np.zeros((200, 200), np.float32)
    for name, x in PEOPLE.items():
        top = 30 if name == "right" else 50
        mask[top : top + 20, x - 8 : x + 8] = 1
        mask[top + 20 : 150, x - 20 : x + 20] = 1
    mask[90:96, 40:160] = 1
    return mask


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("the leftmost person", "left"),
        ("person on the right", "right"),
        ("the middle person", "middle"),
        ("the biggest person", "right"),
        ("leftmost skier", "left"),
    ],
)
def test_one_of_several_people_who_touch(row: FloatArray, phrase: str, meant: str):
    image = Image.fromarray(np.random.default_rng(3).integers(0, 255, (200, 200, 3)).astype(np.uint8))
    found = locate(image, phrase, CropEncoder("man"), FixedCutter(row))
    inside = {name for name, x in PEOPLE.items() if found.mask.getpixel((x, 120)) > 127}
    assert inside == {meant}
    assert found.confidence >= SURE


def test_what_is_followed_and_no_person_is_none(row: FloatArray):
    image = Image.fromarray(np.random.default_rng(3).integers(0, 255, (200, 200, 3)).astype(np.uint8))
    assert locate(image, "the leftmost person", CropEncoder("boat"), FixedCutter(row)).confidence < SURE


class FineCutter(FixedCutter):
    """Traces two dogs that touch each other in the coarse map."""

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        return self._mask


@pytest.mark.parametrize(("phrase", "meant"), [("the leftmost dog", 130), ("dog on the right", 200)])
def test_things_that_touch_in_the_coarse_map_are_told_apart_by_their_outlines(
    encoder: ColourEncoder, phrase: str, meant: int
):
    image = Image.new("RGB", (320, 320), (60, 110, 220))
    mask = np.zeros((320, 320), np.float32)
    for left, right in ((100, 158), (162, 250)):
        image.paste((200, 60, 40), (left, 180, right, 260))
        mask[180:260, left:right] = 1
    found = locate(image, phrase, encoder, FineCutter(mask))
    assert {x for x in (130, 200) if found.mask.getpixel((x, 220)) > 127} == {meant}
