"""Outlines, and a canvas to paint them on: anti-aliased masks, blending and soft shadows, in numpy and Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFilter

Outline = NDArray[np.float64]
Segment = Sequence[float]
#: One value a pixel, ``[rows, columns]``.
Plane = NDArray[np.float32]
#: Three planes, ``[3, rows, columns]``: numpy works much faster on whole planes than on interleaved pixels.
Planes = NDArray[np.float32]
#: Supersampling factor of masks, for anti-aliasing.
_SUPERSAMPLING = 4


def curve(start: tuple[float, float], *segments: Segment, steps: int = 12) -> Outline:
    """Return a line of segments: 2 numbers are a straight line, 4 a quadratic and 6 a cubic Bézier."""
    points = [np.array([start], dtype=float)]
    for segment in segments:
        controls = np.concatenate([points[-1][-1:], np.reshape(segment, (-1, 2))])
        points.append(_bezier(controls, 1 if len(controls) == 2 else steps))
    return np.concatenate(points)


def _bezier(controls: Outline, steps: int) -> Outline:
    t = np.linspace(0, 1, steps + 1)[1:, None]
    while len(controls) > 1 and controls.ndim == 2:
        controls = controls[:, None, :] * np.ones((1, len(t), 1))
    while len(controls) > 1:  # de Casteljau: stable and short
        controls = controls[:-1] * (1 - t) + controls[1:] * t
    flattened: Outline = controls[0]
    return flattened


def flip(points: ArrayLike) -> Outline:
    """Mirror at the axis x = 0, in reverse order so that it continues the other half."""
    return np.asarray(points, dtype=float)[::-1] * (-1, 1)


def symmetric(half: Outline) -> Outline:
    """Return a closed outline from its right half, given from top to bottom."""
    return np.concatenate([half, flip(half)])


def ribbon(line: ArrayLike, width: float, end_width: float | None = None) -> Outline:
    """Return a band along a line, tapering from ``width`` to ``end_width``."""
    points = np.asarray(line, dtype=float)
    along = np.gradient(points, axis=0)
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / length
    half = np.linspace(width, width if end_width is None else end_width, len(points))[:, None] / 2
    return np.concatenate([points + normal * half, (points - normal * half)[::-1]])


def ellipse(x: float, y: float, rx: float, ry: float, steps: int = 40) -> Outline:
    """Return an ellipse around a point."""
    angle = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    return np.stack([x + rx * np.cos(angle), y + ry * np.sin(angle)], axis=1)


def shifted(points: ArrayLike, x: float, y: float) -> Outline:
    """Translate points."""
    return np.add(points, (x, y))


def turned(points: ArrayLike, degrees: float, centre: tuple[float, float] = (0, 0)) -> Outline:
    """Rotate points around a centre."""
    angle = np.radians(degrees)
    matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    turned_points: Outline = np.subtract(points, centre) @ matrix + centre
    return turned_points


def waved(points: Outline, amplitude: float, phase: float) -> Outline:
    """Bend smoothly, nowhere by more than about twice the amplitude."""
    x, y = points.T
    dx = np.sin(y / 37 + phase) + 0.5 * np.sin(x / 23 + y / 19 + 2 * phase)
    dy = np.sin(x / 41 + 3 * phase) + 0.5 * np.sin(x / 17 - y / 29 + phase)
    return points + amplitude * np.stack([dx, 0.6 * dy], axis=1)


def bounds(outlines: Sequence[Outline]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of several outlines together."""
    points = np.concatenate(outlines)
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


@dataclass(frozen=True)
class CanvasView:
    """The transform from a drawing's units to pixels."""

    scale: float
    left: float
    top: float
    sway: float = 0
    phase: float = 0

    def pixels(self, points: ArrayLike) -> Outline:
        """Convert points to pixels, bent a little by ``sway``, since no real garment is symmetric."""
        own = waved(np.asarray(points, dtype=float), self.sway, self.phase)
        return own * self.scale + (self.left, self.top)


@dataclass(frozen=True)
class Mask:
    """The coverage of each pixel of a rectangle by an outline, 0..1."""

    left: int
    top: int
    cover: Plane

    @property
    def window(self) -> tuple[slice, slice]:
        """The rectangle as slices of a plane."""
        height, width = self.cover.shape
        return slice(self.top, self.top + height), slice(self.left, self.left + width)

    def softened(self, radius: float, across: float = 0, down: float = 0) -> Mask:
        """Return the mask moved and blurred, on a rectangle large enough; it may extend over the canvas's edge."""
        pad = int(radius * 2.5) + 1
        cover = blurred(np.pad(self.cover, pad), radius)
        return Mask(self.left - pad + round(across), self.top - pad + round(down), cover)

    def around(self, other: Mask, margin: int) -> Plane:
        """Return the coverage of another mask's rectangle and of a margin around it."""
        rows, columns = (side + 2 * margin for side in other.cover.shape)
        cover = np.zeros((rows, columns), np.float32)
        moved = Mask(self.left - other.left + margin, self.top - other.top + margin, self.cover)
        seen = moved.clipped(rows, columns)
        cover[seen.window] = seen.cover
        return cover

    def clipped(self, height: int, width: int) -> Mask:
        """Return the part on a canvas of this size."""
        top, left = max(self.top, 0), max(self.left, 0)
        rows = slice(top - self.top, max(height - self.top, 0))
        columns = slice(left - self.left, max(width - self.left, 0))
        return Mask(left, top, self.cover[rows, columns])


