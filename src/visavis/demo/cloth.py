"""Cloth: colour, print, weave, and shading of folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from visavis.demo.canvas import Canvas, Mask, Outline, Plane, Planes, curve, ellipse, reach, ribbon, smoothed, symmetric
from visavis.demo.vocabulary import COLOURS

#: Maps the drawing's coordinates to the cloth's: stripes follow a sleeve, or fan out over a skirt.
Lay = Callable[[Plane, Plane], tuple[Plane, Plane]]
#: Light comes from the upper left, towards the cloth.
_LIGHT = np.array([-0.42, -0.5, 0.76], np.float32) / np.float32(1.0024)


@dataclass(frozen=True)
class Print:
    """A pattern and its measures.

    Attributes:
        pattern: One of the patterns that cover the whole cloth; ``plain`` and ``logo`` cover nothing.
        period: The distance of its repeats, in cloth units.
        share: The second colour's share of a repeat, 0..1.
        upright: Whether stripes run from top to bottom.
        variant: Any number; it varies the rotation of flowers and the weave of checks.
    """

    pattern: str
    period: float = 16
    share: float = 0.4
    upright: bool = False
    variant: int = 0


def coverage(design: Print, u: Plane, v: Plane, pixel: float) -> Plane | None:
    """Return the second colour's share at cloth coordinates ``u`` (across) and ``v`` (along); None when there is none.

    Args:
        design: The print.
        u: Coordinate across the cloth.
        v: Coordinate along the cloth.
        pixel: The width of a pixel in cloth units; edges are anti-aliased over that distance.
    """
    match design.pattern:
        case "striped":
            return _stripes(u if design.upright else v, design.period, design.share, pixel)
        case "checked":
            return _checks(design, u, v, pixel)
        case "dotted":
            return _dots(design, u, v, pixel)
        case "floral":
            return _flowers(design, u, v, pixel)
        case _:
            return None


def _edge(inside: Plane, pixel: float) -> Plane:
    return np.asarray(np.clip(inside / np.float32(pixel) + np.float32(0.5), 0, 1), np.float32)


def _stripes(along: Plane, period: float, share: float, pixel: float) -> Plane:
    phase = np.abs(np.mod(along, period) - period / 2)
    return _edge(np.float32(period * share / 2) - phase.astype(np.float32), pixel)


def _checks(design: Print, u: Plane, v: Plane, pixel: float) -> Plane:
    """Return gingham (bands that mix where they do not cross), a chessboard, or a thin window-pane grid."""
    kind = ("gingham", "gingham", "chessboard", "window pane")[design.variant % 4]
    share = {"gingham": 0.44, "chessboard": 0.5, "window pane": 0.22}[kind]
    across = _stripes(u, design.period, share, pixel)
    along = _stripes(v, design.period, share, pixel)
    if kind == "gingham":
        return np.asarray((across + along) * np.float32(0.5), np.float32)
    if kind == "chessboard":
        return np.asarray(across + along - 2 * across * along, np.float32)
    return np.maximum(across, along)


def _cells(u: Plane, v: Plane, period: float) -> tuple[Plane, Plane, Plane, Plane]:
    """Return offsets from the middle of a brick-laid cell, and the cell's numbers."""
    row = np.floor(v / period)
    moved = u + (row % 2) * (period / 2)
    column = np.floor(moved / period)
    return (
        (moved - (column + 0.5) * period).astype(np.float32),
        (v - (row + 0.5) * period).astype(np.float32),
        column,
        row,
    )


def _dots(design: Print, u: Plane, v: Plane, pixel: float) -> Plane:
    x, y, _, _ = _cells(u, v, design.period)
    return _edge(np.float32(design.period * (0.16 + 0.25 * design.share)) - np.hypot(x, y), pixel)


def _flowers(design: Print, u: Plane, v: Plane, pixel: float) -> Plane:
    x, y, column, row = _cells(u, v, design.period)
    turn = np.sin(column * 12.9898 + row * 78.233 + design.variant).astype(np.float32) * 43758.5
    turn -= np.floor(turn)
    x = x + (turn - 0.5) * np.float32(0.28 * design.period)
    y = y + (np.mod(turn * 7.31, 1) - 0.5) * np.float32(0.28 * design.period)
    radius, angle = np.hypot(x, y), np.arctan2(y, x) + turn * 6
    size = np.float32(0.36 * design.period) * (0.75 + 0.35 * np.mod(turn * 3.7, 1))
    petals = size * (0.55 + 0.45 * np.abs(np.cos(2.5 * angle)))
    heart = _edge(radius - 0.22 * size, pixel)  # the middle shows the cloth
    return np.asarray(_edge(petals - radius, pixel) * heart, np.float32)


