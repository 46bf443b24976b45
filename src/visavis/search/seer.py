"""Says what a picture of a collection shows: nouns from the encoder, colours from the pixels, places from both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from visavis.encoders.base import FloatArray
from visavis.errors import VisavisError
from visavis.language.concepts import nouns_in, singular
from visavis.language.lexicon import colours, things
from visavis.search.bank import ConceptBank, default_bank
from visavis.search.scale import VectorSample
from visavis.search.things import Thing, colour_map, colours_in, find_things
from visavis.types import Box, Concept, Kind

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

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
