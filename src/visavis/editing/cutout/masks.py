"""Numeric helpers for masks: resizing, box means, filling small holes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

FloatArray = NDArray[np.float32]


def resized(values: FloatArray, size: tuple[int, int]) -> FloatArray:
    """Resize a float map to (width, height)."""
    image = Image.fromarray(np.ascontiguousarray(values, dtype=np.float32))
    return np.asarray(image.resize(size, Image.Resampling.BILINEAR), dtype=np.float32)


def averaged(values: FloatArray, size: tuple[int, int]) -> FloatArray:
    """Reduce a float map by area averaging."""
    image = Image.fromarray(np.ascontiguousarray(values, dtype=np.float32))
    return np.asarray(image.resize(size, Image.Resampling.BOX), dtype=np.float32)


def pixels(image: Image.Image, size: tuple[int, int] | None = None) -> FloatArray:
    """Return RGB values as floats 0..1, ``[height, width, 3]``."""
    rgb = image.convert("RGB")
    if size is not None and size != rgb.size:
        rgb = rgb.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return np.asarray(rgb, dtype=np.float32) / np.float32(255)


def within(size: tuple[int, int], longest: int) -> tuple[int, int]:
    """Return a size with the same proportion whose longer side is at most ``longest``."""
    factor = min(1.0, longest / max(size))
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def box_mean(values: FloatArray, radius: int) -> FloatArray:
    """Return the mean over a square window around each pixel of the last two axes, cropped at the borders."""
    return _running_mean(_running_mean(values, radius).swapaxes(-1, -2), radius).swapaxes(-1, -2)


def _running_mean(values: FloatArray, radius: int) -> FloatArray:
    """Return the mean over a window along the last axis by cumulative sums, in time independent of the window."""
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
    """Return where a hint allows an object to be, 0..1: its own cells and one around them, since it is coarse."""
    padded = np.pad(hint, 1, mode="edge")
    rows, columns = hint.shape
    shifted = [padded[row : row + rows, column : column + columns] for row in range(3) for column in range(3)]
    return np.asarray(np.clip(resized(np.max(shifted, axis=0), size) * 2.5, 0, 1), dtype=np.float32)


#: A hole up to this share of the object's size is filled; a larger one may be a handle or a gap between arm and body.
_LARGEST = 0.01
#: Width of the uncertain border around a hole.
_RIM = 3
_INSIDE = 0.5


def without_holes(mask: FloatArray) -> FloatArray:
    """Fill small holes that are not connected with the outside."""
    free = mask < _INSIDE
    labels, count = ndimage.label(free)
    areas = np.bincount(labels.ravel(), minlength=count + 1)
    small = areas <= _LARGEST * (mask.size - free.sum())
    small[0] = False
    small[np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])] = False  # connected with the outside
    if not small.any():
        return mask
    filled = ndimage.binary_dilation(small[labels], np.ones((2 * _RIM + 1, 2 * _RIM + 1)))
    return np.where(filled, np.float32(1), mask)