def emblem(name: str) -> list[Outline]:
    """Return the outline of a logo, one unit high around the origin."""
    match name:
        case "star":
            angle = np.arange(10) * np.pi / 5 - np.pi / 2
            radius = np.where(np.arange(10) % 2 == 0, 0.55, 0.24)
            return [np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)]
        case "heart":
            half = curve((0, -0.24), (0.1, -0.52, 0.52, -0.5, 0.5, -0.12), (0.48, 0.14, 0.12, 0.3, 0, 0.5))
            return [symmetric(half)]
        case "moon":
            outer, inner = ellipse(0, 0, 0.5, 0.5), ellipse(0.2, -0.08, 0.4, 0.4)
            return [_crescent(outer, inner)]
        case "lightning bolt":
            return [
                np.array([(0.12, -0.55), (-0.34, 0.08), (-0.04, 0.08), (-0.14, 0.55), (0.34, -0.12), (0.03, -0.12)])
            ]
        case "mountain":
            peaks = [(-0.62, 0.4), (-0.14, -0.42), (0.1, -0.04), (0.24, -0.22), (0.62, 0.4)]
            return [np.array(peaks)]
        case _:
            return _anchor()


def _crescent(outer: Outline, inner: Outline) -> Outline:
    """Return a circle with a smaller one cut out of its right side."""
    centre, radius = inner.mean(axis=0), 0.4
    kept = outer[np.hypot(*(outer - centre).T) >= radius]
    order = np.argsort(np.mod(np.arctan2(kept[:, 1], kept[:, 0]) + 0.5, 2 * np.pi))
    kept = kept[order]
    bite = inner[np.hypot(*inner.T) <= 0.5]
    bite = bite[np.argsort(np.mod(np.arctan2(*(bite - centre).T[::-1]) + 0.5, 2 * np.pi))]
    return np.concatenate([kept, bite[::-1]])


def _anchor() -> list[Outline]:
    shaft = np.array([(-0.05, -0.3), (0.05, -0.3), (0.05, 0.45), (-0.05, 0.45)])
    bar = np.array([(-0.24, -0.2), (0.24, -0.2), (0.24, -0.1), (-0.24, -0.1)])
    arms = symmetric(curve((0, 0.55), (0.3, 0.5, 0.44, 0.14), (0.34, 0.14), (0.26, 0.38, 0, 0.42)))
    return [shaft, bar, arms, ellipse(0, -0.4, 0.13, 0.13)]


def upright(x: Plane, y: Plane) -> tuple[Plane, Plane]:
    """Map cloth that hangs straight."""
    u, v = np.broadcast_arrays(x, y)
    return u, v


def tilted(degrees: float, x0: float = 0, y0: float = 0) -> Lay:
    """Map cloth rotated around a point, for a sleeve or a trouser leg."""
    cos, sin = np.float32(np.cos(np.radians(degrees))), np.float32(np.sin(np.radians(degrees)))

    def lay(x: Plane, y: Plane) -> tuple[Plane, Plane]:
        return cos * (x - x0) - sin * (y - y0), sin * (x - x0) + cos * (y - y0)

    return lay


def fanned(apex: float, waist: float, *, spread: bool = True) -> Lay:
    """Map cloth that widens from the waist down like a cone with its tip at ``apex``.

    Args:
        apex: Where the cloth's threads would meet.
        waist: Where the cloth is not scaled.
        spread: Whether the print widens with the cloth (stripes, checks); dots and flowers keep their shape.
    """

    def lay(x: Plane, y: Plane) -> tuple[Plane, Plane]:
        down = np.maximum(y - apex, 1)
        radius = np.hypot(x, down)
        width = np.float32(waist - apex) * np.float32(1.5) if spread else radius
        return np.arctan2(x, down) * width, radius + np.float32(apex)

    return lay


@dataclass(frozen=True)
class Cloth:
    """The material of a part.

    Attributes:
        colour: Name of the main colour.
        second: Name of the print's colour; may be empty for plain cloth.
        design: The print.
        grain: Strength of the weave, 0..1.
        gloss: Specular reflection: 0 for wool, 1 for patent leather.
    """

    colour: str
    second: str = ""
    design: Print = field(default_factory=lambda: Print("plain"))
    grain: float = 0.5
    gloss: float = 0.2

    def plain(self, colour: str | None = None) -> Cloth:
        """Return the same cloth without a print, in its own or another colour."""
        return replace(self, colour=colour or self.colour, design=Print("plain"))


@dataclass(frozen=True)
class Fold:
    """A ridge (or, with a negative height, a furrow) along a line."""

    line: Outline
    width: float = 7
    height: float = 2.5


def rgb(name: str) -> NDArray[np.float32]:
    """Return a named colour in 0..1."""
    return np.array(COLOURS[name], np.float32) / np.float32(255)


def dyed(cloth: Cloth, canvas: Canvas, mask: Mask, lay: Lay, relief: Plane, repeat: float) -> Planes:
    """Return the cloth's colour at each pixel, before shading; its print bends with the relief."""
    base = rgb(cloth.colour)[:, None, None]
    if cloth.design.pattern in ("plain", "logo"):
        return base
    u, v = lay(*canvas.grid(mask))
    u, v = u + relief * np.float32(0.3), v + relief * np.float32(0.4)
    design = replace(cloth.design, period=cloth.design.period * repeat)
    share = coverage(design, u, v, 1 / canvas.view.scale)
    if share is None:
        return base
    return base + (rgb(cloth.second)[:, None, None] - base) * share


