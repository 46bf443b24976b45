"""The body of a thing: its paint or cloth takes the new colour; glass, tyres, hair and other clothes keep theirs."""

from __future__ import annotations

import numpy as np
import pytest
from editing_support import FixedCutter
from PIL import Image, ImageDraw

from visavis.editing.editor import Editor
from visavis.editing.operations.recolour import oklab, painted_part, recolour
from visavis.editing.table import colour_of

SIZE = (160, 120)
SKIN, GLASS, TYRE = (222, 170, 140), (52, 56, 60), (20, 20, 21)


def recoloured(
    image: Image.Image, colour: tuple[int, int, int], mask: Image.Image, name: str = "it", *, whole: bool = False
) -> Image.Image:
    return recolour(image, colour, painted_part(image, mask, name, whole=whole), name)


def scene() -> Image.Image:
    """A ground that is not even, so that it is a photograph and no product."""
    return Image.fromarray(np.random.default_rng(4).integers(40, 220, (SIZE[1], SIZE[0], 3)).astype(np.uint8))


def shaded(colour: tuple[int, int, int], size: tuple[int, int]) -> Image.Image:
    light = np.linspace(0.75, 1.0, size[1])[:, None, None]
    return Image.fromarray((np.ones((size[1], size[0], 3)) * light * np.array(colour)).astype(np.uint8))


def bus(paint: tuple[int, int, int]) -> tuple[Image.Image, Image.Image]:
    """A bus, more glass and tyres than paint, and its outline."""
    image, mask = scene(), Image.new("L", SIZE, 0)
    image.paste(shaded(paint, (120, 80)), (20, 20))
    image.paste(shaded(GLASS, (112, 46)), (24, 24))
    for left in (30, 110):
        image.paste(TYRE, (left, 84, left + 18, 100))
    mask.paste(255, (20, 20, 140, 100))
    return image, mask


def apart(made: Image.Image, image: Image.Image, at: tuple[int, int]) -> int:
    pixels = [np.asarray(one.convert("RGB")).astype(int)[at[1], at[0]] for one in (made, image)]
    return int(np.abs(pixels[0] - pixels[1]).max())


@pytest.mark.parametrize("paint", [(225, 190, 30), (200, 40, 40), (235, 235, 232)])
@pytest.mark.parametrize("name", ["pink", "green", "blue"])
def test_the_paint_of_a_bus_changes_and_its_glass_and_tyres_stay(paint: tuple[int, int, int], name: str):
    image, mask = bus(paint)
    made = recoloured(image, colour_of(name), mask)
    assert apart(made, image, (80, 78)) > 25, "the paint"
    assert apart(made, image, (80, 45)) < 15, "the glass"
    assert apart(made, image, (38, 92)) < 15, "a tyre"


def test_a_shirt_beside_trousers_keeps_its_colour():
    image, mask = Image.new("RGB", SIZE, (255, 255, 255)), Image.new("L", SIZE, 0)
    image.paste(shaded((238, 240, 246), (40, 25)), (60, 10))
    image.paste(shaded((90, 92, 95), (40, 75)), (60, 35))
    mask.paste(255, (60, 10, 100, 110))
    made = recoloured(image, colour_of("green"), mask)
    assert apart(made, image, (80, 20)) < 15
    assert apart(made, image, (80, 70)) > 40


def test_hair_of_the_colour_of_a_dress_stays():
    image, mask = Image.new("RGB", SIZE, (255, 255, 255)), Image.new("L", SIZE, 0)
    image.paste((24, 22, 22), (68, 4, 92, 14))
    image.paste(SKIN, (68, 14, 92, 40))
    image.paste(SKIN, (50, 40, 60, 90))
    image.paste(shaded((28, 26, 26), (40, 70)), (60, 40))
    for box in ((68, 4, 92, 40), (50, 40, 100, 90), (60, 90, 100, 110)):
        mask.paste(255, box)
    made = recoloured(image, colour_of("yellow"), mask)
    assert apart(made, image, (80, 8)) < 15, "the hair"
    assert apart(made, image, (80, 25)) < 20, "the face"
    assert apart(made, image, (80, 80)) > 100, "the dress"


