"""Taking a thing out: the hole is filled from its surroundings, the rest stays as it was."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from visavis.editing.operations import completion
from visavis.editing.operations.completion import complete
from visavis.editing.operations.layers import with_shadow
from visavis.editing.operations.removal import remove
from visavis.errors import BadInputError


def stripes(width: int, height: int, period: int) -> Image.Image:
    """Light and dark stripes, with a little noise."""
    wave = ((np.arange(width) // (period // 2)) % 2).astype(np.float32)
    noise = np.random.default_rng(3).normal(0, 4, (height, width, 1))
    pixels = 60 + 130 * wave[None, :, None] + noise + np.zeros((1, 1, 3))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def with_thing(image: Image.Image, box: tuple[int, int, int, int]) -> tuple[Image.Image, Image.Image]:
    """The picture with a red thing on it, and the mask of that."""
    mask = Image.new("L", image.size, 0)
    mask.paste(255, box)
    shown = image.copy()
    shown.paste((230, 20, 20), box)
    return shown, mask


@pytest.mark.parametrize("size", [(160, 120), (900, 700)])
def test_a_pattern_goes_on_through_the_hole(size: tuple[int, int]):
    width, height = size
    clean = stripes(width, height, width // 10)
    box = (width * 3 // 8, height * 3 // 8, width * 5 // 8, height * 5 // 8)
    shown, mask = with_thing(clean, box)
    made = remove(shown, mask)
    inside = tuple(np.asarray(picture.crop(box)).astype(float) for picture in (made, clean))
    assert np.abs(inside[0] - inside[1]).mean() < 30, "the stripes are where they would be"
    assert inside[0][..., 0].std() > 40, "they are stripes, not their mean"
    assert (inside[0][..., 0] - inside[0][..., 1]).mean() < 3, "nothing red is left"


def test_far_from_the_thing_not_a_pixel_changes():
    shown, mask = with_thing(stripes(160, 120, 16), (60, 40, 90, 70))
    before, after = np.asarray(shown), np.asarray(remove(shown, mask))
    assert (before[:30] == after[:30]).all()
    assert (before[:, :45] == after[:, :45]).all()
    assert (before[45:65, 65:85] != after[45:65, 65:85]).any()


def test_the_same_picture_gives_the_same_result():
    shown, mask = with_thing(stripes(160, 120, 16), (60, 40, 90, 70))
    assert remove(shown, mask).tobytes() == remove(shown, mask).tobytes()


@pytest.mark.parametrize("box", [(0, 0, 30, 30), (130, 50, 160, 120), (0, 50, 160, 60)])
def test_a_hole_at_the_edge(box: tuple[int, int, int, int]):
    shown, mask = with_thing(stripes(160, 120, 16), box)
    made = np.asarray(remove(shown, mask)).astype(int)
    assert (made[..., 0] - made[..., 1]).max() < 60, "nothing red is left"


def test_what_was_transparent_is_filled_and_stays_a_picture_with_alpha():
    shown, mask = with_thing(stripes(160, 120, 16), (60, 40, 90, 70))
    made = remove(shown.convert("RGBA"), mask)
    assert made.mode == "RGBA"
    assert made.getchannel("A").getextrema() == (255, 255)


@pytest.mark.parametrize(("box", "told"), [((0, 0, 0, 0), "was not found"), ((5, 5, 155, 115), "fills most")])
def test_what_cannot_be_filled_is_refused(box: tuple[int, int, int, int], told: str):
    mask = Image.new("L", (160, 120), 0)
    mask.paste(255, box)
    with pytest.raises(BadInputError, match=told):
        remove(stripes(160, 120, 16), mask, "cat")


def test_only_the_hole_is_filled():
    hole = np.zeros((60, 70), bool)
    hole[20:35, 25:40] = True
    picture = np.asarray(stripes(70, 60, 8))
    done = complete(picture, hole)
    assert (done[~hole] == picture[~hole]).all()
    assert done.shape == picture.shape


def test_an_edge_is_continued():
    rows, columns = np.mgrid[:160, :200]
    light = np.where(rows > 40 + columns // 2, 200, 60)[..., None] + np.random.default_rng(3).normal(
        0, 3, (160, 200, 3)
    )
    clean = Image.fromarray(np.clip(light, 0, 255).astype(np.uint8))
    box = (80, 70, 112, 102)
    shown, mask = with_thing(clean, box)
    inside = tuple(np.asarray(picture.crop(box)).astype(float) for picture in (remove(shown, mask), clean))
    assert np.abs(inside[0] - inside[1]).mean() < 12


def test_several_things_at_once():
    clean = stripes(300, 200, 30)
    shown, mask = with_thing(clean, (40, 60, 70, 110))
    shown.paste((230, 20, 20), (220, 80, 250, 120))
    mask.paste(255, (220, 80, 250, 120))
    made = np.asarray(remove(shown, mask)).astype(int)
    assert (made[..., 0] - made[..., 1]).max() < 60


def test_windows_in_a_mask_go_too():
    shown, mask = with_thing(stripes(300, 200, 30), (100, 60, 180, 120))
    mask.paste(0, (130, 75, 138, 100))
    made = np.asarray(remove(shown, mask)).astype(int)
    assert (made[..., 0] - made[..., 1]).max() < 60


def grass(width: int, height: int) -> np.ndarray:
    noise = np.random.default_rng(5).normal(0, 6, (height, width, 1))
    return np.clip(np.array([90, 140, 70]) + noise, 0, 255)


def test_what_was_taken_out_of_a_mask_by_hand_stays():
    shown = Image.new("RGB", (120, 120), (200, 200, 200))
    shown.paste((20, 20, 20), (40, 30, 80, 90))
    mask = Image.new("L", shown.size, 0)
    mask.paste(255, (40, 30, 80, 90))
    mask.paste(0, (56, 60, 66, 90))  # a leg that is dark like a shadow, and a gap in the outline
    kept = np.asarray(remove(shown, mask, exact=True))[66:88, 60:63]
    assert (kept == 20).all()
    assert not (np.asarray(remove(shown, mask))[66:88, 60:63] == 20).all()


def test_a_shadow_goes_with_its_thing():
    ground = grass(240, 180)
    rows, columns = np.mgrid[:180, :240]
    ground[((rows - 118) / 9.0) ** 2 + ((columns - 140) / 36.0) ** 2 < 1] *= 0.5
    picture = Image.fromarray(ground.astype(np.uint8))
    shown, mask = with_thing(picture, (100, 60, 130, 120))
    grown = np.asarray(with_shadow(shown, mask, 96)) > 0
    assert grown[118, 165]
    assert not grown[60:90, 140:].any()
    assert np.asarray(remove(shown, mask))[112:124, 150:170].mean() > 90


def test_what_is_dark_all_around_is_no_shadow():
    ground = grass(240, 180)
    ground[100:] *= 0.5
    shown, mask = with_thing(Image.fromarray(ground.astype(np.uint8)), (100, 60, 130, 120))
    assert with_shadow(shown, mask, 96).tobytes() == mask.tobytes()


@pytest.mark.parametrize("size", [(1, 1), (3, 9), (16, 16)])
def test_tiny_pictures(size: tuple[int, int]):
    mask = Image.new("L", size, 0)
    mask.putpixel((0, 0), 255)
    image = Image.new("RGB", size, (9, 99, 199))
    try:
        assert remove(image, mask).size == size
    except BadInputError as error:
        assert "fills most" in str(error)  # noqa: PT017


def test_a_wide_blur_of_a_coarser_copy_is_the_same_but_for_rounding(monkeypatch: pytest.MonkeyPatch):
    """Of a picture without room for a patch the hole is blurred, ever wider: in full size that took its square."""
    ramp = np.linspace(0, 255, 400).astype(np.uint8)
    pixels = np.stack([np.tile(ramp, (5, 1)), np.tile(ramp[::-1], (5, 1)), np.full((5, 400), 90, np.uint8)], -1)
    hole = np.zeros((5, 400), bool)
    hole[:, 30:] = True
    quick = complete(pixels, hole)
    monkeypatch.setattr(completion, "_WIDEST", 10_000)
    assert np.abs(quick.astype(int) - complete(pixels, hole)).max() <= 3
    assert (quick[:, :30] == pixels[:, :30]).all()