def relief_of(canvas: Canvas, mask: Mask, body: Mask, folds: Sequence[Fold], roundness: float, seed: int) -> Plane:
    """Return the height of the cloth at each pixel in the drawing's units: rounded edges, folds and wrinkles.

    It is computed at half size where the part is large, since it is smooth.

    Args:
        canvas: The canvas.
        mask: The part.
        body: The part with those it is sewn to: cloth is rounded only at the edges of their union.
        folds: Ridges and furrows.
        roundness: The distance from the edges within which the cloth is rounded.
        seed: The seed of the wrinkles.
    """
    rows, columns = mask.cover.shape
    step = 2 if min(rows, columns) >= 40 else 1
    scale = canvas.view.scale / step
    small = (-(-rows // step), -(-columns // step))
    margin = reach(roundness * scale)
    cover = Image.fromarray(body.around(mask, margin * step)).reduce(step)
    height = smoothed(np.asarray(cover), roundness * scale) * np.float32(roundness * 1.15)
    if folds:
        height += _ridges(canvas, mask, folds, small, step)
    height += _wrinkles(small, scale, seed)
    if step == 1:
        return height
    large = Image.fromarray(height).resize((small[1] * step, small[0] * step), Image.Resampling.BICUBIC)
    return np.asarray(large)[:rows, :columns]


def _ridges(canvas: Canvas, mask: Mask, folds: Sequence[Fold], shape: tuple[int, int], step: int) -> Plane:
    radius = float(np.median([fold.width for fold in folds])) * canvas.view.scale / step * 0.42
    margin = reach(radius)
    image = Image.new("L", (shape[1] + 2 * margin, shape[0] + 2 * margin), 128)
    pen = ImageDraw.Draw(image)
    for fold in folds:
        outline = canvas.view.pixels(ribbon(fold.line, fold.width, fold.width * 0.25)) - (mask.left, mask.top)
        pen.polygon((outline / step + margin).ravel().tolist(), fill=round(128 + fold.height * 16))
    return smoothed((np.asarray(image, np.float32) - 128) / np.float32(16), radius)


def _wrinkles(shape: tuple[int, int], scale: float, seed: int) -> Plane:
    """Return smooth noise, longer than wide, because cloth hangs; small parts are too stiff for it."""
    rows, columns = shape
    random = np.random.default_rng(seed)
    total = np.zeros((rows, columns), np.float32)
    stiff = min(1.0, rows / (70 * scale))
    for wide, tall, strength in ((26, 60, 1.8), (12, 24, 0.45)):
        grid = (int(rows / (tall * scale)) + 4, int(columns / (wide * scale)) + 4)
        noise = Image.fromarray(random.random(grid, np.float32))
        total += np.asarray(noise.resize((columns, rows), Image.Resampling.BICUBIC)) * np.float32(strength * stiff)
    return total


def light_on(relief: Plane, scale: float) -> Plane:
    """Return the brightness of each pixel: 1 where the cloth is flat."""
    down, across = np.gradient(relief * np.float32(scale))
    bright = _LIGHT[2] - across * _LIGHT[0] - down * _LIGHT[1]
    return np.asarray(bright / (np.sqrt(1 + across * across + down * down) * _LIGHT[2]), np.float32)


def lit(colour: Planes, light: Plane, gloss: float) -> Planes:
    """Shade a colour; dark cloth shows its folds by highlights, light cloth by shadows."""
    bounded = np.clip(light, 0.5, 1.3)
    shine = (bounded - 1) * np.float32(0.10 + 0.16 * gloss)
    shine += np.maximum(bounded - np.float32(1.12), 0) * np.float32(1.5 * gloss)
    return np.asarray(np.clip(colour * bounded + shine, 0, 1), np.float32)


@cache
def _threads() -> Plane:
    """Return a tile of woven threads around zero; each part is a random crop of it."""
    random = np.random.default_rng(7)
    noise = random.random((2, 700, 700), np.float32) - np.float32(0.5)
    warp = sum(np.roll(noise[0], shift, axis=0) for shift in range(4)) / 2
    weft = sum(np.roll(noise[1], shift, axis=1) for shift in range(4)) / 2
    return np.asarray(warp + weft, np.float32)


def weave(mask: Mask, grain: float, seed: int) -> Plane:
    """Return a fine texture around 1."""
    rows, columns = mask.cover.shape
    tile = _threads()
    down, across = seed % 200, seed // 200 % 200
    if rows + down > tile.shape[0] or columns + across > tile.shape[1]:
        tile = np.tile(tile, (rows // tile.shape[0] + 2, columns // tile.shape[1] + 2))
    return 1 + tile[down : down + rows, across : across + columns] * np.float32(0.05 * grain)
