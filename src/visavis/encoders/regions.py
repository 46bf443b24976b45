"""Regions: parts of a grid of patches, as overlapping windows or as squares of two by two."""

from __future__ import annotations

import numpy as np

from visavis.encoders.base import FloatArray

#: Windows along each side; nine in all, each about half the picture's side, so that neighbours overlap by half.
WINDOWS = 3


def window_slices(grid: int) -> list[tuple[slice, slice]]:
    """The rows and columns of the windows over a square grid, row by row."""
    side = -(-grid // 2)
    starts = [round(place * (grid - side) / (WINDOWS - 1)) for place in range(WINDOWS)]
    return [(slice(top, top + side), slice(left, left + side)) for top in starts for left in starts]


def window_boxes(grid: int) -> FloatArray:
    """Where the windows lie, ``[9, 4]`` as left, top, right, bottom in 0..1."""
    edges = [(across.start, down.start, across.stop, down.stop) for down, across in window_slices(grid)]
    return np.array(edges, np.float32) / np.float32(grid)


def window_weights(grid: int) -> FloatArray:
    """A matrix ``[9, grid * grid]`` that takes the mean of each window's patches."""
    weights = np.zeros((WINDOWS**2, grid, grid), np.float32)
    for window, (down, across) in zip(weights, window_slices(grid), strict=True):
        window[down, across] = 1 / window[down, across].size
    return weights.reshape(len(weights), -1)


def square_boxes(grid: int) -> FloatArray:
    """Where squares of two by two patches lie, row by row, ``[grid * grid / 4, 4]`` as left, top, right, bottom."""
    starts = range(0, grid - 1, 2)
    edges = [(left, top, left + 2, top + 2) for top in starts for left in starts]
    return np.array(edges, np.float32) / np.float32(grid)


def unit(vectors: FloatArray) -> FloatArray:
    """The vectors scaled to length one; a vector of zeros stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(np.float32).tiny), np.float32)
