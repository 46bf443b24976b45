"""From a look to pixels: cut the garment, fit it into the frame, paint it, give it a shadow and a background."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from PIL import Image

from visavis.demo.backgrounds import backdrop
from visavis.demo.canvas import Canvas, Mask, Planes, View
from visavis.demo.garments.bags import cut_bag
from visavis.demo.garments.coats import cut_coat
from visavis.demo.garments.dresses import cut_dress
from visavis.demo.garments.hats import cut_hat
from visavis.demo.garments.shirts import cut_shirt
from visavis.demo.garments.shoes import cut_shoes
from visavis.demo.garments.skirts import cut_skirt
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.tops import cut_t_shirt, cut_top
from visavis.demo.garments.trousers import cut_trousers
from visavis.demo.geometry import bounds
from visavis.demo.items import DemoItem
from visavis.demo.vocabulary import Look
from visavis.errors import BadInputError

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
#: How glossy and how grainy the cloth of a category is; the rest is cotton.
_FINISH = {"shoes": (0.3, 0.55), "bag": (0.45, 0.45), "coat": (0.9, 0.1), "hat": (0.8, 0.12)}
#: Things of this many units fill the frame of 300 x 400; longer ones shrink, shorter ones grow up to a limit.
_FRAME, _LARGEST_FIT = (300.0, 400.0), 1.9


def draw(item: DemoItem, size: tuple[int, int] = DEFAULT_SIZE) -> Image.Image:
    """Draw a thing of the catalogue; the same item and size give the same pixels."""
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
    lay_on(pixels, sprite, 0, 0, min(width / _FRAME[0], height / _FRAME[1]), standing=standing)
    return to_image(pixels)


def paint_look(look: Look, size: tuple[int, int], random: Random, margin: float = 0.08) -> Canvas:
    """The thing alone, as large as fits, on a transparent canvas."""
    grain, gloss = _FINISH.get(look.category, (0.5, 0.2))
    tailor = Tailor(look, random, grain=grain, gloss=gloss)
    _CUTTERS[look.category](tailor)
    left, top, right, bottom = bounds([outline for mark in tailor.marks for outline in mark.outlines()])
    unit = min(size[0] / _FRAME[0], size[1] / _FRAME[1])
    room = (size[0] / unit * (1 - 2 * margin), size[1] / unit * (1 - 2 * margin))
    fit = min(room[0] / (right - left), room[1] / (bottom - top), _LARGEST_FIT)
    scale = unit * fit
    view = View(
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


def lay_on(pixels: Planes, sprite: Canvas, left: int, top: int, unit: float, *, standing: bool = False) -> None:
    """Put a painted thing on a background, with the shadow it throws on the wall; what sticks out is cut off."""
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
    """Pixels in 0..1 as an RGB picture."""
    values = (np.clip(pixels, 0, 1) * 255 + 0.5).astype(np.uint8)
    return Image.merge("RGB", [Image.fromarray(plane) for plane in values])
