"""Blurring over a few pixels, and its opposite, in whole numbers: ``detail.wat`` with rows of a picture to work on.

Pillow passes three boxes over the picture, whatever the radius; for a narrow bell, weighing its few neighbours is a
quarter of the work, and nearer to the bell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.editing.operations.machine import Machine, aligned

#: Rows that are blurred at a time: they stay in the cache from the first pass to the second.
_STRIP = 64
#: A 16-bit weight stands eight times in the kernel's table, so that it can be loaded as it is used.
_LANES = 8
#: The kernel works on 16 bytes at a time and may look that far beyond the last one.
_BEYOND = 16


def softened(image: Image.Image, radius: float) -> Image.Image:
    """A picture of bytes blurred over a radius (the bell's standard deviation, in pixels) of at most a few pixels."""
    return _filtered(image, radius, None)


def sharpened(image: Image.Image, radius: float, amount: float) -> Image.Image:
    """What such a blur takes away, made stronger by -100 to 100 percent: an unsharp mask."""
    return _filtered(image, radius, round(amount / 100 * 128))


def _filtered(image: Image.Image, radius: float, strength: int | None) -> Image.Image:
    weights = bell(radius)
    reach = len(weights) - 1
    channels = len(image.getbands())
    stride = (image.width + 2 * reach) * channels
    table = np.repeat(weights, _LANES)
    wide_at = aligned(table.nbytes + _BEYOND)
    size = aligned(stride * (_STRIP + 2 * reach) + 2 * _BEYOND)
    # The second pass looks a little before what the first has written.
    down_at, across_at = wide_at + size + _BEYOND, wide_at + 2 * size
    machine = Machine("detail", wide_at + 3 * size)
    machine.memory[: table.nbytes] = table.view(np.uint8)
    result = np.empty((image.height, image.width * channels), np.uint8)
    for top in range(0, image.height, _STRIP):
        part = result[top : top + _STRIP]
        wide = machine.memory[wide_at : wide_at + (len(part) + 2 * reach) * stride]
        _widen(image, top - reach, wide.reshape(-1, stride // channels, channels))
        begin, count, inner = wide_at + reach * stride, len(part) * stride, reach * channels
        machine.run("soften", begin, begin + count, down_at, stride, 0, table.nbytes)
        machine.run("soften", down_at + inner, down_at + count - inner, across_at, channels, 0, table.nbytes)
        if strength is not None:
            machine.run("strengthen", across_at, across_at + count - 2 * inner, begin + inner, strength)
        done = machine.memory[across_at : across_at + count].reshape(-1, stride)
        part[:] = done[:, : part.shape[1]]
    return Image.frombuffer(image.mode, image.size, result, "raw", image.mode, 0, 1)


def bell(radius: float) -> NDArray[np.uint16]:
    """A Gaussian's weights for distances from 0 on, in whole 256ths: with both sides they add up to 256."""
    distances = np.arange(max(1, round(3 * radius)) + 1)
    heights = np.exp(-0.5 * (distances / radius) ** 2)
    weights: NDArray[np.uint16] = np.rint(256 * heights / (2 * heights.sum() - 1)).astype(np.uint16)
    weights[0] = 256 - 2 * weights[1:].sum()
    return weights


def _widen(image: Image.Image, top: int, rows: NDArray[np.uint8]) -> None:
    """Write rows of a picture from ``top`` on, with its outermost pixels repeated beyond each side."""
    reach = (rows.shape[1] - image.width) // 2
    first, last = max(0, top), min(image.height, top + len(rows))
    part = np.asarray(image.crop((0, first, image.width, last))).reshape(last - first, image.width, -1)
    rows[first - top : last - top, reach : reach + image.width] = part
    rows[: first - top] = rows[first - top]
    rows[last - top :] = rows[last - top - 1]
    rows[:, :reach] = rows[:, reach : reach + 1]
    rows[:, reach + image.width :] = rows[:, reach + image.width - 1 : reach + image.width]
