"""From a rough mask to one that follows the picture's edges, in full resolution.

The guided filter (He, Sun, Tang 2013) explains the mask as a linear function of the colours within each small
window. Its coefficients are computed on a reduced copy and applied to the full picture ("fast guided filter").
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from visavis.editing.cutout.arrays import FloatArray, box_mean, pixels, resized, within

#: Side at which the coefficients are computed: fine enough for hair, small enough for a tenth of a second.
_WORKING_SIDE = 640
#: How much colour must vary within a window to count as an edge (variance of values in 0..1).
_SMOOTHNESS = 2e-4
#: Alpha below the first is nothing, above the second is everything: removes the haze that the filter leaves.
_HAZE = (0.08, 0.92)
_STRIP = 512


def refine(image: Image.Image, mask: FloatArray) -> Image.Image:
    """A rough mask of any resolution as an ``L`` picture of the image's size that follows its edges."""
    size = within(image.size, _WORKING_SIDE)
    guide = pixels(image, size)
    rough = np.clip(resized(mask, size), 0, 1)
    if not rough.max() > 0:
        return Image.new("L", image.size, 0)
    radius = max(2, round(max(size) / 120))
    slope, offset = _explain(guide, rough, radius)
    if size == image.size:
        return _as_picture(np.sum(slope * guide, axis=2) + offset)
    return _enlarged(image, slope, offset)


def _explain(guide: FloatArray, mask: FloatArray, radius: int) -> tuple[FloatArray, FloatArray]:
    """For each place the slope and offset by which colours explain the mask around it."""
    mean_guide, mean_mask = box_mean(guide, radius), box_mean(mask, radius)
    covariance = box_mean(guide * mask[..., None], radius) - mean_guide * mean_mask[..., None]
    pairs = box_mean((guide[..., :, None] * guide[..., None, :]).reshape(*guide.shape[:2], 9), radius)
    spread = pairs.reshape(*guide.shape[:2], 3, 3) - mean_guide[..., :, None] * mean_guide[..., None, :]
    spread += _SMOOTHNESS * np.eye(3, dtype=np.float32)
    exact = np.linalg.solve(spread.astype(np.float64), covariance[..., None].astype(np.float64))[..., 0]
    slope: FloatArray = exact.astype(np.float32)
    offset = mean_mask - np.sum(slope * mean_guide, axis=2)
    return box_mean(slope, radius), box_mean(offset, radius)


def _enlarged(image: Image.Image, slope: FloatArray, offset: FloatArray) -> Image.Image:
    """Apply coefficients of a reduced copy to the full picture, strip by strip to spare memory."""
    width, height = image.size
    result = Image.new("L", image.size)
    planes = [Image.fromarray(np.ascontiguousarray(slope[..., channel])) for channel in range(3)]
    planes.append(Image.fromarray(np.ascontiguousarray(offset)))
    ratio = slope.shape[0] / height
    for top in range(0, height, _STRIP):
        bottom = min(height, top + _STRIP)
        guide = pixels(image.crop((0, top, width, bottom)))
        source = (0, top * ratio, slope.shape[1], bottom * ratio)
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
