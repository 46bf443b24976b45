"""The word table: rows of bytes with a scale each, read as they are needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.encoders.inputs import (
    DEVIATION,
    MEAN,
    read_word_table,
    square_boxes,
    to_pixels,
    unit,
    window_boxes,
    window_slices,
    window_weights,
)
from visavis.errors import StorageError


def test_rows_come_back_by_their_scales(tmp_path: Path) -> None:
    rows = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
    scales = np.array([0.5, 1, 2], "<f4")
    np.save(tmp_path / "words.npy", np.concatenate([rows, scales[:, None].view(np.int8)], axis=1))
    table = read_word_table(tmp_path / "words.npy")
    assert len(table) == 3
    np.testing.assert_array_equal(table.vectors(np.array([[2, 0]])), (rows * scales[:, None])[[[2, 0]]])


def test_the_table_that_ships_has_every_piece() -> None:
    table = read_word_table()
    assert table.bytes.shape == (30522, 384)
    assert (table.scale > 0).all()


@pytest.mark.parametrize("content", [b"", b"no table", None])
def test_a_damaged_table_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "words.npy"
    if content is None:
        np.save(path, np.zeros((3, 4), np.float32))
    else:
        path.write_bytes(content)
    with pytest.raises(StorageError):
        read_word_table(path)


grids = st.integers(2, 40)


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


def test_twelve_patches_a_side():
    boxes = window_boxes(12)
    assert boxes[0].tolist() == [0, 0, 0.5, 0.5]
    assert boxes[1].tolist() == [0.25, 0, 0.75, 0.5], "row by row: the second lies to the right of the first"
    assert boxes[4].tolist() == [0.25, 0.25, 0.75, 0.75]
    assert boxes[8].tolist() == [0.5, 0.5, 1, 1]


@given(grids)
def test_windows_cover_everything_and_stay_inside(grid: int):
    covered = np.zeros((grid, grid), int)
    for down, across in window_slices(grid):
        assert 0 <= down.start < down.stop <= grid
        assert 0 <= across.start < across.stop <= grid
        assert down.stop - down.start == across.stop - across.start == -(-grid // 2)
        covered[down, across] += 1
    assert covered.min() >= 1
    boxes = window_boxes(grid)
    assert (boxes[:, :2] < boxes[:, 2:]).all()
    assert (boxes >= 0).all()
    assert (boxes <= 1).all()


@given(grids)
def test_weights_are_means(grid: int):
    weights = window_weights(grid)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    values = np.arange(grid * grid, dtype=np.float32)
    square = values.reshape(grid, grid)
    means = [square[down, across].mean() for down, across in window_slices(grid)]
    np.testing.assert_allclose(weights @ values, means, rtol=1e-4)


def test_unit_leaves_zeros_alone():
    vectors = unit(np.array([[3, 4], [0, 0]], np.float32))
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 0]], rtol=1e-6)


def test_squares_of_two_by_two_cover_the_picture_once():
    boxes = square_boxes(12)
    assert boxes.shape == (36, 4)
    np.testing.assert_allclose(boxes[1], [1 / 6, 0, 1 / 3, 1 / 6], rtol=1e-6)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    np.testing.assert_allclose(areas.sum(), 1, rtol=1e-5)