def test_a_pattern_without_a_main_colour_is_painted_as_a_whole():
    """Where no colour is the body, all of the thing is; not just its largest stripe."""
    image, mask = Image.new("RGB", SIZE, (255, 255, 255)), Image.new("L", SIZE, 0)
    for number, top in enumerate(range(20, 100, 4)):
        image.paste(
            ((110, 110, 112), (145, 145, 147), (180, 180, 182), (215, 215, 217))[number % 4], (40, top, 120, top + 4)
        )
    mask.paste(255, (40, 20, 120, 100))
    made = recoloured(image, colour_of("green"), mask)
    assert all(apart(made, image, (80, top)) > 25 for top in (22, 26, 30, 34))


def test_no_dark_line_stays_around_black_cloth_that_becomes_bright():
    large, outline = (
        Image.new(mode, (4 * SIZE[0], 4 * SIZE[1]), ground) for mode, ground in (("RGB", "white"), ("L", 0))
    )
    ImageDraw.Draw(large).ellipse((150, 90, 490, 390), fill=(26, 26, 27))
    ImageDraw.Draw(outline).ellipse((155, 95, 485, 385), fill=255)
    image, mask = (picture.resize(SIZE, Image.Resampling.BOX) for picture in (large, outline))
    made = np.asarray(recoloured(image, colour_of("yellow"), mask)).astype(int)
    assert made[60, 80, 0] > 200, "it is yellow"
    assert made[..., 0].min() > 190, "and nothing of its rim is grey"
    assert np.abs(made[:10] - 255).max() == 0


def piebald() -> tuple[Image.Image, Image.Image]:
    """A white dog with black patches, in a photograph, and its outline."""
    image, mask = scene(), Image.new("L", SIZE, 0)
    image.paste(shaded((232, 230, 226), (100, 80)), (30, 20))
    image.paste(shaded((34, 32, 33), (40, 60)), (60, 30))
    mask.paste(255, (30, 20, 130, 100))
    return image, mask


@pytest.mark.parametrize("name", ["red", "blue", "green", "purple"])
def test_a_piebald_thing_of_one_piece_gets_the_colour_as_a_whole(name: str):
    image, mask = piebald()
    made = recoloured(image, colour_of(name), mask, whole=True)
    wanted = oklab(np.asarray(colour_of(name), np.float32) / np.float32(255))
    white, black = (oklab(np.asarray(made.getpixel(at), np.float32) / np.float32(255)) for at in ((40, 60), (80, 60)))
    for tone in (white, black):
        assert np.hypot(tone[1], tone[2]) > 0.06, "neither patch is left without colour"
        turned = np.arctan2(tone[2], tone[1]) - np.arctan2(wanted[2], wanted[1])
        assert abs((turned + np.pi) % (2 * np.pi) - np.pi) < 0.3
    assert white[0] > black[0] + 0.1, "what was dark is a dark tone of it"


@pytest.mark.parametrize("paint", [(225, 190, 30), (235, 235, 232)])
def test_what_is_shown_as_painted_is_what_gets_the_colour(paint: tuple[int, int, int]):
    image, mask = bus(paint)
    editor = Editor(cutter=FixedCutter(np.asarray(mask, np.float32) / 255))
    found = editor.find(image, ["recolor green on subject"])
    assert found.mask.getpixel((80, 78)) > 200, "the paint"
    assert found.mask.getpixel((80, 45)) < 60, "the glass"


def test_what_is_marked_by_hand_is_painted_whatever_it_is():
    image, mask = bus((225, 190, 30))
    editor = Editor(cutter=FixedCutter(np.asarray(mask, np.float32) / 255))
    plain, marked = (
        editor.edit(image, [f"recolor green on subject{marks}"], confirmed=True).image
        for marks in ("", " marked +40:500,375")
    )
    assert apart(plain, image, (80, 45)) < 15, "the glass stays"
    red, green, _ = marked.convert("RGB").getpixel((80, 45))
    assert green > red + 25, "until somebody brushes over it"
