"""Pictures as the numbers a tower reads."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.encoders.pixels import DEVIATION, MEAN, to_pixels


def test_normalised_by_channel():
    pixels = to_pixels(Image.new("RGB", (10, 10), (255, 128, 0)), 14)
    assert pixels.shape == (1, 3, 14, 14)
    assert pixels.dtype == np.float32
    assert pixels.flags["C_CONTIGUOUS"]
    expected = (np.array([1, 128 / 255, 0]) - MEAN) / DEVIATION
    np.testing.assert_allclose(pixels[0].mean(axis=(1, 2)), expected, atol=1e-5)


def test_squeezed_not_cropped():
    left = Image.new("RGB", (300, 100), "white")
    left.paste("black", (0, 0, 150, 100))
    grey = to_pixels(left, 28)[0].mean(axis=0)
    assert (grey[:, :13] < -1.5).all()
    assert (grey[:, 15:] > 1.5).all()


def test_rows_and_columns_are_not_exchanged():
    top = Image.new("RGB", (100, 100), "white")
    top.paste("black", (0, 0, 100, 50))
    grey = to_pixels(top, 28)[0].mean(axis=0)
    assert (grey[:13] < -1.5).all()
    assert (grey[15:] > 1.5).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400), st.integers(0, 255))
def test_any_size_keeps_its_grey(width: int, height: int, grey: int):
    pixels = to_pixels(Image.new("L", (width, height), grey), 42)
    expected = (grey / 255 - MEAN) / DEVIATION
    np.testing.assert_allclose(pixels[0].reshape(3, -1), np.repeat(expected[:, None], 42 * 42, axis=1), atol=0.02)
