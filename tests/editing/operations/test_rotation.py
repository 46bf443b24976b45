"""Rotations by any angle: each pixel against bilinear interpolation in floating point, the border, and any shape."""

from __future__ import annotations

import concurrent.futures

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from visavis.editing.operations import geometry, rotation
from visavis.editing.operations.rotation import Back, turned
from visavis.errors import BadInputError

ANGLES = st.floats(-360, 720, allow_nan=False).filter(lambda degrees: degrees % 90 != 0)
SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))


def noise(size: tuple[int, int], channels: int = 3, seed: int = 0) -> Image.Image:
    random = np.random.default_rng(seed)
    return Image.fromarray(random.integers(0, 256, (size[1], size[0], channels), np.uint8))


def by_definition(
    pixels: npt.NDArray[np.float64], size: tuple[int, int], back: Back
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return bilinear means, and the coverage of each; the picture's border is repeated outside."""
    down, across = np.mgrid[: size[1], : size[0]] + 0.5
    a, b, c, d, e, f = back
    # Places in sixteenths, as the kernel has them: what is tested is the mean, not the rounding of places.
    x, y = (np.floor((place - 0.5) * 16 + 0.5) / 16 for place in (a * across + b * down + c, d * across + e * down + f))
    total, inside = np.zeros((*x.shape, pixels.shape[2])), np.zeros(x.shape)
    height, width = pixels.shape[:2]
    for right in (0, 1):
        for below in (0, 1):
            column, row = np.floor(x).astype(int) + right, np.floor(y).astype(int) + below
            weight = np.abs(1 - right - (x - np.floor(x))) * np.abs(1 - below - (y - np.floor(y)))
            total += weight[..., None] * pixels[row.clip(0, height - 1), column.clip(0, width - 1)]
            inside += weight * ((column >= 0) & (column < width) & (row >= 0) & (row < height))
    return total, inside


@given(size=SIZES, degrees=ANGLES, seed=st.integers(0, 9))
def test_every_pixel_is_the_mean_of_its_four(size: tuple[int, int], degrees: float, seed: int):
    picture = noise(size, seed=seed)
    canvas, back = geometry._turned_canvas(size, degrees)
    expected, inside = by_definition(np.asarray(picture, np.float64), canvas, back)
    result = np.asarray(turned(picture, canvas, back), np.float64)
    seen = result[..., 3] > 0
    # A place that is just between two sixteenths may be rounded either way: few pixels, by a sixteenth of a step.
    off = np.abs(result[..., :3] - expected)[seen]
    assert off.max(initial=0) <= 256 / 8
    assert (off > 0.51).mean() < 0.05 if off.size else True
    assert np.abs(result[..., 3] - 255 * inside).max() <= 256 / 8
    assert not result[~seen].any(), "what is invisible has no colour"


@pytest.mark.parametrize("degrees", [0.4, 3, 30, 45.5, 91, 200, 300.5, 359])
def test_a_turn_looks_like_pillows(degrees: float):
    picture = noise((9, 7)).resize((803, 601), Image.Resampling.BICUBIC)
    exact = np.asarray(picture.convert("RGBA").rotate(degrees, Image.Resampling.BILINEAR, expand=True), np.int16)
    quick = np.asarray(geometry.rotate(picture, degrees), np.int16)
    assert quick.shape == exact.shape
    both = (quick[..., 3] == 255) & (exact[..., 3] == 255)
    assert np.abs(quick - exact)[both].max() <= 2, "Pillow cuts where this rounds"
    assert ((quick[..., 3] == 255) != (exact[..., 3] == 255)).sum() <= 4 * sum(picture.size), (
        "they differ in the rim only"
    )


def test_the_rim_is_soft_and_has_the_pictures_own_colour():
    result = np.asarray(geometry.rotate(Image.new("RGB", (60, 40), (250, 120, 10)), 20))
    alpha = result[..., 3]
    assert ((alpha > 0) & (alpha < 255)).any()
    assert set(map(tuple, result[alpha > 0][:, :3])) == {(250, 120, 10)}
    assert not result[0, 0].any(), "nothing lies in the corner"


def test_invisible_colours_do_not_shine_through():
    picture = Image.new("RGBA", (40, 40), (255, 0, 255, 0))
    picture.paste((0, 200, 0, 255), (10, 10, 30, 30))
    result = np.asarray(geometry.rotate(picture, 33))
    seen = result[result[..., 3] > 8]
    assert seen[:, 1].min() > 180, "green"
    assert seen[:, [0, 2]].max() < 20, "and no pink"


@given(size=SIZES, degrees=ANGLES)
def test_a_flat_picture_of_any_shape_keeps_its_colour(size: tuple[int, int], degrees: float):
    flat = Image.new("RGB", size, (255, 128, 1))
    canvas, back = geometry._turned_canvas(size, degrees)
    result = np.asarray(turned(flat, canvas, back, endless=True))
    assert set(map(tuple, result[result[..., 3] > 0])) == {(255, 128, 1, 255)}


@given(size=SIZES, degrees=st.floats(-45, 45, allow_nan=False))
def test_straightening_computes_every_pixel(size: tuple[int, int], degrees: float):
    for mode, colour in (("RGB", (9, 8, 7)), ("RGBA", (9, 8, 7, 255))):
        result = geometry.straighten(Image.new(mode, size, colour), degrees)
        assert result.mode == mode
        assert set(map(tuple, np.asarray(result).reshape(-1, len(colour)))) == {colour}


@pytest.mark.parametrize("size", [(1, 20_000), (20_000, 1), (1023, 3), (1024, 3), (1025, 70), (5000, 2)])
def test_long_rows_and_columns_are_turned_whole(size: tuple[int, int]):
    picture = noise(size)
    canvas, back = geometry._turned_canvas(size, 30)
    upright = turned(picture, size, (1, 0, 0, 0, 1, 0))
    assert upright.convert("RGB").tobytes() == picture.tobytes(), "the map that changes nothing"
    assert np.asarray(turned(picture, canvas, back))[..., 3].max() > 0


def test_a_canvas_beyond_all_bounds_is_refused_before_it_is_made():
    with pytest.raises(BadInputError, match="too large"):
        geometry.rotate(Image.new("RGB", (60_000, 1)), 45)


def test_rows_that_miss_the_picture_stay_empty():
    assert not np.asarray(turned(noise((5, 5)), (7, 7), (1, 0, 100, 0, 1, 0))).any()
    assert not np.asarray(turned(noise((5, 5)), (7, 7), (1, 0, 0, 0, 1, -100))).any()


def test_turns_at_the_same_time_do_not_meet():
    pictures = [noise((300, 200), seed=seed) for seed in range(4)]
    one_by_one = [geometry.rotate(picture, 17).tobytes() for picture in pictures]
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        together = [result.tobytes() for result in threads.map(lambda picture: geometry.rotate(picture, 17), pictures)]
    assert together == one_by_one


def test_a_result_outlives_what_computed_it():
    results = [geometry.rotate(noise((200, 200), seed=1), 10) for _ in range(5)]
    assert len({result.tobytes() for result in results}) == 1


@given(width=st.integers(1, 100_000))
def test_padding_begins_rows_on_the_next_line_of_the_cache(width: int):
    padded = rotation._padded(width)
    assert width <= padded < width + 1024
    assert padded == width or padded * 4 % 4096 == 64
