"""Pixels seen through an affine map: ``affine.wat`` with what it needs in its memory.

NumPy takes twice the time for it, because each of its steps passes all pixels through the cache once more, and Pillow,
pixel by pixel in floating point, three times or more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from visavis.editing.operations.machine import Machine, aligned

Pixels = NDArray[np.uint32]

#: What the kernel is told of each row of the result: where its first pixel lies in the source, and which to compute.
ROW = np.dtype([("x", "<i8"), ("y", "<i8"), ("first", "<i4"), ("end", "<i4")])

_PHASES = 16
#: Behind the tables of weights.
_ROWS_AT = 1024
#: Rows that are computed at a time, and how wide the columns are that they are computed in: small enough for the cache,
#: large enough for calls to cost nothing.
_STRIP = 64
_TILE = 48


def fixed(place: NDArray[np.floating] | float) -> NDArray[np.int64]:
    """Places or steps as the kernel counts them, with 32 binary digits after the point."""
    return np.rint(np.multiply(place, 2.0**32)).astype(np.int64)


def see_through(
    source: tuple[int, int],
    fill: Callable[[Pixels], None],
    rows: NDArray[np.void],
    width: int,
    step: tuple[float, float],
) -> Pixels:
    """The result of an affine map, ``[rows, width]``, four bytes a pixel.

    Args:
        source: Height and width of what is read.
        fill: Writes the source's pixels into an array of that shape, which is gone afterwards.
        rows: A ``ROW`` for each row of the result; pixels that it does not ask for are zero.
        width: How many pixels a row of the result has.
        step: How far apart two neighbours of such a row lie in the source, across and down.
    """
    strip_at = aligned(_ROWS_AT + rows.nbytes)
    source_at = aligned(strip_at + 4 * width * min(_STRIP, len(rows)))
    stride = 4 * _padded(source[1])
    machine = Machine("affine", source_at + stride * source[0])
    _write_weights(machine.memory)
    machine.memory[_ROWS_AT : _ROWS_AT + rows.nbytes] = rows.view(np.uint8)
    fill(_pixels(machine, source_at, (source[0], stride // 4))[:, : source[1]])
    result = np.empty((len(rows), width), np.uint32)
    across, down = (int(fixed(part)) for part in step)
    for top in range(0, len(rows), _STRIP):
        part = result[top : top + _STRIP]
        strip = _pixels(machine, strip_at, (len(part), width))
        strip.fill(0)
        start, end = (_ROWS_AT + ROW.itemsize * row for row in (top, top + len(part)))
        machine.run("rows", source_at, stride, across, down, start, end, strip_at, width, _TILE)
        part[:] = strip
    return result


def _pixels(machine: Machine, start: int, shape: tuple[int, int]) -> Pixels:
    return machine.memory[start : start + 4 * shape[0] * shape[1]].view(np.uint32).reshape(shape)


def _write_weights(memory: NDArray[np.uint8]) -> None:
    """The kernel's two tables: for each sixteenth of a pixel what the near and the far one count."""
    far = np.arange(_PHASES, dtype=np.uint16)
    pairs = np.stack([_PHASES - far, far], axis=1)
    across, down = np.repeat(pairs, 4, axis=1), np.repeat(pairs, 8, axis=1)
    memory[: across.nbytes] = across.reshape(-1).view(np.uint8)
    memory[across.nbytes : across.nbytes + down.nbytes] = down.reshape(-1).view(np.uint8)


def _padded(width: int) -> int:
    """How many pixels to keep for a row of the source, so that the rows' beginnings spread over the whole cache.

    The cache finds a line by its place within a page of 4096 bytes. Rows that begin one line further each do not push
    one another out where a steep run crosses many of them: a turn by 100 degrees takes six tenths of the time.
    """
    page, line = 1024, 16
    return width if width < page else width + (line - width) % page
