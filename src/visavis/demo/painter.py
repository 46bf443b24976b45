"""Render a look: build the garment, fit it into the frame, paint it, add a shadow and a background."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from PIL import Image

from visavis.demo.canvas import Canvas, CanvasView, Mask, Plane, Planes, bounds
from visavis.demo.garments.accessories import cut_bag, cut_hat
from visavis.demo.garments.dresses import cut_dress, cut_skirt, cut_trousers
from visavis.demo.garments.shoes import cut_shoes
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.tops import cut_coat, cut_shirt, cut_t_shirt, cut_top
from visavis.demo.items import BACKGROUND_COLOURS, DemoItem
from visavis.demo.vocabulary import Look
from visavis.errors import BadInputError


def backdrop(name: str, width: int, height: int, random: Random, *, floor: bool = False) -> Planes:
    """Render a softly lit background, 0..1; with a floor it darkens towards the bottom."""
    base = np.array(BACKGROUND_COLOURS[name], np.float32)[:, None, None] / np.float32(255)
    x = ((np.arange(width, dtype=np.float32) + 0.5) / width)[None, :] - np.float32(random.uniform(0.3, 0.5))
    y = ((np.arange(height, dtype=np.float32) + 0.5) / height)[:, None] - np.float32(random.uniform(0.25, 0.45))
    light = 1.03 - 0.13 * (x * x + y * y)
    if floor:
        light = light - np.float32(0.05) / (1 + np.exp(-(y - np.float32(0.28)) * 30))
    if name == "wooden":
        light = light * _boards(width, height, random)
    else:
        # Without a little noise, wide gradients show bands.
        noise = np.random.default_rng(random.randrange(2**31)).random((height, width), np.float32)
        light = light + (noise - np.float32(0.5)) * np.float32(0.012)
    return np.asarray(np.minimum(base * light.astype(np.float32), 1), np.float32)


def _boards(width: int, height: int, random: Random) -> Plane:
    """Render upright planks: each with its own tone and a long grain."""
    source = np.random.default_rng(random.randrange(2**31))
    count = 5
    grain = Image.fromarray(source.random((max(height // 40, 4), max(width // 2, 4)), np.float32))
    fine = np.asarray(grain.resize((width, height), Image.Resampling.BICUBIC), np.float32)
    x = np.arange(width, dtype=np.float32) * count / width
    tone = (1 + (source.random(count, np.float32) - 0.5) * 0.12)[np.minimum(x.astype(int), count - 1)]
    gap = 1 - 0.4 * np.exp(-(((x - np.round(x)) * width / count / 1.2) ** 2))
    return np.asarray((0.92 + 0.16 * fine) * (tone * gap)[None, :], np.float32)


DEFAULT_SIZE = (384, 512)
_SMALLEST, _LARGEST = 16, 4096
_CUTTERS: dict[str, Callable[[Tailor], None]] = {
    "dress": cut_dress,
    "shirt": cut_shirt,
    "top": cut_top,
    "T-shirt": cut_t_shirt,
    "skirt": cut_skirt,
    "trousers": cut_trousers,
    "coat": cut_coat,
    "shoes": cut_shoes,
    "bag": cut_bag,
    "hat": cut_hat,
}
_STANDING = {"shoes", "bag"}
#: Gloss and grain of the categories that are not cotton.
_FINISH = {"shoes": (0.3, 0.55), "bag": (0.45, 0.45), "coat": (0.9, 0.1), "hat": (0.8, 0.12)}
#: Items of this many units fill the frame of 300 x 400; longer ones shrink, shorter ones grow up to a limit.
_FRAME, _LARGEST_FIT = (300.0, 400.0), 1.9


def draw(item: DemoItem, size: tuple[int, int] = DEFAULT_SIZE) -> Image.Image:
    """Draw an item of the catalogue; the same item and size give the same pixels."""
    width, height = size
    if not (_SMALLEST <= width <= _LARGEST and _SMALLEST <= height <= _LARGEST):
        raise BadInputError(
            f"A picture of {width} x {height} pixels cannot be drawn.",
            f"Choose both sides between {_SMALLEST} and {_LARGEST}.",
        )
    random = Random(f"drawing/{item.seed}/{item.index}")
    sprite = paint_look(item.look, size, random)
    standing = item.look.category in _STANDING
    pixels = backdrop(item.look.background, width, height, random, floor=standing)
    composite(pixels, sprite, 0, 0, min(width / _FRAME[0], height / _FRAME[1]), standing=standing)
    return to_image(pixels)


def paint_look(look: Look, size: tuple[int, int], random: Random, margin: float = 0.08) -> Canvas:
    """Paint the item alone, as large as fits, on a transparent canvas."""
    grain, gloss = _FINISH.get(look.category, (0.5, 0.2))
    tailor = Tailor(look, random, grain=grain, gloss=gloss)
    _CUTTERS[look.category](tailor)
    left, top, right, bottom = bounds([outline for mark in tailor.marks for outline in mark.outlines()])
    unit = min(size[0] / _FRAME[0], size[1] / _FRAME[1])
    room = (size[0] / unit * (1 - 2 * margin), size[1] / unit * (1 - 2 * margin))
    fit = min(room[0] / (right - left), room[1] / (bottom - top), _LARGEST_FIT)
    scale = unit * fit
    view = CanvasView(
        scale,
        size[0] / 2 - (left + right) / 2 * scale,
        size[1] / 2 - (top + bottom) / 2 * scale,
        sway=random.uniform(0.3, 1.1) / fit,
        phase=random.uniform(0, 6.28),
    )
    canvas = Canvas(size[0], size[1], view)
    for mark in tailor.marks:
        mark.paint(canvas, 1 / fit)
    return canvas


def composite(pixels: Planes, sprite: Canvas, left: int, top: int, unit: float, *, standing: bool = False) -> None:
    """Composite a painted item on a background, with its shadow on the wall; it is clipped to the frame."""
    mask = Mask(left, top, sprite.cover)
    shadows = ((2.0, 2.2, 0.18),) if standing else ((10.0, 9.0, 0.20), (2.0, 2.2, 0.22))
    for offset, radius, strength in shadows:
        shadow = mask.softened(radius * unit, offset * unit * 0.5, offset * unit).clipped(*pixels.shape[1:])
        pixels[:, *shadow.window] *= 1 - shadow.cover * np.float32(strength)
    thing = mask.clipped(*pixels.shape[1:])
    rows, columns = thing.cover.shape
    pixels[:, *thing.window] *= 1 - thing.cover
    pixels[:, *thing.window] += sprite.colour[:, :rows, :columns]


def to_image(pixels: Planes) -> Image.Image:
    """Convert pixels in 0..1 to an RGB picture."""
    values = (np.clip(pixels, 0, 1) * 255 + 0.5).astype(np.uint8)
    return Image.merge("RGB", [Image.fromarray(plane) for plane in values])
