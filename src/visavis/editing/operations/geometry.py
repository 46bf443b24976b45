"""Turning, mirroring, cropping and resizing."""

from __future__ import annotations

import math

from PIL import Image

from visavis.editing.operations.resampling import resampled
from visavis.editing.operations.turning import Back, turned
from visavis.errors import BadInputError

Box = tuple[int, int, int, int]

#: Larger pictures are refused: 20,000 x 20,000 RGB pixels are 1.2 GB.
MOST_PIXELS = 400_000_000

_QUARTERS = {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}


def rotate(image: Image.Image, degrees: float) -> Image.Image:
    """Turn counter-clockwise on a canvas that grows with it; quarter turns are exact.

    Between quarter turns the new corners are transparent, so the result has an alpha channel.
    """
    turn = degrees % 360
    if turn == 0:
        return image.copy()
    if turn in _QUARTERS:
        return image.transpose(_QUARTERS[int(turn)])
    canvas, back = _turned_canvas(image.size, turn)
    _check_size(canvas)
    return turned(image, canvas, back)


def _turned_canvas(size: tuple[int, int], degrees: float) -> tuple[tuple[int, int], Back]:
    """The canvas that a turned picture needs, as large as Pillow's, and the way back from it."""
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    width, height = size
    reach = (abs(cos) * width + abs(sin) * height) / 2, (abs(sin) * width + abs(cos) * height) / 2
    wide, high = (math.ceil(side / 2 + far) - math.floor(side / 2 - far) for side, far in zip(size, reach, strict=True))
    across, down = -wide / 2, -high / 2
    return (wide, high), (
        cos, -sin, cos * across - sin * down + width / 2,
        sin, cos, sin * across + cos * down + height / 2,
    )  # fmt: skip


def straighten(image: Image.Image, degrees: float) -> Image.Image:
    """Turn counter-clockwise by a small angle and crop to the largest rectangle without empty corners."""
    if degrees == 0:
        return image.copy()
    width, height = inscribed_size(image.size, degrees)
    left, top = (image.width - width) // 2, (image.height - height) // 2
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    across, down = left - image.width / 2, top - image.height / 2
    # Only what stays is computed: from each place of the result back to where it was before the turn.
    back = (
        cos, -sin, cos * across - sin * down + image.width / 2,
        sin, cos, sin * across + cos * down + image.height / 2,
    )  # fmt: skip
    return turned(image, (width, height), back, endless=True).convert(image.mode)


def inscribed_size(size: tuple[int, int], degrees: float) -> tuple[int, int]:
    """The largest upright rectangle, of the same proportion, inside a picture turned by an angle."""
    angle = math.radians(abs(degrees))
    width, height = size
    shrink = min(
        width / (width * math.cos(angle) + height * math.sin(angle)),
        height / (width * math.sin(angle) + height * math.cos(angle)),
    )
    return max(1, int(width * shrink)), max(1, int(height * shrink))


def flip(image: Image.Image, axis: str) -> Image.Image:
    """Mirror left and right (horizontal) or top and bottom (vertical)."""
    return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT if axis == "horizontal" else Image.Transpose.FLIP_TOP_BOTTOM)


def crop(image: Image.Image, box: Box) -> Image.Image:
    """Keep a box of pixels, cut to the picture; a box that misses the picture is an error."""
    left, top, right, bottom = box
    right, bottom = min(right, image.width), min(bottom, image.height)
    if left >= right or top >= bottom:
        raise BadInputError(
            f"The box {left} {top} {box[2]} {box[3]} lies outside the picture ({image.width} x {image.height} pixels).",
            "Give left, top, right and bottom within it.",
        )
    return image.crop((left, top, right, bottom))


def crop_to_aspect(image: Image.Image, aspect: tuple[int, int], around: Box | None = None) -> Image.Image:
    """Keep the largest part with a proportion: in the middle, or as near as can be to the middle of a box."""
    width = min(image.width, max(1, round(image.height * aspect[0] / aspect[1])))
    height = min(image.height, max(1, round(image.width * aspect[1] / aspect[0])))
    box = around or (0, 0, image.width, image.height)
    left = min(max(0, (box[0] + box[2] - width) // 2), image.width - width)
    top = min(max(0, (box[1] + box[3] - height) // 2), image.height - height)
    return image.crop((left, top, left + width, top + height))


def resize(image: Image.Image, width: int | None, height: int | None) -> Image.Image:
    """Set the size in pixels; a side that is not given follows in proportion."""
    wide = width or max(1, round(image.width * (height or image.height) / image.height))
    high = height or max(1, round(image.height * (width or image.width) / image.width))
    return _resized(image, (wide, high))


def scale(image: Image.Image, percent: float) -> Image.Image:
    """Make larger or smaller by a percentage of the present size."""
    return _resized(image, (max(1, round(image.width * percent / 100)), max(1, round(image.height * percent / 100))))


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    _check_size(size)
    if size == image.size:
        return image.copy()
    if image.mode == "I;16":
        return image.resize(size, Image.Resampling.LANCZOS)
    if image.mode == "RGBA":  # colours weighted by alpha, or what cannot be seen would show at the rim of what can
        return _resized(image.convert("RGBa"), size).convert("RGBA")
    # Averaging whole blocks first, as far as twice the wanted size, saves half of the time and cannot be seen.
    across, down = (max(1, old // (2 * new)) for old, new in zip(image.size, size, strict=True))
    source = image.width / across, image.height / down
    return resampled(image.reduce((across, down)) if across * down > 1 else image, size, source)


def _check_size(size: tuple[int, int]) -> None:
    if size[0] * size[1] > MOST_PIXELS:
        raise BadInputError(
            f"A picture of {size[0]} x {size[1]} pixels is too large.",
            f"Stay below {MOST_PIXELS // 1_000_000} megapixels.",
        )
