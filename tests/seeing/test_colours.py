from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from visavis.seeing.colours import NAMES, colour_map, colours_in

PLAIN = {
    "black": (10, 10, 10),
    "white": (250, 250, 248),
    "grey": (128, 128, 128),
    "red": (200, 20, 30),
    "orange": (245, 130, 20),
    "yellow": (250, 220, 40),
    "green": (40, 150, 60),
    "skyblue": (135, 206, 235),
    "blue": (30, 60, 190),
    "purple": (120, 40, 160),
    "pink": (245, 150, 180),
    "brown": (120, 70, 30),
}


@pytest.mark.parametrize(("name", "rgb"), [*PLAIN.items(), ("green", (107, 142, 35)), ("brown", (222, 200, 165))])
def test_a_plain_colour_has_its_name(name, rgb):
    named = colour_map(Image.new("RGB", (8, 8), rgb))
    assert {NAMES[number] for number in np.unique(named)} == {name}


@pytest.mark.parametrize("name", [name for name in PLAIN if name not in ("white", "grey")])
def test_the_background_that_shines_through_is_not_the_colour_of_the_thing(name):
    image = Image.new("RGB", (96, 96), PLAIN["white"])
    ImageDraw.Draw(image).ellipse((30, 30, 66, 66), fill=PLAIN[name])
    inside = np.zeros((96, 96), bool)
    inside[22:74, 22:74] = True  # patches are coarse: almost two thirds of these are background
    assert colours_in(colour_map(image), inside)[0] == name


def test_two_colours_are_both_told():
    image = Image.new("RGB", (96, 96), PLAIN["white"])
    draw = ImageDraw.Draw(image)
    draw.rectangle((30, 30, 48, 66), fill=PLAIN["red"])
    draw.rectangle((48, 30, 66, 66), fill=PLAIN["blue"])
    inside = np.zeros((96, 96), bool)
    inside[30:66, 30:66] = True
    assert set(colours_in(colour_map(image), inside)) == {"red", "blue"}


def test_a_thing_that_fills_the_picture_has_its_colour_all_the_same():
    named = colour_map(Image.new("RGB", (96, 96), PLAIN["red"]))
    assert list(colours_in(named, np.ones((96, 96), bool))) == ["red"]
