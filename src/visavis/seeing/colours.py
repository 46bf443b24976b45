"""Colours by their plain names, read from pixels: an encoder knows what a jacket is, a pixel what colour it has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

#: The plain colours, in the order of the numbers that :func:`colour_map` gives.
NAMES = (
    "black", "white", "grey", "red", "orange", "yellow", "green", "skyblue", "blue", "purple", "pink", "brown",
)  # fmt: skip
_HUELESS = 3
#: Hues in degrees at which one colour ends and the next begins, from red on.
_HUES = (
    (14.0, "red"), (42.0, "orange"), (68.0, "yellow"), (165.0, "green"), (200.0, "skyblue"), (258.0, "blue"),
    (292.0, "purple"), (340.0, "pink"), (361.0, "red"),
)  # fmt: skip
#: Below these a colour is black, or has no hue.
_DARK, _PALE = 0.22, 0.17
#: An orange this dark is brown; a red this light and pale is pink; a blue this light is that of the sky.
_BROWN, _PINK_LIGHT, _PINK_PALE, _SKY_LIGHT, _SKY_PALE = 0.72, 0.75, 0.6, 0.75, 0.6
#: A yellow this dark is olive and a turquoise this dark teal, both greens; an orange this pale is beige, a brown.
_OLIVE, _TEAL, _BEIGE = 0.65, 0.7, 0.42
#: A colour belongs to a thing when it covers this share of it, or of what is left when the first is set aside.
_LEAST = 0.25
#: A hue is what people name, even where windows, shadows and lettering cover more of a thing.
_NAMED = 1.8
#: What counts of a colour's share around a thing, or along the picture's edge, against its share inside: a background
#: shines through.
_OUTSIDE = 0.8
#: A second colour is told when it is half as clear as the first.
_SECOND = 0.5

Mask = NDArray[np.bool_]


def colour_map(image: Image.Image) -> NDArray[np.uint8]:
    """For each pixel the number of its plain colour."""
    hsv = np.asarray(image.convert("RGB").convert("HSV"), np.float32) / 255.0
    hue, pale, light = hsv[..., 0] * 360.0, hsv[..., 1], hsv[..., 2]
    named = np.zeros(hue.shape, np.uint8)
    for start, (end, name) in zip((0.0, *(edge for edge, _ in _HUES)), _HUES, strict=False):
        named[(hue >= start) & (hue < end)] = NAMES.index(name)
    warm = (hue < 42.0) & (hue >= 8.0)
    named[warm & (light < _BROWN) & (pale > 0.25)] = NAMES.index("brown")
    named[((hue < 14.0) | (hue >= 340.0)) & (light > _PINK_LIGHT) & (pale < _PINK_PALE)] = NAMES.index("pink")
    named[(hue >= 200.0) & (hue < 258.0) & (light > _SKY_LIGHT) & (pale < _SKY_PALE)] = NAMES.index("skyblue")
    named[(hue >= 50.0) & (hue < 68.0) & (light < _OLIVE)] = NAMES.index("green")
    named[(hue >= 165.0) & (hue < 190.0) & (light < _TEAL)] = NAMES.index("green")
    named[(hue >= 20.0) & (hue < 48.0) & (pale < _BEIGE)] = NAMES.index("brown")
    colourless = pale < _PALE
    named[colourless] = NAMES.index("grey")
    named[colourless & (light > 0.82)] = NAMES.index("white")
    named[light < _DARK] = NAMES.index("black")
    return named


def colours_in(named: NDArray[np.uint8], inside: Mask, most: int = 2) -> Sequence[str]:
    """The colours of a thing, the clearest first; those that only shine through from around it count less.

    Args:
        named: From :func:`colour_map`.
        inside: Which pixels belong to the thing.
        most: How many at most.
    """
    within, around, edge = (_shares(named[part]) for part in (inside, ~inside, _edge(named.shape)))
    worth = np.where(np.arange(len(NAMES)) < _HUELESS, 1.0, _NAMED)
    scores = worth * within - _OUTSIDE * np.maximum(around, edge)
    order = [int(at) for at in np.argsort(-scores) if worth[at] * within[at] >= _LEAST]
    clear = [at for at in order if at == order[0] or scores[at] >= _SECOND * scores[order[0]] > 0]
    return [NAMES[at] for at in clear[:most]] or [NAMES[int(within.argmax())]]


def _shares(colours: NDArray[np.uint8]) -> NDArray[np.float64]:
    return np.bincount(colours, minlength=len(NAMES)) / max(1, colours.size)


def _edge(shape: tuple[int, ...]) -> Mask:
    """The outermost twentieth of a picture."""
    high, wide = shape
    edge = np.ones(shape, bool)
    edge[high // 20 + 1 : -(high // 20 + 1), wide // 20 + 1 : -(wide // 20 + 1)] = False
    return edge
