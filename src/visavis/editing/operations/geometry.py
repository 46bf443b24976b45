"""Rotation, mirroring, cropping, resizing; and the tilt of a picture, from the directions of its edges."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from visavis.editing.operations.machine import Machine, aligned
from visavis.editing.operations.rotation import Back, turned
from visavis.errors import BadInputError
from visavis.language.commands.edits import Crop, Resize

#: The Lanczos window: how many zero crossings count to each side.
_LOBES = 3
_ONE = 1 << 14
#: Rows of the result a strip: more repeat fewer rows between strips, fewer stay in the cache.
_STRIP = 64
#: The kernel reads and writes up to this many bytes beyond the requested ones.
_BEYOND = 16
Box = tuple[int, int, int, int]

#: Larger pictures are refused: 20,000 x 20,000 RGB pixels are 1.2 GB.
MOST_PIXELS = 400_000_000

_QUARTERS = {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}


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


def rotate(image: Image.Image, degrees: float) -> Image.Image:
    """Rotate counter-clockwise and enlarge the canvas to fit; multiples of 90 degrees are exact.

    Otherwise the new corners are transparent, so the result has an alpha channel.
    """
    turn = degrees % 360
    if turn == 0:
        return image.copy()
    if turn in _QUARTERS:
        return image.transpose(_QUARTERS[int(turn)])
    canvas, back = _turned_canvas(image.size, turn)
    check_size(canvas)
    return turned(image, canvas, back)


def size_rotated(size: tuple[int, int], degrees: float) -> tuple[int, int]:
    """Return the size that `rotate` makes of one."""
    return _turned_canvas(size, degrees % 360)[0]


def _turned_canvas(size: tuple[int, int], degrees: float) -> tuple[tuple[int, int], Back]:
    """Return the canvas of a rotated picture, the same size as Pillow's, and the inverse map."""
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
    """Rotate counter-clockwise by a small angle and crop to the largest rectangle without empty corners."""
    if degrees == 0:
        return image.copy()
    width, height = inscribed_size(image.size, degrees)
    left, top = (image.width - width) // 2, (image.height - height) // 2
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    across, down = left - image.width / 2, top - image.height / 2
    # Only the cropped part is computed.
    back = (
        cos, -sin, cos * across - sin * down + image.width / 2,
        sin, cos, sin * across + cos * down + image.height / 2,
    )  # fmt: skip
    return turned(image, (width, height), back, endless=True).convert(image.mode)


def inscribed_size(size: tuple[int, int], degrees: float) -> tuple[int, int]:
    """Return the largest upright rectangle, of the same proportion, inside a rotated picture."""
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
    """Keep a box of pixels, clipped to the picture; a box outside the picture is an error."""
    left, top, right, bottom = box
    right, bottom = min(right, image.width), min(bottom, image.height)
    if left >= right or top >= bottom:
        raise BadInputError(
            f"The box {left} {top} {box[2]} {box[3]} lies outside the picture ({image.width} x {image.height} pixels).",
            "Give left, top, right and bottom within it.",
        )
    return image.crop((left, top, right, bottom))


