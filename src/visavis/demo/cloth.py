"""Cloth: colour, print, weave, and the light on its folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from visavis.demo.canvas import Canvas, Mask, Plane, blurred
from visavis.demo.colours import COLOURS
from visavis.demo.geometry import Outline, ribbon
from visavis.demo.patterns import Print, coverage

#: From the drawing's coordinates to the cloth's: stripes follow a sleeve, or fan out over a skirt.
Lay = Callable[[Plane, Plane], tuple[Plane, Plane]]
#: Light falls from the upper left, towards the cloth.
_LIGHT = np.array([-0.42, -0.5, 0.76], np.float32) / np.float32(1.0024)


def upright(x: Plane, y: Plane) -> tuple[Plane, Plane]:
    """Cloth that hangs straight."""
    return np.broadcast_arrays(x, y)  # type: ignore[return-value]


def tilted(degrees: float, x0: float = 0, y0: float = 0) -> Lay:
    """Cloth turned by an angle around a point, for a sleeve or a trouser leg."""
    cos, sin = np.float32(np.cos(np.radians(degrees))), np.float32(np.sin(np.radians(degrees)))

    def lay(x: Plane, y: Plane) -> tuple[Plane, Plane]:
        return cos * (x - x0) - sin * (y - y0), sin * (x - x0) + cos * (y - y0)

    return lay


def fanned(apex: float, waist: float) -> Lay:
    """Cloth that widens from the waist down like a cone with its tip at ``apex``."""

    def lay(x: Plane, y: Plane) -> tuple[Plane, Plane]:
        down = np.maximum(y - apex, 1)
        radius = np.hypot(x, down)
        return np.arctan2(x, down) * np.float32(waist - apex) * 1.6, radius + np.float32(apex)

    return lay


@dataclass(frozen=True)
class Cloth:
    """What a part is made of.

    Attributes:
        colour: Name of the main colour.
        second: Name of the print's colour; may be empty for plain cloth.
        design: The print.
        grain: Strength of the weave, 0..1.
        gloss: How strongly light is thrown back: 0 for wool, 1 for patent leather.
    """

    colour: str
    second: str = ""
    design: Print = field(default_factory=lambda: Print("plain"))
    grain: float = 0.5
    gloss: float = 0.2

    def plain(self, colour: str | None = None) -> Cloth:
        """The same cloth without a print, in its own or another colour."""
        return replace(self, colour=colour or self.colour, design=Print("plain"))


@dataclass(frozen=True)
class Fold:
    """A ridge (or, with a negative height, a furrow) along a line."""

    line: Outline
    width: float = 7
    height: float = 2.5


def rgb(name: str) -> NDArray[np.float32]:
    """A named colour in 0..1."""
    return np.array(COLOURS[name], np.float32) / np.float32(255)


def dyed(cloth: Cloth, canvas: Canvas, mask: Mask, lay: Lay, relief: Plane, repeat: float) -> NDArray[np.float32]:
    """The cloth's colour at each pixel, before light; its print bends where the relief rises."""
    base = rgb(cloth.colour)
    if cloth.design.pattern in ("plain", "logo"):
        return np.broadcast_to(base, (*mask.cover.shape, 3))
    u, v = lay(*canvas.grid(mask))
    u, v = u + relief * np.float32(0.35), v + relief * np.float32(0.45)
    design = replace(cloth.design, period=cloth.design.period * repeat)
    share = coverage(design, u, v, 1 / canvas.view.scale)
    if share is None:
        return np.broadcast_to(base, (*mask.cover.shape, 3))
    return base + (rgb(cloth.second) - base) * share[..., None]


def relief_of(canvas: Canvas, mask: Mask, folds: Sequence[Fold], roundness: float, seed: int) -> Plane:
    """The height of the cloth at each pixel in the drawing's units: rounded edges, folds and small wrinkles."""
    scale = canvas.view.scale
    height = blurred(mask.cover, roundness * scale) * np.float32(roundness * 1.5)
    for fold in folds:
        height += _ridge(canvas, mask, fold)
    return height + _wrinkles(mask, scale, seed)


def _ridge(canvas: Canvas, mask: Mask, fold: Fold) -> Plane:
    shape = canvas.view.pixels(ribbon(fold.line, fold.width, fold.width * 0.25)) - (mask.left, mask.top)
    size = (mask.cover.shape[1], mask.cover.shape[0])
    image = Image.new("L", (size[0] // 2 + 1, size[1] // 2 + 1))
    ImageDraw.Draw(image).polygon((shape / 2).ravel().tolist(), fill=255)
    image = image.filter(ImageFilter.GaussianBlur(fold.width * canvas.view.scale * 0.2))
    image = image.resize((image.width * 2, image.height * 2), Image.Resampling.BILINEAR).crop((0, 0, *size))
    return np.asarray(image, np.float32) * np.float32(fold.height / 255)


def _wrinkles(mask: Mask, scale: float, seed: int) -> Plane:
    """Smooth noise, longer than wide, because cloth hangs."""
    rows, columns = mask.cover.shape
    random = np.random.default_rng(seed)
    total = np.zeros(mask.cover.shape, np.float32)
    for wide, tall, strength in ((26, 60, 1.8), (12, 24, 0.5)):
        grid = (int(rows / (tall * scale)) + 4, int(columns / (wide * scale)) + 4)
        noise = Image.fromarray(random.random(grid, np.float32))
        total += np.asarray(noise.resize((columns, rows), Image.Resampling.BICUBIC)) * np.float32(strength)
    return total


def light_on(relief: Plane, scale: float) -> Plane:
    """Brightness of each pixel: 1 where the cloth lies flat."""
    down, across = np.gradient(relief * np.float32(scale))
    lit = _LIGHT[2] - across * _LIGHT[0] - down * _LIGHT[1]
    return np.asarray(lit / (np.sqrt(1 + across**2 + down**2) * _LIGHT[2]), np.float32)


def lit(colour: NDArray[np.float32], light: Plane, gloss: float) -> NDArray[np.float32]:
    """Colour under light; dark cloth shows its folds by what it reflects, light cloth by its shadows."""
    bounded = np.clip(light, 0.45, 1.3)[..., None]
    shine = (bounded - 1) * np.float32(0.10 + 0.16 * gloss)
    spark = np.maximum(bounded - 1.12, 0) * np.float32(1.5 * gloss)
    return np.asarray(np.clip(colour * bounded**0.9 + shine + spark, 0, 1), np.float32)


def weave(mask: Mask, grain: float, seed: int) -> Plane:
    """A fine texture around 1."""
    noise = np.random.default_rng(seed).random(mask.cover.shape, np.float32)
    return 1 + (noise - np.float32(0.5)) * np.float32(0.07 * grain)