class Canvas:
    """Premultiplied colour and coverage; later paint covers earlier paint."""

    def __init__(self, width: int, height: int, view: CanvasView) -> None:
        self.view = view
        self.colour: Planes = np.zeros((3, height, width), np.float32)
        self.cover: Plane = np.zeros((height, width), np.float32)

    def mask(self, outlines: Sequence[Outline], holes: Sequence[Outline] = ()) -> Mask | None:
        """Rasterise outlines; None when they lie outside of the canvas."""
        height, width = self.cover.shape
        every, drawn = self._placed(outlines)
        left, top = (int(v) for v in np.maximum(np.floor(every.min(axis=0)) - 1, 0))
        right, bottom = (int(v) for v in np.minimum(np.ceil(every.max(axis=0)) + 1, (width, height)))
        if right <= left or bottom <= top:
            return None
        image = Image.new("L", ((right - left) * _SUPERSAMPLING, (bottom - top) * _SUPERSAMPLING))
        pen = ImageDraw.Draw(image)
        for shapes, ink in ((drawn, 255), (self._placed(holes)[1] if holes else [], 0)):
            for shape in shapes:
                placed = (shape - (left, top)) * _SUPERSAMPLING
                pen.polygon(placed.ravel().tolist(), fill=ink)
        cover = np.asarray(image.reduce(_SUPERSAMPLING), np.float32) / np.float32(255)
        return Mask(left, top, cover)

    def _placed(self, outlines: Sequence[Outline]) -> tuple[Outline, list[Outline]]:
        """Return all outlines in pixels, together and one by one: one call for hundreds of stitches."""
        every = self.view.pixels(np.concatenate(outlines))
        return every, np.split(every, np.cumsum([len(outline) for outline in outlines])[:-1])

    def paint(self, mask: Mask, colour: ArrayLike, opacity: float = 1.0) -> None:
        """Blend a colour (three numbers, or three planes; 0..1) over the canvas."""
        clipped = mask.clipped(*self.cover.shape)
        cover = clipped.cover * np.float32(opacity)
        rest = 1 - cover
        window = clipped.window
        ink = np.asarray(colour, np.float32)
        self.colour[:, *window] *= rest
        self.colour[:, *window] += (ink if ink.ndim == 3 else ink[:, None, None]) * cover
        self.cover[window] = self.cover[window] * rest + cover

    def darken(self, mask: Mask, strength: float) -> None:
        """Cast a shadow on the painted pixels only."""
        clipped = mask.clipped(*self.cover.shape)
        self.colour[:, *clipped.window] *= 1 - clipped.cover * np.float32(strength)

    def grid(self, mask: Mask) -> tuple[Plane, Plane]:
        """Return the drawing's coordinates of the mask's pixels, as a row of x and a column of y."""
        height, width = mask.cover.shape
        x = (np.arange(mask.left, mask.left + width, dtype=np.float32) + 0.5 - self.view.left) / self.view.scale
        y = (np.arange(mask.top, mask.top + height, dtype=np.float32) + 0.5 - self.view.top) / self.view.scale
        return x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]


def blurred(plane: Plane, radius: float) -> Plane:
    """Apply a Gaussian blur of this radius in pixels, in 8 bits, enough for a shadow.

    Wide blurs run on a smaller copy, which looks the same and is faster.
    """
    if radius < 0.3:
        return plane
    image = Image.fromarray((plane * 255 + 0.5).astype(np.uint8))
    shrink = 4 if radius >= 8 else 2 if radius >= 3 else 1
    small = image.reduce(shrink) if shrink > 1 else image
    small = small.filter(ImageFilter.GaussianBlur(radius / shrink))
    image = small.resize(image.size, Image.Resampling.BILINEAR) if shrink > 1 else small
    return np.asarray(image, np.float32) / np.float32(255)


def smoothed(plane: Plane, radius: float) -> Plane:
    """Approximate a Gaussian blur in full precision (three box filters); loses ``reach(radius)`` on every side.

    A relief needs this: 8 bits would show as bands in its slopes.
    """
    width = _window(radius)
    for _ in range(3):
        total = np.cumsum(np.pad(plane, ((1, 0), (0, 0))), axis=0, dtype=np.float32)
        plane = total[width:] - total[:-width]
    for _ in range(3):
        total = np.cumsum(np.pad(plane, ((0, 0), (1, 0))), axis=1, dtype=np.float32)
        plane = total[:, width:] - total[:, :-width]
    return plane / np.float32(width**6)


def reach(radius: float) -> int:
    """Return the width of the border that :func:`smoothed` needs."""
    return 3 * (_window(radius) // 2)


def _window(radius: float) -> int:
    return max(int(np.sqrt(4 * radius * radius + 1)) | 1, 3)
