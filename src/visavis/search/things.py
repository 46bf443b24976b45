"""From a grid of vectors and the pixels to the things that a picture shows, where they are and in what colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from visavis.encoders.base import FloatArray

#: How many nouns, the likeliest for the whole picture or a part of it, compete for each patch.
_COMPETING = 40
#: Cosines of patches lie close together; this makes a small lead a clear one.
_TEMPERATURE = 0.05
#: Nouns this near to each other ("bus", "double-decker bus") speak for the same thing.
_SYNONYM = 0.7
#: A patch belongs to a thing from this chance on; a thing has this chance somewhere, less where it was asked for.
_BELONGS, _CLEAR, _ASKED = 0.25, 0.4, 0.12
#: The patches that are told of are those with at least this share of the thing's best chance.
_CORE = 0.6
#: Two things with this share of patches in common, and alike in name, are one.
_SAME = 0.3
#: Things told of at most, and parts of one name.
_MOST, _MOST_PARTS = 24, 3


@dataclass(frozen=True)
class Thing:
    """A thing in the grid: its name's place in the list of nouns, how sure, and the patches that belong to it."""

    noun: int
    chance: float
    patches: np.ndarray

    @property
    def area(self) -> int:
        """How many patches it has."""
        return int(self.patches.sum())

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom in 0..1."""
        rows, columns = np.nonzero(self.patches)
        high, wide = self.patches.shape
        return (
            float(columns.min() / wide),
            float(rows.min() / high),
            float((columns.max() + 1) / wide),
            float((rows.max() + 1) / high),
        )


def find_things(patches: FloatArray, nouns: FloatArray, ordinary: FloatArray, asked: Sequence[int] = ()) -> list[Thing]:
    """The things, the surest first.

    Args:
        patches: ``[rows, columns, d]``.
        nouns: ``[n, d]``, unit length.
        ordinary: What each noun scores on an ordinary picture, ``[n]``.
        asked: Places of nouns that are talked about: such a thing is there, and the question is where.
    """
    smooth = _smoothed(patches)
    scores = np.einsum("rcd,nd->rcn", smooth, nouns) - ordinary
    ranked = np.argsort(-scores.reshape(-1, scores.shape[-1]).max(axis=0))[:_COMPETING]
    likely = np.array(list(dict.fromkeys([*asked, *ranked.tolist()])), np.int64)
    logits = scores[..., likely] / _TEMPERATURE
    chances = np.exp(logits - logits.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    alike = (nouns[likely] @ nouns[likely].T) >= _SYNONYM
    together = chances @ alike.astype(np.float32)
    found: list[tuple[float, int, Thing]] = []
    for place, noun in enumerate(likely):
        clear = _ASKED if int(noun) in asked else _CLEAR
        own = chances[..., place]
        found += [
            (float(own[one.patches].sum()), place, one) for one in _parts_of(int(noun), together[..., place], clear)
        ]
    found.sort(key=lambda one: (one[2].noun not in asked, -one[0]))
    return _without_doubles(found, alike)


def _without_doubles(found: list[tuple[float, int, Thing]], alike: np.ndarray) -> list[Thing]:
    """Each thing once, by the name that most speaks for."""
    kept: list[tuple[int, Thing]] = []
    for _, place, thing in found:
        doubles = (
            alike[place, other] and (thing.patches & seen.patches).sum() >= _SAME * min(thing.area, seen.area)
            for other, seen in kept
        )
        if not any(doubles):
            kept.append((place, thing))
    return sorted((thing for _, thing in kept), key=lambda thing: -thing.chance)[:_MOST]


def _smoothed(patches: FloatArray) -> FloatArray:
    """Each patch with a little of its neighbours, unit length: single patches are noisy."""
    padded = np.pad(patches, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows, columns, _ = patches.shape
    total = 2.0 * patches
    for down in range(3):
        for across in range(3):
            total = total + padded[down : down + rows, across : across + columns]
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=-1, keepdims=True), 1e-9), np.float32)


def _parts_of(noun: int, chance: FloatArray, clear: float) -> Sequence[Thing]:
    labels, count = ndimage.label(chance >= min(_BELONGS, _CORE * clear))
    found = []
    for at in range(1, count + 1):
        inside = labels == at
        best = float(chance[inside].max())
        if best >= clear:
            found.append(Thing(noun, best, inside & (chance >= _CORE * best)))
    return sorted(found, key=lambda one: (-one.chance * one.area, one.box))[:_MOST_PARTS]


#: The plain colours, in the order of the numbers that :func:`colour_map` gives.
COLOUR_NAMES = (
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
        named[(hue >= start) & (hue < end)] = COLOUR_NAMES.index(name)
    warm = (hue < 42.0) & (hue >= 8.0)
    named[warm & (light < _BROWN) & (pale > 0.25)] = COLOUR_NAMES.index("brown")
    named[((hue < 14.0) | (hue >= 340.0)) & (light > _PINK_LIGHT) & (pale < _PINK_PALE)] = COLOUR_NAMES.index("pink")
    named[(hue >= 200.0) & (hue < 258.0) & (light > _SKY_LIGHT) & (pale < _SKY_PALE)] = COLOUR_NAMES.index("skyblue")
    named[(hue >= 50.0) & (hue < 68.0) & (light < _OLIVE)] = COLOUR_NAMES.index("green")
    named[(hue >= 165.0) & (hue < 190.0) & (light < _TEAL)] = COLOUR_NAMES.index("green")
    named[(hue >= 20.0) & (hue < 48.0) & (pale < _BEIGE)] = COLOUR_NAMES.index("brown")
    colourless = pale < _PALE
    named[colourless] = COLOUR_NAMES.index("grey")
    named[colourless & (light > 0.82)] = COLOUR_NAMES.index("white")
    named[light < _DARK] = COLOUR_NAMES.index("black")
    return named


def colours_in(named: NDArray[np.uint8], inside: Mask, most: int = 2) -> Sequence[str]:
    """The colours of a thing, the clearest first; those that only shine through from around it count less.

    Args:
        named: From :func:`colour_map`.
        inside: Which pixels belong to the thing.
        most: How many at most.
    """
    within, around, edge = (_shares(named[part]) for part in (inside, ~inside, _edge(named.shape)))
    worth = np.where(np.arange(len(COLOUR_NAMES)) < _HUELESS, 1.0, _NAMED)
    scores = worth * within - _OUTSIDE * np.maximum(around, edge)
    order = [int(at) for at in np.argsort(-scores) if worth[at] * within[at] >= _LEAST]
    clear = [at for at in order if at == order[0] or scores[at] >= _SECOND * scores[order[0]] > 0]
    return [COLOUR_NAMES[at] for at in clear[:most]] or [COLOUR_NAMES[int(within.argmax())]]


def _shares(colours: NDArray[np.uint8]) -> NDArray[np.float64]:
    return np.bincount(colours, minlength=len(COLOUR_NAMES)) / max(1, colours.size)


def _edge(shape: tuple[int, ...]) -> Mask:
    """The outermost twentieth of a picture."""
    high, wide = shape
    edge = np.ones(shape, bool)
    edge[high // 20 + 1 : -(high // 20 + 1), wide // 20 + 1 : -(wide // 20 + 1)] = False
    return edge