def crop_to_aspect(image: Image.Image, aspect: tuple[int, int], around: Box | None = None) -> Image.Image:
    """Crop to the largest part with a proportion: in the middle, or as near as possible to the middle of a box."""
    width = min(image.width, max(1, round(image.height * aspect[0] / aspect[1])))
    height = min(image.height, max(1, round(image.width * aspect[1] / aspect[0])))
    box = around or (0, 0, image.width, image.height)
    left = min(max(0, (box[0] + box[2] - width) // 2), image.width - width)
    top = min(max(0, (box[1] + box[3] - height) // 2), image.height - height)
    return image.crop((left, top, left + width, top + height))


def resize(image: Image.Image, width: int | None, height: int | None) -> Image.Image:
    """Set the size in pixels; a missing side follows in proportion."""
    return _resized(image, size_after(image.size, width, height, None))


def scale(image: Image.Image, percent: float) -> Image.Image:
    """Scale by a percentage of the current size."""
    return _resized(image, size_after(image.size, None, None, percent))


def size_after(size: tuple[int, int], width: int | None, height: int | None, percent: float | None) -> tuple[int, int]:
    """The size that a picture of this size gets in pixels, where a missing side follows in proportion, or in percent.

    >>> size_after((40, 30), 80, None, None), size_after((40, 30), None, None, 50)
    ((80, 60), (20, 15))
    """
    if percent is not None:
        return max(1, round(size[0] * percent / 100)), max(1, round(size[1] * percent / 100))
    wide = width or max(1, round(size[0] * (height or size[1]) / size[1]))
    high = height or max(1, round(size[1] * (width or size[0]) / size[0]))
    return wide, high


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    check_size(size)
    if size == image.size:
        return image.copy()
    if image.mode == "I;16":
        return image.resize(size, Image.Resampling.LANCZOS)
    if image.mode == "RGBA":  # premultiplied alpha: invisible colours must not show at the border of visible ones
        return _resized(image.convert("RGBa"), size).convert("RGBA")
    # Averaging whole blocks first, down to twice the target size, halves the time without visible loss.
    across, down = (max(1, old // (2 * new)) for old, new in zip(image.size, size, strict=True))
    source = image.width / across, image.height / down
    return resampled(image.reduce((across, down)) if across * down > 1 else image, size, source)


def check_size(size: tuple[int, int], most: int = MOST_PIXELS) -> None:
    """Refuse a picture of more pixels."""
    if size[0] * size[1] > most:
        raise BadInputError(
            f"A picture of {size[0]} x {size[1]} pixels is too large.",
            f"Stay below {most // 1_000_000} megapixels.",
        )


#: A larger tilt counts as intended.
MOST_TILT = 12.0
#: A smaller one is invisible, and rotation costs sharpness and a border.
_LEAST_TILT = 0.3
_SIDE, _BIN = 640, 0.25
#: The strongest direction must exceed the median this many times, or nothing is changed.
_CLEAR = 2.2


def tilt(image: Image.Image) -> float:
    """Return the angle in degrees, counter-clockwise, that levels the picture; 0 when no direction dominates."""
    small = image.convert("L")
    small.thumbnail((_SIDE, _SIDE), Image.Resampling.BOX)
    if min(small.size) < 32:
        return 0.0
    # Without smoothing, slanted edges are staircases, and all of their steps are level.
    histogram = _directions(np.asarray(small.filter(ImageFilter.GaussianBlur(2)), dtype=np.float32))
    smooth = np.convolve(np.pad(histogram, 4, mode="edge"), _bell(4), mode="valid")
    best = int(smooth.argmax())
    usual = float(np.median(smooth))
    # A peak at the end of the range is the flank of a direction outside it.
    if smooth[best] < _CLEAR * usual or best in (0, len(smooth) - 1):
        return 0.0
    angle = round((best + 0.5) * _BIN - MOST_TILT, 2)
    return angle if abs(angle) >= _LEAST_TILT else 0.0


def _directions(light: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the edge strength by angle from -MOST_TILT to MOST_TILT, near level or upright."""
    across = light[1:-1, 2:] - light[1:-1, :-2]
    down = light[2:, 1:-1] - light[:-2, 1:-1]
    strength = np.hypot(across, down)
    strong = strength > max(3.0, float(np.quantile(strength, 0.85)))
    # An edge is perpendicular to its gradient; modulo 90 degrees, level and upright edges count together.
    angles = np.degrees(np.arctan2(down[strong], across[strong]))
    turned = (angles + 45) % 90 - 45
    bins = round(2 * MOST_TILT / _BIN)
    counts, _ = np.histogram(turned, bins, (-MOST_TILT, MOST_TILT), weights=strength[strong])
    return counts


def _bell(reach: int) -> NDArray[np.float64]:
    values = np.exp(-0.5 * (np.arange(-reach, reach + 1) / 1.5) ** 2)
    return np.asarray(values / values.sum())


def cropped(image: Image.Image, command: Crop) -> Image.Image:
    """Crop to the box or to the shape of a command that names no thing."""
    if command.box is not None:
        return crop(image, command.box)
    assert command.aspect is not None, "the command has a box, an aspect or a target"
    return crop_to_aspect(image, command.aspect)


def resized(image: Image.Image, command: Resize) -> Image.Image:
    """Resize by the share or to the sides of a command."""
    if command.percent is not None:
        return scale(image, command.percent)
    return resize(image, command.width, command.height)
