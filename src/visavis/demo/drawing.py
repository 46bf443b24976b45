"""From a look to pixels: cut the garment, fit it into the frame, paint it, give it a shadow and a background."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.demo.backgrounds import backdrop
from visavis.demo.canvas import Canvas, View, blurred
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
#: How glossy and how grainy the cloth of a category is; the rest is cotton.
_FINISH = {"shoes": (0.3, 0.55), "bag": (0.45, 0.45), "coat": (0.9, 0.1), "hat": (0.8, 0.12)}
#: Things of this many units fill the frame of 300 x 400; longer ones shrink, shorter ones grow up to a limit.
_FRAME, _LARGEST_FIT = (300.0, 400.0), 1.45


def draw(item: DemoItem, size: tuple[int, int] = DEFAULT_SIZE) -> Image.Image:
    """Draw a thing of the catalogue; the same item and size give the same pixels."""
    width, height = size
    if not (_SMALLEST <= width <= _LARGEST and _SMALLEST <= height <= _LARGEST):
        raise BadInputError(
            f"A picture of {width} x {height} pixels cannot be drawn.",
            f"Choose both sides between {_SMALLEST} and {_LARGEST}.",
        )
    random = Random(f"drawing/{item.seed}/{item.index}")  # noqa: S311
    sprite = paint_look(item.look, size, random)
    pixels = backdrop(item.look.background, width, height, random)
    lay_on(pixels, sprite, 0, 0, height / _FRAME[1])
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


def lay_on(pixels: NDArray[np.float32], sprite: Canvas, left: int, top: int, unit: float) -> None:
    """Put a painted thing on a background, with a soft shadow; what would stick out is cut off."""
    height, width = sprite.cover.shape
    window = pixels[top : top + height, left : left + width]
    rows, columns = window.shape[:2]
    for offset, radius, strength in ((9.0, 9.0, 0.20), (2.0, 2.2, 0.22)):
        down, across = round(offset * unit), round(offset * unit * 0.5)
        moved = np.zeros_like(sprite.cover)
        moved[down:, across:] = sprite.cover[: height - down, : width - across]
        shadow = blurred(moved, radius * unit)[:rows, :columns] * np.float32(strength)
        window *= (1 - shadow)[..., None]
    cover = sprite.cover[:rows, :columns, None]
    window *= 1 - cover
    window += sprite.colour[:rows, :columns]


def to_image(pixels: NDArray[np.float32]) -> Image.Image:
    """Pixels in 0..1 as an RGB picture."""
    return Image.fromarray((np.clip(pixels, 0, 1) * 255 + 0.5).astype(np.uint8))
