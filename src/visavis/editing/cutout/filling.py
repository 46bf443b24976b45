"""Small holes in a mask: a checked coat has squares in the colour of the wall, and is whole all the same."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from visavis.editing.cutout.arrays import FloatArray, parts

#: A hole up to this share of the thing's size is filled; a larger one may be a handle or a gap between arm and body.
_LARGEST = 0.01
#: How far the doubt around a hole reaches.
_RIM = 3
_INSIDE = 0.5


def without_holes(mask: FloatArray) -> FloatArray:
    """The mask with small holes filled, those that nothing joins with the outside."""
    free = mask < _INSIDE
    labels, count = parts(free & ~_reached_from_the_border(free))
    if not count:
        return mask
    areas = np.bincount(labels.ravel())
    small = areas <= _LARGEST * (mask.size - free.sum())
    small[0] = False
    return np.where(_grown(small[labels]), np.float32(1), mask)


def _grown(places: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The places and those around them, where a hole's doubtful rim lies."""
    padded = np.pad(places, _RIM)
    return np.asarray(sliding_window_view(padded, (2 * _RIM + 1, 2 * _RIM + 1)).any(axis=(2, 3)))


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
