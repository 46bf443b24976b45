"""A narrow blur and its opposite: pixels by hand, any size and mode, nothing beyond the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from visavis.editing.operations.effects import bell, sharpened, softened

MODES = st.sampled_from(["L", "RGB", "RGBA", "RGBa"])


@example(4.015625)
@given(radius=st.floats(0.01, 6))
def test_a_bell_adds_up_and_falls(radius: float):
    weights = bell(radius).astype(int)
    assert weights[0] + 2 * weights[1:].sum() == 256
    assert (np.diff(weights) <= 0).all(), "rounding takes nothing from the middle"


@given(
    width=st.integers(1, 70), height=st.integers(1, 140), mode=MODES, radius=st.floats(0.05, 5), seed=st.integers(0, 5)
)
def test_it_is_the_weighted_mean_of_its_neighbours(width: int, height: int, mode: str, radius: float, seed: int):
    channels = len(mode)
    values = np.random.default_rng(seed).integers(0, 256, (height, width, channels), np.uint8)
    picture = Image.frombytes(mode, (width, height), values.tobytes())
    weights = bell(radius).astype(int)
    reach = len(weights) - 1
    expected = values.astype(int)
    for axis in (0, 1):
        wide = np.pad(expected, [(reach, reach) if axis == other else (0, 0) for other in range(3)], "edge")
        length = expected.shape[axis]
        sums = sum(
            weights[abs(offset)] * np.take(wide, np.arange(reach + offset, reach + offset + length), axis=axis)
            for offset in range(-reach, reach + 1)
        )
        expected = (sums + 128) >> 8
    result = softened(picture, radius)
    assert (result.mode, result.size) == (mode, picture.size)
    assert (np.frombuffer(result.tobytes(), np.uint8).reshape(values.shape) == expected).all()


def test_one_bright_pixel_becomes_a_bell():
    dot = Image.new("L", (9, 9))
    dot.putpixel((4, 4), 255)
    weights = bell(1.0)
    row = [softened(dot, 1.0).getpixel((column, 4)) for column in range(4, 8)]
    down = (255 * int(weights[0]) + 128) >> 8
    assert row == [(down * int(weight) + 128) >> 8 for weight in weights[:4]]


@pytest.mark.parametrize("size", [(1, 3000), (3000, 1), (64, 64), (65, 128), (64, 129)])
def test_a_flat_picture_stays_flat(size: tuple[int, int]):
    flat = Image.new("RGB", size, (3, 200, 255))
    assert softened(flat, 2.2).tobytes() == flat.tobytes()


@given(width=st.integers(1, 70), height=st.integers(1, 140), amount=st.integers(-100, 100), seed=st.integers(0, 5))
def test_detail_is_what_the_blur_took_away(width: int, height: int, amount: int, seed: int):
    values = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    picture = Image.fromarray(values)
    soft = np.asarray(softened(picture, 1.0), int)
    expected = (values + (((values - soft) * round(amount / 100 * 128) + 64) >> 7)).clip(0, 255)
    assert (np.asarray(sharpened(picture, 1.0, amount)) == expected).all()


def test_no_detail_left_is_the_blur_and_none_added_the_picture():
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (30, 40, 3), np.uint8))
    assert sharpened(picture, 1.0, -100).tobytes() == softened(picture, 1.0).tobytes()
    assert sharpened(picture, 1.0, 0).tobytes() == picture.tobytes()
