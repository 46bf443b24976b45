"""Small numeric helpers that cutters share: resizing float maps, box means, connected parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FloatArray = NDArray[np.float32]


def resized(values: FloatArray, size: tuple[int, int]) -> FloatArray:
    """A float map at another size given as (width, height)."""
    image = Image.fromarray(np.ascontiguousarray(values, dtype=np.float32))
    return np.asarray(image.resize(size, Image.Resampling.BILINEAR), dtype=np.float32)


def averaged(values: FloatArray, size: tuple[int, int]) -> FloatArray:
    """A float map at a smaller size, each place the mean of what it covers."""
    image = Image.fromarray(np.ascontiguousarray(values, dtype=np.float32))
    return np.asarray(image.resize(size, Image.Resampling.BOX), dtype=np.float32)


def pixels(image: Image.Image, size: tuple[int, int] | None = None) -> FloatArray:
    """RGB values as floats 0..1, ``[height, width, 3]``."""
    rgb = image.convert("RGB")
    if size is not None and size != rgb.size:
        rgb = rgb.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return np.asarray(rgb, dtype=np.float32) / np.float32(255)


def within(size: tuple[int, int], longest: int) -> tuple[int, int]:
    """A size with the same proportion whose longer side is at most ``longest``."""
    factor = min(1.0, longest / max(size))
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def box_mean(values: FloatArray, radius: int) -> FloatArray:
    """The mean over a square window around each place of the last two axes, cut at the borders."""
    return _running_mean(_running_mean(values, radius).swapaxes(-1, -2), radius).swapaxes(-1, -2)


def _running_mean(values: FloatArray, radius: int) -> FloatArray:
    """The mean over a window along the last axis, by sums that run on: the width of the window costs nothing."""
    length = values.shape[-1]
    reach = min(radius, length - 1)
    places = np.arange(length)
    counts = (np.minimum(places + reach, length - 1) - np.maximum(places - reach, 0) + 1).astype(np.float32)
    sums = np.zeros((*values.shape[:-1], length + 2 * reach + 1), np.float64)
    np.cumsum(values, -1, out=sums[..., reach + 1 : reach + 1 + length])
    sums[..., reach + 1 + length :] = sums[..., reach + length : reach + 1 + length]
    windows = sums[..., 2 * reach + 1 :] - sums[..., :length]
    return np.asarray(windows / counts, dtype=np.float32)


def within_reach(hint: FloatArray, size: tuple[int, int]) -> FloatArray:
    """Where a hint allows a thing to be, 0..1: its own places and one cell around them, for it is coarse."""
    padded = np.pad(hint, 1, mode="edge")
    rows, columns = hint.shape
    shifted = [padded[row : row + rows, column : column + columns] for row in range(3) for column in range(3)]
    return np.asarray(np.clip(resized(np.max(shifted, axis=0), size) * 2.5, 0, 1), dtype=np.float32)


def parts(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int32], int]:
    """Number the connected parts (by sides) of a mask from 1 on; 0 is what is not in it."""
    labels = np.zeros(mask.shape, np.int32)
    count = 0
    for start in zip(*np.nonzero(mask), strict=True):
        if labels[start]:
            continue
        count += 1
        labels[start] = count
        stack = [start]
        while stack:
            row, column = stack.pop()
            for place in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                inside = 0 <= place[0] < mask.shape[0] and 0 <= place[1] < mask.shape[1]
                if inside and mask[place] and not labels[place]:
                    labels[place] = count
                    stack.append(place)
    return labels, count
