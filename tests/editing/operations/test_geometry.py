"""Resizing: sizes of every kind, flat colours, alpha, and Pillow's filter as the measure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from visavis.editing.operations import geometry
from visavis.editing.operations.geometry import resampled, taps_of

SIDES = st.integers(1, 90)
SIZES = st.tuples(SIDES, SIDES)


def noise(size: tuple[int, int], channels: int) -> Image.Image:
    # Neither black nor white: what overshoots is cut between the passes, and which comes first is nobody's promise.
    random = np.random.default_rng(sum(size))
    return Image.fromarray(random.integers(80, 176, (size[1], size[0], channels), np.uint8))


@given(old=SIZES, new=SIZES)
def test_a_filter_is_pillows(old: tuple[int, int], new: tuple[int, int]):
    picture = noise(old, 3)
    exact = np.asarray(picture.resize(new, Image.Resampling.LANCZOS), np.int16)
    # Both round between the passes; a level or two may differ where they round differently.
    assert np.abs(np.asarray(resampled(picture, new, old), np.int16) - exact).max() <= 3


@given(old=SIZES, new=SIZES, colour=st.tuples(*[st.integers(0, 255)] * 3))
def test_a_flat_colour_stays(old: tuple[int, int], new: tuple[int, int], colour: tuple[int, int, int]):
    for mode, value in (("RGB", colour), ("RGBA", (*colour, 255))):
        result = geometry.resize(Image.new(mode, old, value), *new)
        assert (result.mode, result.size) == (mode, new)
        assert set(map(tuple, np.asarray(result).reshape(-1, len(value)))) == {value}


@given(count=st.integers(1, 500), available=st.integers(1, 500), less=st.floats(0, 0.9))
def test_weights_add_up_and_stay_within_the_picture(count: int, available: int, less: float):
    starts, weights = taps_of(count, available - less, available)
    assert (weights.astype(int).sum(axis=1) == 1 << 14).all()
    assert weights.shape[1] % 2 == 0
    last = weights.shape[1] - np.argmax(weights[:, ::-1] != 0, axis=1)
    assert (starts >= 0).all()
    assert (starts + last <= available).all(), "what lies behind the picture weighs nothing"


def test_invisible_colours_do_not_shine_through():
    picture = Image.new("RGBA", (40, 40), (255, 0, 255, 0))
    picture.paste((0, 200, 0, 255), (10, 10, 30, 30))
    for size in ((9, 9), (31, 33), (77, 80)):
        result = np.asarray(geometry.resize(picture, *size))
        seen = result[result[..., 3] > 8]
        assert seen[:, [0, 2]].max() < 20, "no pink"


@pytest.mark.parametrize("size", [(1, 20_000), (20_000, 1), (3, 5000)])
def test_long_rows_and_columns(size: tuple[int, int]):
    picture = noise(size, 3)
    assert geometry.scale(picture, 40).size == tuple(max(1, round(side * 0.4)) for side in size)
