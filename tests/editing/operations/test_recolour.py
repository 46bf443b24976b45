"""Another colour for a thing: what changes, what stays, and that light and shade are kept."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from visavis.editing.operations.recolour import from_oklab, oklab, painted_part, recolour
from visavis.editing.table import colour_of
from visavis.errors import BadInputError

SIZE = (60, 40)


def recoloured(
    image: Image.Image, colour: tuple[int, int, int], mask: Image.Image, name: str = "it", *, whole: bool = False
) -> Image.Image:
    return recolour(image, colour, painted_part(image, mask, name, whole=whole), name)


def shaded(colour: tuple[int, int, int]) -> Image.Image:
    """A surface of one colour, from deep shade on the left to full light on the right."""
    light = np.linspace(0.35, 1.0, SIZE[0], dtype=np.float32)
    pixels = np.ones((SIZE[1], SIZE[0], 1)) * light[None, :, None] * np.array(colour, np.float32)
    return Image.fromarray(pixels.astype(np.uint8))


def whole() -> Image.Image:
    return Image.new("L", SIZE, 255)


def in_oklab(image: Image.Image) -> np.ndarray:
    return oklab(np.asarray(image.convert("RGB"), np.float32) / np.float32(255))


def test_oklab_goes_there_and_back():
    colours = np.random.default_rng(1).random((200, 3)).astype(np.float32)
    assert np.abs(from_oklab(oklab(colours)) - colours).max() < 2e-3
    assert oklab(np.ones(3, np.float32))[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("own", [(200, 40, 40), (230, 230, 228), (30, 60, 200)])
@pytest.mark.parametrize("name", ["red", "green", "blue", "purple", "yellow"])
def test_the_hue_is_the_new_one_and_the_shading_stays(own: tuple[int, int, int], name: str):
    made = in_oklab(recoloured(shaded(own), colour_of(name), whole()))
    wanted = oklab(np.asarray(colour_of(name), np.float32) / np.float32(255))
    middle = made[20, 30]
    turned = np.arctan2(middle[2], middle[1]) - np.arctan2(wanted[2], wanted[1])
    assert abs((turned + np.pi) % (2 * np.pi) - np.pi) < 0.2
    lightness = made[20, :, 0]
    assert (np.diff(lightness) > -0.01).all(), "what was brighter is brighter still"
    assert lightness[-1] - lightness[0] > 0.1


def test_black_and_white_are_colours_too():
    red = shaded((200, 40, 40))
    white, black = in_oklab(recoloured(red, (255, 255, 255), whole())), in_oklab(recoloured(red, (0, 0, 0), whole()))
    assert white[20, 30, 0] > 0.8
    assert black[20, 30, 0] < 0.35
    assert np.hypot(white[..., 1], white[..., 2]).max() < 0.03
    assert np.hypot(black[..., 1], black[..., 2]).max() < 0.03
    assert white[20, -1, 0] > white[20, 0, 0] + 0.05
    assert black[20, -1, 0] > black[20, 0, 0] + 0.05


def test_a_print_on_it_keeps_its_colour():
    shirt = shaded((200, 40, 40))
    shirt.paste((245, 245, 245), (20, 10, 30, 20))
    shirt.paste((40, 60, 200), (35, 10, 45, 20))
    made = np.asarray(recoloured(shirt, colour_of("green"), whole())).astype(int)
    assert np.abs(made[15, 25] - 245).max() < 12
    assert np.abs(made[15, 40] - (40, 60, 200)).max() < 12
    assert made[30, 25, 1] > made[30, 25, 0] + 40, "the cloth is green"


def test_nothing_changes_outside_of_the_thing():
    image = shaded((200, 40, 40))
    mask = Image.new("L", SIZE, 0)
    mask.paste(255, (10, 10, 30, 30))
    made = np.asarray(recoloured(image, (0, 0, 255), mask))
    outside = np.asarray(mask) == 0
    assert (made[outside] == np.asarray(image)[outside]).all()
    assert made[20, 20, 2] > made[20, 20, 0]


def test_transparency_is_kept():
    image = shaded((200, 40, 40)).convert("RGBA")
    image.putalpha(90)
    made = recoloured(image, (0, 0, 255), whole())
    assert made.mode == "RGBA"
    assert made.getchannel("A").getextrema() == (90, 90)


def test_what_is_not_there_is_refused():
    with pytest.raises(BadInputError, match="'hat' was not found"):
        recoloured(shaded((200, 40, 40)), (0, 0, 255), Image.new("L", SIZE, 0), "hat")


def person(cloth: tuple[int, int, int]) -> Image.Image:
    """A garment with an arm beside it, on white."""
    picture = Image.new("RGB", (120, 100), (255, 255, 255))
    picture.paste(shaded(cloth).resize((60, 60)), (20, 20))
    picture.paste((222, 170, 140), (80, 20, 95, 80))
    return picture


@pytest.mark.parametrize("cloth", [(120, 120, 122), (230, 190, 40), (40, 60, 160)])
def test_who_wears_it_keeps_their_skin(cloth: tuple[int, int, int]):
    image, mask = person(cloth), Image.new("L", (120, 100), 0)
    mask.paste(255, (20, 20, 95, 80))
    made = np.asarray(recoloured(image, colour_of("purple"), mask)).astype(int)
    assert np.abs(made[50, 88] - (222, 170, 140)).max() < 14
    assert made[50, 60, 2] > made[50, 60, 1] + 30, "the cloth is purple"


def test_a_plain_ground_within_the_outline_stays():
    image, mask = person((30, 30, 32)), Image.new("L", (120, 100), 0)
    mask.paste(255, (5, 5, 80, 98))
    made = np.asarray(recoloured(image, colour_of("white"), mask)).astype(int)
    assert made[50, 50].min() > 170, "black became white, though most of the outline is brighter"
    made = np.asarray(recoloured(image, colour_of("blue"), mask)).astype(int)
    assert made[10, 10].min() > 245
    assert made[50, 50, 2] > made[50, 50, 0] + 60


def test_a_white_thing_on_white_is_not_the_ground():
    image, mask = Image.new("RGB", (120, 100), (255, 255, 255)), Image.new("L", (120, 100), 0)
    image.paste(shaded((240, 240, 238)).resize((60, 60)), (20, 20))
    image.paste((200, 30, 40), (40, 40, 52, 52))
    mask.paste(255, (20, 20, 80, 80))
    made = np.asarray(recoloured(image, colour_of("green"), mask)).astype(int)
    assert made[70, 60, 1] > made[70, 60, 0] + 40
    assert np.abs(made[46, 46] - (200, 30, 40)).max() < 20


def test_a_red_bus_is_red_however_large_its_windows_are():
    image = Image.new("RGB", (100, 60), (40, 40, 44))
    image.paste((190, 30, 35), (0, 0, 100, 25))
    made = np.asarray(recoloured(image, colour_of("blue"), Image.new("L", (100, 60), 255))).astype(int)
    assert made[9, 50, 2] > made[9, 50, 0] + 60


def test_colours_as_people_mean_them():
    assert colour_of("burgundy") == (128, 0, 32)
    red, green, blue = colour_of("beige")
    assert red > green > blue


def test_coloured_laces_are_not_the_colour_of_a_shoe():
    image = Image.new("RGB", (100, 60), (60, 62, 64))
    image.paste((30, 90, 200), (0, 0, 100, 15))
    made = np.asarray(recoloured(image, colour_of("green"), Image.new("L", (100, 60), 255))).astype(int)
    assert made[40, 50, 1] > made[40, 50, 0] + 40
    assert np.abs(made[7, 50] - (30, 90, 200)).max() < 20


def test_a_white_vest_on_a_white_ground_is_the_thing_and_not_who_wears_it():
    image, mask = person((250, 250, 250)), Image.new("L", (120, 100), 0)
    image.paste((222, 170, 140), (30, 5, 60, 20))
    mask.paste(255, (20, 5, 95, 80))
    made = np.asarray(recoloured(image, colour_of("blue"), mask)).astype(int)
    assert made[50, 60, 2] > made[50, 60, 0] + 60
    assert np.abs(made[12, 45] - (222, 170, 140)).max() < 14


def test_dark_trousers_are_dark_however_bright_the_shirt_in_the_outline_is():
    image = Image.new("RGB", (100, 100), (40, 42, 46))
    image.paste((150, 155, 160), (0, 0, 100, 28))
    made = np.asarray(recoloured(image, colour_of("orange"), Image.new("L", (100, 100), 255))).astype(int)
    assert made[70, 50, 0] > made[70, 50, 2] + 60
