"""Blur, sharpening and vignette; small radii in integer arithmetic (``detail.wat``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops

from visavis.editing.operations.machine import Machine, aligned

IDENTITY = tuple(range(256))
Table = tuple[int, ...]
#: Rows a strip: they stay in the cache from the first pass to the second.
_STRIP = 64
#: A 16-bit weight is repeated eight times in the kernel's table, so that it can be loaded as a vector.
_LANES = 8
#: The kernel works on 16 bytes at a time and may read that far beyond the last one.
_BEYOND = 16


def table(function: Callable[[float], float]) -> Table:
    """Tabulate a function for 0..255, rounded and clipped to 0..255."""
    return tuple(max(0, min(255, int(function(value) + 0.5))) for value in range(256))


@lru_cache(maxsize=64)
def gain(factor: float, pivot: float = 0.0) -> Table:
    """Return a table that multiplies distances from a pivot by a factor."""
    return table(lambda value: pivot + (value - pivot) * factor)


def by_tables(image: Image.Image, tables: Sequence[Table]) -> Image.Image:
    """Apply one table to each of red, green and blue."""
    red, green, blue = tables
    alpha = IDENTITY if image.mode == "RGBA" else ()
    return image.point((*red, *green, *blue, *alpha))


def by_table(image: Image.Image, one: Table) -> Image.Image:
    """Apply the same table to red, green and blue."""
    return by_tables(image, (one, one, one))


def on_colours(image: Image.Image, function: Callable[[Image.Image], Image.Image]) -> Image.Image:
    """Apply a function of RGB, and keep the picture's alpha."""
    if image.mode != "RGBA":
        return function(image)
    result = function(image.convert("RGB"))
    result.putalpha(image.getchannel("A"))
    return result


def enlarged(small: Image.Image, size: tuple[int, int], factor: int) -> Image.Image:
    """Enlarge a reduced picture to its old size; its last row and column may cover less than ``factor`` pixels."""
    return small.resize(size, Image.Resampling.BILINEAR, box=(0, 0, size[0] / factor, size[1] / factor))


def softened(image: Image.Image, radius: float) -> Image.Image:
    """Blur an 8-bit picture with a Gaussian of a small standard deviation, in pixels."""
    return _filtered(image, radius, None)


def sharpened(image: Image.Image, radius: float, amount: float) -> Image.Image:
    """Apply an unsharp mask of -100 to 100 percent."""
    return _filtered(image, radius, round(amount / 100 * 128))


def _filtered(image: Image.Image, radius: float, strength: int | None) -> Image.Image:
    weights = bell(radius)
    reach = len(weights) - 1
    channels = len(image.getbands())
    stride = (image.width + 2 * reach) * channels
    table = np.repeat(weights, _LANES)
    wide_at = aligned(table.nbytes + _BEYOND)
    size = aligned(stride * (_STRIP + 2 * reach) + 2 * _BEYOND)
    # The second pass reads a little before what the first has written.
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
    """Return a Gaussian's weights for distances from 0 on, in 256ths: with both sides they add up to 256."""
    distances = np.arange(max(1, round(3 * radius)) + 1)
    heights = np.exp(-0.5 * (distances / radius) ** 2)
    weights: NDArray[np.uint16] = np.rint(256 * heights / (2 * heights.sum() - 1)).astype(np.uint16)
    weights[0] = 256 - 2 * weights[1:].sum()
    while weights[0] < weights[1:].max():  # rounding took too much from the middle
        weights[1 + int(weights[1:].argmax())] -= 1
        weights[0] += 2
    return weights


def _widen(image: Image.Image, top: int, rows: NDArray[np.uint8]) -> None:
    """Write rows of a picture from ``top`` on, with its border pixels repeated beyond each side."""
    reach = (rows.shape[1] - image.width) // 2
    first, last = max(0, top), min(image.height, top + len(rows))
    part = np.asarray(image.crop((0, first, image.width, last))).reshape(last - first, image.width, -1)
    rows[first - top : last - top, reach : reach + image.width] = part
    rows[: first - top] = rows[first - top]
    rows[last - top :] = rows[last - top - 1]
    rows[:, :reach] = rows[:, reach : reach + 1]
    rows[:, reach + image.width :] = rows[:, reach + image.width - 1 : reach + image.width]


#: The longer side divided by this is the radius in pixels for an amount of one.
_BLUR_UNIT = 5000
#: Up to this radius, in pixels, convolution is faster than a reduced copy.
_NARROW = 3.0


def blur(image: Image.Image, amount: float) -> Image.Image:
    """Blur by 0..100, relative to the picture: 50 blurs over one hundredth of the longer side."""
    radius = blur_radius(image.size, amount)
    if radius == 0:
        return image.copy()
    if image.mode == "RGBA":  # premultiplied alpha: invisible colours must not bleed into visible ones
        return _blurred(image.convert("RGBa"), radius).convert("RGBA")
    return _blurred(image, radius)


def blur_where(image: Image.Image, amount: float, mask: Image.Image) -> Image.Image:
    """Blur only what the mask covers, without colours of the rest bleeding into it."""
    radius = blur_radius(image.size, amount)
    if radius == 0:
        return image.copy()
    part = image.convert("RGB")
    # A small weight everywhere gives pixels far from the mask a colour too, so that no hole opens at soft edges.
    weight = mask.point(lambda value: max(2, value))
    part.putalpha(weight)
    soft = _blurred(part.convert("RGBa"), radius).convert("RGBA").convert("RGB")
    return on_colours(image, lambda colours: Image.composite(soft, colours, mask))


def blur_radius(size: tuple[int, int], amount: float) -> float:
    """Return the radius in pixels of an amount for a picture of this size."""
    return amount * max(size) / _BLUR_UNIT


def vignette(image: Image.Image, amount: float) -> Image.Image:
    """Darken towards the corners by 0..100; the middle stays unchanged."""
    # Pillow's radial gradient is 0 in the middle and 255 from the edges' middles on, in a square of 256.
    dark = Image.radial_gradient("L").point(lambda far: int(255 * (max(0, far - 70) / 185) ** 1.6 * amount / 100))
    shade = ImageChops.invert(dark).resize(image.size, Image.Resampling.BILINEAR)
    return on_colours(image, lambda colours: ImageChops.multiply(colours, Image.merge("RGB", (shade, shade, shade))))


def _blurred(image: Image.Image, radius: float) -> Image.Image:
    """Apply a Gaussian blur; a wide one on a reduced copy, which looks the same in a tenth of the time."""
    if radius <= _NARROW:
        return softened(image, radius)
    factor = min(16, max(2, int(radius / 2.5)))
    # Reducing and enlarging blur as well: by a box, and by a triangle twice as wide, whose variances add up.
    own = (factor**2 - 1) / 12 + factor**2 / 6
    small = softened(image.reduce(factor), math.sqrt(radius**2 - own) / factor)
    return enlarged(small, image.size, factor)
