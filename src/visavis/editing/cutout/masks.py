"""Soft masks: resizing, box means, filling small holes, and refinement along the picture's edges.

The guided filter (He, Sun, Tang 2013) fits a rough mask by a linear function of the colours within each small
window. Its coefficients are computed on a reduced copy and applied to the full picture ("fast guided filter").
"""

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


#: Side at which the coefficients are computed: fine enough for hair, small enough for a tenth of a second.
_WORKING_SIDE = 512
#: Least variance of colours within a window that counts as an edge (values in 0..1).
_SMOOTHNESS = 2e-4
#: Alpha below the first becomes 0, above the second 1: removes the haze that the filter leaves.
_HAZE = (0.08, 0.92)
_STRIP = 512


def refine(image: Image.Image, mask: FloatArray) -> Image.Image:
    """Convert a rough mask of any resolution to an ``L`` picture of the image's size that follows its edges."""
    size = within(image.size, _WORKING_SIDE)
    rough = np.clip(resized(without_holes(mask), size), 0, 1)
    if not rough.max() > 0:
        return Image.new("L", image.size, 0)
    guide = np.ascontiguousarray(pixels(image, size).transpose(2, 0, 1))
    slope, offset = _explain(guide, rough, max(2, round(max(size) / 120)))
    if size == image.size:
        return _as_picture(np.sum(slope * guide, axis=0) + offset)
    return _enlarged(image, slope, offset)


def _explain(guide: FloatArray, mask: FloatArray, radius: int) -> tuple[FloatArray, FloatArray]:
    """Return the slope ``[3, h, w]`` and offset of the linear fit around each pixel."""
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    products = [guide[one] * guide[other] for one, other in pairs]
    means = box_mean(np.stack([*guide, mask, *(guide * mask), *products]), radius)
    colours, share = means[:3], means[3]
    shared = means[4:7] - colours * share
    spread = [means[7 + n] - colours[one] * colours[other] for n, (one, other) in enumerate(pairs)]
    slope = _solved(spread, shared)
    offset = share - np.sum(slope * colours, axis=0)
    smooth = box_mean(np.concatenate([slope, offset[None]]), radius)
    return smooth[:3], smooth[3]


def _solved(spread: list[FloatArray], targets: FloatArray) -> FloatArray:
    """Solve three equations at each pixel by cofactors: much faster here than a general solver."""
    xx, xy, xz, yy, yz, zz = (part.astype(np.float64) for part in spread)
    xx, yy, zz = xx + _SMOOTHNESS, yy + _SMOOTHNESS, zz + _SMOOTHNESS
    first, second, third = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    determinant = xx * first + xy * second + xz * third
    fifth, sixth, ninth = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    red, green, blue = targets
    rows = (
        first * red + second * green + third * blue,
        second * red + fifth * green + sixth * blue,
        third * red + sixth * green + ninth * blue,
    )
    return np.stack([row / determinant for row in rows]).astype(np.float32)


def _enlarged(image: Image.Image, slope: FloatArray, offset: FloatArray) -> Image.Image:
    """Apply coefficients of a reduced copy to the full picture, in strips to save memory."""
    width, height = image.size
    result = Image.new("L", image.size)
    planes = [Image.fromarray(np.ascontiguousarray(plane)) for plane in (*slope, offset)]
    ratio = offset.shape[0] / height
    for top in range(0, height, _STRIP):
        bottom = min(height, top + _STRIP)
        guide = pixels(image.crop((0, top, width, bottom)))
        source = (0, top * ratio, offset.shape[1], bottom * ratio)
        red, green, blue, rest = (
            np.asarray(plane.resize((width, bottom - top), Image.Resampling.BILINEAR, box=source)) for plane in planes
        )
        values = guide[..., 0] * red
        values += guide[..., 1] * green
        values += guide[..., 2] * blue
        values += rest
        result.paste(_as_picture(values), (0, top))
    return result


def _as_picture(values: FloatArray) -> Image.Image:
    low, high = _HAZE
    scaled = np.clip((values - low) * (255 / (high - low)), 0, 255)
    return Image.fromarray(np.round(scaled).astype(np.uint8))
