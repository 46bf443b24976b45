"""Small holes in a mask: a checked coat has squares in the colour of the wall, and is whole all the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visavis.editing.cutout.arrays import FloatArray

#: Holes up to this share of the longer side are filled; a larger one may be a handle or a gap between arm and body.
_WIDEST = 0.04
_INSIDE = 0.5


def without_holes(mask: FloatArray) -> FloatArray:
    """The mask with small holes filled, those that nothing joins with the outside."""
    radius = max(1, round(_WIDEST * max(mask.shape) / 2))
    closed = -_widest(-_widest(mask, radius), radius)
    enclosed = ~_reached_from_the_border(mask < _INSIDE)
    return np.where(enclosed, np.maximum(mask, closed), mask)


def _widest(values: FloatArray, radius: int) -> FloatArray:
    """The largest value within a square around each place."""
    for axis in (0, 1):
        padded = np.pad(values, [(radius, radius) if axis == other else (0, 0) for other in (0, 1)], "edge")
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1, axis)
        values = windows.max(axis=-1)
    return values


def _reached_from_the_border(free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which free places a way of free places joins with the border.

    Ways are followed in straight runs, all of one direction at once: each round takes every way round some corners.
    """
    reached = np.zeros_like(free)
    for edge in ((0, slice(None)), (-1, slice(None)), (slice(None), 0), (slice(None), -1)):
        reached[edge] = free[edge]
    before = -1
    while (count := int(reached.sum())) != before:
        before = count
        for turn in range(4):
            _run_on(np.rot90(reached, turn), np.rot90(free, turn))
    return reached


def _run_on(reached: NDArray[np.bool_], free: NDArray[np.bool_]) -> None:
    """Go on to the right from what is reached, up to the next place that is not free."""
    places = np.arange(free.shape[1], dtype=np.int32)
    last_reached = np.maximum.accumulate(np.where(reached, places, np.int32(-1)), axis=1)
    last_wall = np.maximum.accumulate(np.where(free, np.int32(-1), places), axis=1)
    reached |= free & (last_reached > last_wall)
