"""Says what a picture of a collection shows: nouns from the encoder, colours from the pixels, places from both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from visavis.encoders.base import FloatArray
from visavis.errors import VisavisError
from visavis.language.context import nouns_in, singular
from visavis.language.lexicon import colours, things
from visavis.search.bank import ConceptBank, default_bank
from visavis.search.vectors import VectorSample
from visavis.types import Box, Concept, Kind

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

#: How many nouns, the likeliest for the whole picture or a part of it, compete for each patch.
_COMPETING = 40
#: Cosines of patches lie close together; this makes a small lead a clear one.
_PATCH_TEMPERATURE = 0.05
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
#: Pictures whose patches are remembered: a person talks about few of them.
_REMEMBERED = 16
#: Pixels to each side of a patch when colours are read.
_PIXELS = 8
#: Smoothed patches score a little lower than the regions of the sample.
_PATCH_SHARE = 0.8
#: A material is told when it is this likely among all, at this temperature.
_MATERIAL, _TEMPERATURE = 0.5, 0.03
#: Nouns that patches of the built-in encoder are nearest to whatever they show. With "person" among the nouns people
#: were told of in 30 of 30 COCO photographs without anybody; men, women and children are looked for by their own names.
_EVERYWHERE = frozenset({"person"})
_WORD = re.compile(r"[a-z][a-z-]+")


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
    logits = scores[..., likely] / _PATCH_TEMPERATURE
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
    """Each thing once, by its most probable name."""
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


class PictureSeer:
    """Sees the pictures of one collection; nothing is loaded before it first looks at one."""

    def __init__(self, collection: StoredCollection) -> None:
        self._collection = collection
        self._patches = lru_cache(_REMEMBERED)(self._read_patches)

    def concepts(self, picture: str, message: str = "") -> tuple[Concept, ...]:
        """What the picture with this id shows; what the message names is looked for in any case.

        Args:
            picture: The picture's id.
            message: What is said about it.
        """
        try:
            patches, named = self._patches(picture)
        except (OSError, VisavisError):  # a picture that cannot be opened shows nothing; the talk goes on
            return ()
        names, vectors, ordinary = self._with(self._asked(message))
        asked = tuple(range(len(self._names), len(names)))
        found = find_things(patches, vectors, ordinary, asked)
        return tuple(self._concept(names[thing.noun], thing, patches, named) for thing in found)

    # -- what can be seen --------------------------------------------------------------------------

    @cached_property
    def _bank(self) -> ConceptBank:
        return default_bank(self._collection.encoder, self._collection.place.folder.parents[1])

    def _of(self, *kinds: Kind) -> tuple[list[str], FloatArray]:
        told = [at for at, concept in enumerate(self._bank.concepts) if concept.phrase not in _EVERYWHERE]
        places = [at for at in told if self._bank.concepts[at].kind in kinds]
        return [self._bank.concepts[at].phrase for at in places], self._bank.vectors[places]

    @cached_property
    def _nouns(self) -> tuple[list[str], FloatArray]:
        return self._of(Kind.THING, Kind.STUFF)

    @property
    def _names(self) -> list[str]:
        return self._nouns[0]

    @cached_property
    def _materials(self) -> tuple[list[str], FloatArray]:
        return self._of(Kind.MATERIAL)

    @cached_property
    def _ordinary(self) -> FloatArray:
        """The mean region of the collection: what nouns score on anything."""
        sample = VectorSample.take(self._collection.store, self._collection.encoder.dimension)
        if not len(sample):
            return np.zeros(self._collection.encoder.dimension, np.float32)
        return np.asarray(_PATCH_SHARE * sample.regions.reshape(-1, sample.regions.shape[-1]).mean(axis=0), np.float32)

    def _asked(self, message: str) -> list[str]:
        """The nouns of a message: what is talked about may be no word of the vocabulary."""
        return [word for word in nouns_in(message) if singular(word) in _nouns_known() and word not in colours()][:6]

    def _with(self, asked: Sequence[str]) -> tuple[list[str], FloatArray, FloatArray]:
        names, vectors = self._nouns
        if asked:
            own = self._bank.prompt_vectors([f"a photo of a {singular(name)}" for name in asked])
            names, vectors = [*names, *asked], np.concatenate([vectors, own])
        return names, vectors, np.asarray(vectors @ self._ordinary, np.float32)

    # -- one picture -------------------------------------------------------------------------------

    def _read_patches(self, picture: str) -> tuple[FloatArray, np.typing.NDArray[np.uint8]]:
        small = self._collection.thumbnail(picture)
        if small.is_file():
            with Image.open(small) as opened:
                image = opened.convert("RGB")
        else:
            image = self._collection.open_image(picture).convert("RGB")
        patches = self._collection.encoder.encode_patches([image])[0]
        rows, columns, _ = patches.shape
        return patches, colour_map(image.resize((columns * _PIXELS, rows * _PIXELS)))

    def _concept(self, name: str, thing: Thing, patches: FloatArray, named: np.typing.NDArray[np.uint8]) -> Concept:
        inside = np.kron(thing.patches, np.ones((_PIXELS, _PIXELS), bool))
        material = self._material(patches[thing.patches].mean(axis=0))
        told = (*colours_in(named, inside), *material)
        return Concept(singular(name), tuple(told), place_of(thing.box), thing.box, round(thing.chance, 3))

    def _material(self, vector: FloatArray) -> tuple[str, ...]:
        names, vectors = self._materials
        if not names:
            return ()
        scores = vectors @ vector / max(float(np.linalg.norm(vector)), 1e-9) - vectors @ self._ordinary
        share = np.exp((scores - scores.max()) / _TEMPERATURE)
        best = int(share.argmax())
        return (names[best],) if share[best] / share.sum() >= _MATERIAL else ()


@lru_cache(1)
def _nouns_known() -> frozenset[str]:
    return frozenset(singular(word) for phrase in things() for word in _WORD.findall(phrase))


def place_of(box: Box) -> str:
    """Where a box lies in words: "top left", "right", "middle".

    >>> place_of((0.0, 0.0, 0.3, 0.3))
    'top left'
    """
    left, top, right, bottom = box
    across, down = (left + right) / 2, (top + bottom) / 2
    words = ["top" if down < 0.36 else "bottom" if down > 0.64 else ""]
    words.append("left" if across < 0.36 else "right" if across > 0.64 else "")
    return " ".join(word for word in words if word) or "middle"
