"""The rim of a part that got another colour: its pixels show two materials at once, and get their share of the change.

A pixel between black cloth and white ground is grey, which is neither; left as it was it draws a dark line around a
dress that is yellow now. How much of it is cloth is read off its colour, between the cloth and what is beside it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

#: How far a rim reaches to either side, in pixels; how different the two sides are at least, and how far from all that
#: lies between them a pixel is at most (of 255).
_INWARDS, _OUTWARDS, _APART, _MIXED = 1, 2, 24.0, 20.0


def mend_rim(before: Floats, after: Floats, painted: Mask) -> tuple[Mask, Floats]:
    """The pixels of the rim, and their colours.

    Args:
        before: ``[height, width, 3]``.
        after: The same in the new colour, where it is painted.
        painted: What surely is of the material that was painted, ``[height, width]``.
    """
    square = np.ones((3, 3), np.bool_)
    painted = ndimage.binary_opening(painted, square)  # single pixels of its colour are rims of something else
    core = ndimage.binary_erosion(painted, square, _INWARDS, border_value=1)
    beyond = ~ndimage.binary_dilation(painted, square, _OUTWARDS)
    rim = ~core & ~beyond
    if not rim.any() or not core.any() or not beyond.any():
        return rim & False, before[:0].reshape(-1, 3)
    inner, outer = (_nearest(side, rim) for side in (core, beyond))
    own, other, here = before[inner], before[outer], before[rim]
    across = own - other
    length = (across**2).sum(axis=1)
    share = np.clip(((here - other) * across).sum(axis=1) / np.maximum(length, 1.0), 0, 1)
    beside = ((other + share[:, None] * across - here) ** 2).sum(axis=1)  # a third material is no mixture of two
    told = (length > _APART**2) & (beside < _MIXED**2)
    changed = here + share[:, None] * (after[inner] - own)
    rows, columns = np.nonzero(rim)
    rim[rows[~told], columns[~told]] = False
    return rim, np.clip(changed[told], 0, 255)


def _nearest(side: Mask, rim: Mask) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each pixel of a rim the nearest one of a side."""
    at = ndimage.distance_transform_edt(~side, return_distances=False, return_indices=True)
    return at[0][rim], at[1][rim]
