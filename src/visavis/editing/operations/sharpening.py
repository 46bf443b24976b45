"""Fine detail made stronger or weaker: an unsharp mask in whole numbers, the same on every machine.

Pillow's own ways are a filter, an enlargement or a blend for each step, and every one of them fills a new picture. Here
a few rows at a time pass through all steps while they lie in the processor's cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

#: As many rows as stay in the cache with all that is computed from them: fewer cost calls, more cost waiting.
_ROWS = 16
#: The bell 1 4 6 4 1, a Gaussian of one pixel, reaches two pixels to each side.
_REACH = 2
_CHANNELS = 3


def sharpened(colours: Image.Image, amount: float) -> Image.Image:
    """An RGB picture with its detail (what a blur over one pixel takes away) strengthened by ``amount`` percent."""
    strength = round(amount / 100 * 128)
    result = np.empty((colours.height, colours.width * _CHANNELS), np.uint8)
    for top in range(0, colours.height, _ROWS):
        rows = _widened(colours, top, min(colours.height, top + _ROWS))
        sharp = rows[_REACH:-_REACH, _REACH * _CHANNELS : -_REACH * _CHANNELS].view(np.int16)
        detail = sharp - _blurred(rows).view(np.int16)
        detail *= strength
        detail += 64  # half of what the next line divides by: rounded, not cut
        detail >>= 7
        detail += sharp
        result[top : top + _ROWS] = np.clip(detail, 0, 255, out=detail)
    return Image.fromarray(result.reshape(colours.height, colours.width, _CHANNELS))


def _widened(colours: Image.Image, top: int, bottom: int) -> NDArray[np.uint16]:
    """Rows of a picture with its outermost pixels repeated beyond each side."""
    first, last = max(0, top - _REACH), min(colours.height, bottom + _REACH)
    part = np.asarray(colours.crop((0, first, colours.width, last)))
    rows = np.empty((bottom - top + 2 * _REACH, colours.width + 2 * _REACH, _CHANNELS), np.uint16)
    rows[:, _REACH:-_REACH] = part[np.clip(np.arange(top - _REACH, bottom + _REACH) - first, 0, last - first - 1)]
    rows[:, :_REACH] = rows[:, _REACH : _REACH + 1]
    rows[:, -_REACH:] = rows[:, -_REACH - 1 : -_REACH]
    return rows.reshape(len(rows), -1)


def _blurred(rows: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Sums of neighbours, four times in each direction: the bell, times 256, which 16 bits just hold."""
    sums = rows
    for _ in range(2 * _REACH):
        sums = sums[1:] + sums[:-1]
    for _ in range(2 * _REACH):
        sums = sums[:, _CHANNELS:] + sums[:, :-_CHANNELS]
    sums += 128
    sums >>= 8
    return sums
