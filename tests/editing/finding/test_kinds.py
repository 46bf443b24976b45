"""Which things get another colour as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from editing_support import MEANINGS, ColourEncoder, FixedCutter
from PIL import Image

from visavis.editing.editor import Editor
from visavis.editing.finding.kinds import is_of_one_piece

PICTURE, ALL = Image.new("RGB", (64, 64), MEANINGS["dog"]), Image.new("L", (64, 64), 255)


@pytest.mark.parametrize(
    ("target", "whole"),
    [
        ("the dog", True),
        ("sofa on the left", True),
        ("the bus", False),
        ("largest shirt", False),
        ("selection", True),
        ("background", True),
        ("the left half", True),
        ("everything but the bus", True),
        ("subject", True),  # the encoder sees a dog
    ],
)
def test_a_dog_is_of_one_piece_and_a_bus_is_not(encoder: ColourEncoder, target: str, whole: bool):
    assert is_of_one_piece(target, PICTURE, ALL, encoder) is whole


def test_without_an_encoder_a_thing_may_have_parts():
    assert not is_of_one_piece("subject", PICTURE, ALL, None)


def test_a_piebald_dog_is_painted_as_a_whole(encoder: ColourEncoder, scene: Image.Image):
    scene.paste((250, 250, 250), (220, 200, 260, 240))
    mask = np.zeros((320, 320), np.float32)
    mask[180:300, 180:300] = 1
    made = Editor(encoder, FixedCutter(mask)).edit(scene, ["recolor blue on subject"], confirmed=True).image
    for at in ((240, 220), (200, 280)):
        red, _, blue = made.convert("RGB").getpixel(at)
        assert blue > red + 40
