"""Lanczos resampling in integer arithmetic (``resampling.wat``).

The same sums as Pillow's ``resize``, vectorised: a half to a third of the time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.editing.operations.machine import Machine, aligned

#: The Lanczos window: how many zero crossings count to each side.
_LOBES = 3
_ONE = 1 << 14
#: Rows of the result a strip: more repeat fewer rows between strips, fewer stay in the cache.
_STRIP = 64
#: The kernel reads and writes up to this many bytes beyond the requested ones.
_BEYOND = 16


class Taps(NamedTuple):
    """The source pixels of each new one and their weights: ``[new]`` and ``[new, taps]``."""

    starts: NDArray[np.int32]
    weights: NDArray[np.int16]


def resampled(image: Image.Image, size: tuple[int, int], source: tuple[float, float]) -> Image.Image:
    """Resize an RGB, RGBA or RGBa picture.

    Args:
        image: The picture; colours of RGBA are not weighted by alpha here.
        size: Width and height of the result.
        source: Width and height of the source part, from the upper left: the last column and row may count in part.
    """
    across = taps_of(size[0], source[0], image.width)
    down = taps_of(size[1], source[1], image.height)
    strips = [_strip(down, top, min(size[1], top + _STRIP)) for top in range(0, size[1], _STRIP)]
    machine, layout = _prepare(image, size, across, down, max(last - first for _, _, first, last in strips))
    result = np.empty((size[1], size[0]), np.uint32)
    for top, bottom, first, last in strips:
        _load(image, first, last, machine.memory[layout.old :])
        stride = 4 * image.width
        machine.run(
            "across", layout.old, layout.old + (last - first) * stride, stride, layout.middle, size[0],
            layout.across, layout.across + across.starts.nbytes, across.weights.shape[1] // 2,
        )  # fmt: skip
        starts, weights = layout.down, layout.down + down.starts.nbytes
        machine.run(
            "down", layout.middle, first, 4 * size[0], layout.new, 4 * size[0],
            starts + 4 * top, starts + 4 * bottom, weights + down.weights.strides[0] * top, down.weights.shape[1] // 2,
        )  # fmt: skip
        new = machine.memory[layout.new : layout.new + 4 * size[0] * (bottom - top)]
        result[top:bottom] = new.view(np.uint32).reshape(-1, size[0])
    if image.mode == "RGB":
        return Image.frombytes("RGB", size, result, "raw", "RGBX")
    return Image.frombuffer(image.mode, size, result, "raw", image.mode, 0, 1)


def taps_of(count: int, length: float, available: int) -> Taps:
    """Return the Lanczos filter from ``length`` old pixels, of which ``available`` exist, to ``count`` new ones."""
    scale = max(1.0, length / count)
    middles = (np.arange(count) + 0.5) * (length / count)
    reach = _LOBES * scale
    most = min(available, math.ceil(2 * reach))
    starts = np.clip(np.ceil(middles - reach - 0.5), 0, available - most).astype(np.int32)
    distances = (starts[:, None] + np.arange(most) + 0.5 - middles[:, None]) / scale
    heights = np.where(np.abs(distances) < _LOBES, np.sinc(distances) * np.sinc(distances / _LOBES), 0.0)
    exact = heights / heights.sum(axis=1, keepdims=True) * _ONE
    weights = np.rint(exact).astype(np.int16)
    # The rounding error goes to the largest weight: a flat colour stays unchanged.
    weights[np.arange(count), weights.argmax(axis=1)] += (_ONE - weights.sum(axis=1)).astype(np.int16)
    return Taps(starts, np.ascontiguousarray(np.pad(weights, ((0, 0), (0, most % 2)))))


class _Layout(NamedTuple):
    """The offsets in memory of the tables, and of the rows before, between and after the two passes."""

    across: int
    down: int
    old: int
    middle: int
    new: int


def _prepare(image: Image.Image, size: tuple[int, int], across: Taps, down: Taps, rows: int) -> tuple[Machine, _Layout]:
    """Return a machine with its tables written, and space for the source rows of one strip."""
    sizes = [
        across.starts.nbytes + across.weights.nbytes,
        down.starts.nbytes + down.weights.nbytes,
        4 * image.width * rows,
        4 * size[0] * (rows + 1),
        4 * size[0] * min(_STRIP, size[1]),
    ]
    ends = np.cumsum([aligned(part + _BEYOND) for part in sizes]).tolist()
    layout = _Layout(0, *ends[:-1])
    machine = Machine("resampling", ends[-1])
    for place, taps in ((layout.across, Taps(across.starts * 4, across.weights)), (layout.down, down)):
        table = np.concatenate([part.reshape(-1).view(np.uint8) for part in taps])
        machine.memory[place : place + table.nbytes] = table
    return machine, layout


def _strip(down: Taps, top: int, bottom: int) -> tuple[int, int, int, int]:
    """Return a range of new rows, and the source rows they need."""
    return top, bottom, int(down.starts[top]), int(down.starts[bottom - 1]) + down.weights.shape[1]


def _load(image: Image.Image, first: int, last: int, memory: NDArray[np.uint8]) -> None:
    """Write rows of a picture; those beyond its end have no weight and are left unchanged."""
    strip = image.crop((0, first, image.width, min(last, image.height)))
    raw = strip.tobytes("raw", "RGBX" if image.mode == "RGB" else image.mode)
    memory[: len(raw)] = np.frombuffer(raw, np.uint8)
