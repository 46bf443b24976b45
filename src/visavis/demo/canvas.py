"""Where things are painted: anti-aliased masks, blending, soft shadows, all in numpy on top of Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFilter

from visavis.demo.geometry import Outline, waved

Plane = NDArray[np.float32]
#: Masks are drawn this many times larger and averaged down: that is the anti-aliasing.
_SUPERSAMPLING = 4


@dataclass(frozen=True)
class View:
    """How a drawing's own units lie on the pixels."""

    scale: float
    left: float
    top: float
    sway: float = 0
    phase: float = 0

    def pixels(self, points: ArrayLike) -> Outline:
        """Points in pixels, bent a little by ``sway``: no real garment is symmetric."""
        own = waved(np.asarray(points, dtype=float), self.sway, self.phase)
        return own * self.scale + (self.left, self.top)


@dataclass(frozen=True)
class Mask:
    """How much of each pixel of a rectangle an outline covers, 0..1."""

    left: int
    top: int
    cover: Plane

    @property
    def window(self) -> tuple[slice, slice]:
        """The rectangle as slices of the canvas."""
        height, width = self.cover.shape
        return slice(self.top, self.top + height), slice(self.left, self.left + width)


class Canvas:
    """Premultiplied colour and coverage; later paint lies over earlier paint."""

    def __init__(self, width: int, height: int, view: View) -> None:
        self.view = view
        self.colour: NDArray[np.float32] = np.zeros((height, width, 3), np.float32)
        self.cover: Plane = np.zeros((height, width), np.float32)

    def mask(self, outlines: Sequence[Outline], holes: Sequence[Outline] = (), margin: float = 0) -> Mask | None:
        """The part of the canvas that the outlines cover, or None when they lie outside of it."""
        drawn = [self.view.pixels(outline) for outline in outlines]
        height, width = self.cover.shape
        corner, end = np.min([d.min(axis=0) for d in drawn], axis=0), np.max([d.max(axis=0) for d in drawn], axis=0)
        left, top = (int(v) for v in np.maximum(np.floor(corner - margin) - 1, 0))
        right, bottom = (int(v) for v in np.minimum(np.ceil(end + margin) + 1, (width, height)))
        if right <= left or bottom <= top:
            return None
        image = Image.new("L", ((right - left) * _SUPERSAMPLING, (bottom - top) * _SUPERSAMPLING))
        pen = ImageDraw.Draw(image)
        for shapes, ink in ((drawn, 255), ([self.view.pixels(hole) for hole in holes], 0)):
            for shape in shapes:
                placed = (shape - (left, top)) * _SUPERSAMPLING
                pen.polygon(placed.ravel().tolist(), fill=ink)
        cover = np.asarray(image.reduce(_SUPERSAMPLING), np.float32) / np.float32(255)
        return Mask(left, top, cover)

    def paint(self, mask: Mask, colour: ArrayLike, opacity: float = 1.0) -> None:
        """Lay a colour (one, or one a pixel of the mask; 0..1) over what is there."""
        cover = mask.cover * np.float32(opacity)
        rest = 1 - cover
        window = mask.window
        self.colour[window] *= rest[..., None]
        self.colour[window] += np.asarray(colour, np.float32) * cover[..., None]
        self.cover[window] = self.cover[window] * rest + cover

    def darken(self, mask: Mask, strength: float) -> None:
        """Throw a shadow on what is already painted, and on nothing else."""
        self.colour[mask.window] *= (1 - mask.cover * np.float32(strength))[..., None]

    def grid(self, mask: Mask) -> tuple[Plane, Plane]:
        """The drawing's own coordinates of the mask's pixels, as a row of x and a column of y."""
        height, width = mask.cover.shape
        x = (np.arange(mask.left, mask.left + width, dtype=np.float32) + 0.5 - self.view.left) / self.view.scale
        y = (np.arange(mask.top, mask.top + height, dtype=np.float32) + 0.5 - self.view.top) / self.view.scale
        return x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]


def blurred(plane: Plane, radius: float) -> Plane:
    """Softened by a Gaussian of this radius in pixels; what lies outside counts as zero.

    Wide blurs run on a smaller copy: they look the same and cost a fraction.
    """
    if radius < 0.3:
        return plane
    pad = int(radius * 2.5) + 1
    padded = np.pad(plane, pad)
    image = Image.fromarray((padded * 255 + 0.5).astype(np.uint8))
    shrink = 4 if radius >= 12 else 2 if radius >= 5 else 1
    if shrink > 1:
        small = image.reduce(shrink).filter(ImageFilter.GaussianBlur(radius / shrink))
        image = small.resize(image.size, Image.Resampling.BICUBIC)
    else:
        image = image.filter(ImageFilter.GaussianBlur(radius))
    result = np.asarray(image, np.float32)[pad:-pad, pad:-pad] / np.float32(255)
    return np.ascontiguousarray(result)


def softened(mask: Mask, radius: float) -> Mask:
    """The mask with soft edges."""
    return Mask(mask.left, mask.top, blurred(mask.cover, radius))
