"""Turning by a free angle: every new pixel is the bilinear mean of the four old ones around it, in whole numbers.

Pillow computes this with floating point, pixel by pixel, and cuts what it should round; here whole rows go through
NumPy at once, in about six tenths of the time. Places and weights are sixteenths of a pixel, so a pixel's four weights
add up to 256 and sums of four channels fit into 16 bits: two channels side by side in each of two arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

#: From a place of the result back to the picture, as Pillow's AFFINE has it: x = a x' + b y' + c, y = d x' + e y' + f.
Affine = tuple[float, float, float, float, float, float]
#: Which columns of each row of the result are computed: first, and one beyond the last.
Spans = NDArray[np.int64]

_PHASES = 16
#: Rows that are taken over from Pillow at a time: they stay in the cache on their way through three copies.
_STRIP = 16
_OPAQUE = np.frombuffer(bytes((0, 0, 0, 255)), np.uint32)[0]


class _Steps(NamedTuple):
    """The way along a row in one direction, from each sixteenth of a pixel that it may start at."""

    offsets: NDArray[np.int64]
    weights: NDArray[np.uint16]


def spans_inside(size: tuple[int, int], canvas: tuple[int, int], back: Affine) -> Spans:
    """The columns of each row of a canvas whose pixels lie within the picture, ``[height, 2]``."""
    across, down = _starts(back, canvas[1])
    bounds = []
    for step, starts, length in ((back[0], across, size[0]), (back[3], down, size[1])):
        ends = np.stack([-starts / step, (length - 1 - starts) / step])
        bounds.append((ends.min(axis=0), ends.max(axis=0)))
    first = np.ceil(np.maximum(0, np.maximum(bounds[0][0], bounds[1][0])))
    last = np.floor(np.minimum(canvas[0] - 1, np.minimum(bounds[0][1], bounds[1][1])))
    return np.stack([first, np.maximum(first, last + 1)], axis=1).astype(np.int64)


def frame_of(spans: Spans, width: int) -> Image.Image:
    """Where a turned picture lies on its canvas, as an alpha channel."""
    columns = np.arange(width)
    inside = (columns >= spans[:, :1]) & (columns < spans[:, 1:])
    return Image.fromarray(inside.astype(np.uint8) * np.uint8(255))


def turned(image: Image.Image, size: tuple[int, int], back: Affine, spans: Spans | None = None) -> NDArray[np.uint8]:
    """An opaque RGB picture seen through an affine map, ``[height, width, 4]``.

    Args:
        image: The picture.
        size: Width and height of the result.
        back: From the result to the picture.
        spans: What of each row is computed and given full alpha; the rest stays empty. When not given, all of it is
            computed, and the fourth channel means nothing.
    """
    width, height = size
    source = _framed(image)
    stride = source.shape[1]
    taps = [source.reshape(-1)[offset:] for offset in (0, 1, stride, stride + 1)]
    across, down = _steps(back[0], width, 1), _steps(back[3], width, stride)
    starts = [np.floor((place + 1) * _PHASES + 0.5).astype(np.int64) for place in _starts(back, height)]
    result = (np.empty if spans is None else np.zeros)((height, width), np.uint32)
    room = _Room.of(width)
    for row in range(height):
        first, end = (0, width) if spans is None else spans[row]
        if end <= first:
            continue
        (column, x), (line, y) = (divmod(int(start[row]), _PHASES) for start in starts)
        part = room.cut(end - first)
        np.add(across.offsets[x, first:end], down.offsets[y, first:end], out=part.places)
        np.add(part.places, line * stride + column, out=part.places)
        for pixels, tap in zip(part.pixels, taps, strict=True):
            tap.take(part.places, out=pixels, mode="clip")
        lanes, made = slice(2 * first, 2 * end), result[row, first:end]
        _blend(part, across.weights[x, :, lanes], down.weights[y, :, lanes], made.view(np.uint16))
        if spans is not None:
            np.bitwise_or(made, _OPAQUE, out=made)
    return result.view(np.uint8).reshape(height, width, 4)


class _Room(NamedTuple):
    """Where a row is worked on, kept from row to row."""

    places: NDArray[np.int64]
    pixels: NDArray[np.uint32]
    halves: NDArray[np.uint16]

    @classmethod
    def of(cls, width: int) -> _Room:
        return cls(np.empty(width, np.int64), np.empty(4 * width, np.uint32), np.empty(16 * width, np.uint16))

    def cut(self, width: int) -> _Room:
        """The room for a shorter row."""
        pixels, halves = self.pixels[: 4 * width], self.halves[: 16 * width]
        return _Room(self.places[:width], pixels.reshape(4, width), halves.reshape(2, 2, 2, 2 * width))


def _blend(part: _Room, across: NDArray[np.uint16], down: NDArray[np.uint16], out: NDArray[np.uint16]) -> None:
    """The weighted mean of four pixels: upper left, upper right, lower left, lower right."""
    lanes = part.pixels.view(np.uint16).reshape(part.halves.shape[1:])
    np.bitwise_and(lanes, 255, out=part.halves[0])
    np.right_shift(lanes, 8, out=part.halves[1])
    np.multiply(part.halves, across, out=part.halves)
    rows = part.halves[:, :, 0]
    np.add(rows, part.halves[:, :, 1], out=rows)
    np.multiply(rows, down, out=rows)
    sums = rows[:, 0]
    np.add(sums, rows[:, 1], out=sums)
    np.add(sums, 128, out=sums)
    np.right_shift(sums[0], 8, out=sums[0])
    np.bitwise_and(sums[1], 0xFF00, out=sums[1])
    np.bitwise_or(sums[0], sums[1], out=out)


def _starts(back: Affine, height: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the middle of each row's first pixel lies in the picture, counted from the middle of its first pixel."""
    a, b, c, d, e, f = back
    rows = np.arange(height, dtype=np.float64) + 0.5
    return rows * b + (a * 0.5 + c - 0.5), rows * e + (d * 0.5 + f - 0.5)


def _steps(step: float, count: int, stride: int) -> _Steps:
    places = np.floor(np.arange(count) * (step * _PHASES) + 0.5).astype(np.int64) + np.arange(_PHASES)[:, None]
    part = np.repeat((places % _PHASES).astype(np.uint16), 2, axis=1)
    return _Steps(places // _PHASES * stride, np.stack([_PHASES - part, part], axis=1))


def _framed(image: Image.Image) -> NDArray[np.uint32]:
    """The pixels, four bytes each, with the outermost repeated once before and twice behind them."""
    width, height = image.size
    framed = np.empty((height + 3, width + 3), np.uint32)
    for top in range(0, height, _STRIP):
        strip = image.crop((0, top, width, min(height, top + _STRIP)))
        values = np.frombuffer(strip.tobytes("raw", "RGBX"), np.uint32).reshape(strip.height, width)
        framed[top + 1 : top + 1 + strip.height, 1:-2] = values
    framed[1:-2, 0] = framed[1:-2, 1]
    framed[1:-2, -2:] = framed[1:-2, -3:-2]
    framed[0] = framed[1]
    framed[-2:] = framed[-3]
    return framed
