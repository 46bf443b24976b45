"""Refine a rough mask to follow the picture's edges, in full resolution.

The guided filter (He, Sun, Tang 2013) fits the mask by a linear function of the colours within each small
window. Its coefficients are computed on a reduced copy and applied to the full picture ("fast guided filter").
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from visavis.editing.cutout.masks import FloatArray, box_mean, pixels, resized, within, without_holes

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
