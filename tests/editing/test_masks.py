"""Holes in masks: small ones filled, large ones and bays left, at any size."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from visavis.editing.cutout.masks import without_holes

SMALL = st.tuples(st.integers(1, 12), st.integers(1, 12))


def square(side: int = 100) -> np.ndarray:
    mask = np.zeros((side, side), np.float32)
    mask[20:80, 20:80] = 1
    return mask


def test_a_speck_is_filled_and_a_handle_is_not():
    mask = square()
    mask[30:33, 30:33] = 0
    mask[45:65, 45:65] = 0
    filled = without_holes(mask)
    assert filled[30:33, 30:33].min() == 1
    assert filled[48:62, 48:62].max() == 0


def test_a_bay_is_no_hole_however_narrow():
    mask = square()
    mask[20:60, 50:52] = 0
    assert (without_holes(mask) == mask).all()


def test_doubt_within_a_thing_is_taken_for_the_thing():
    mask = square()
    mask[40:42, 40:42] = 0.2
    assert without_holes(mask)[40:42, 40:42].min() == 1


@given(arrays(np.float32, SMALL, elements=st.floats(0, 1, width=32)))
def test_a_mask_only_grows(mask: np.ndarray):
    filled = without_holes(mask)
    assert ((filled == mask) | (filled == 1)).all()
