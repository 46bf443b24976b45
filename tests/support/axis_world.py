"""A world of axes: each word is a direction, pictures are sums of words, and everything can be computed by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from memory_store import MemoryStore

from visavis.encoders.base import Encoded, Encoder
from visavis.search.probability import MatchModel
from visavis.search.retriever import ComposedRetriever
from visavis.stores.base import StoredPoint
from visavis.types import FloatArray, Wish, WishKind

WORDS = "red blue green dress shirt shoes long short sleeves people dark bright men women".split()
DIMENSION = 24

#: Weights fitted for an encoder long ago: what the tests expect must not change with the encoder that ships.
MODEL = MatchModel(
    -0.7361,
    (0.162, 0.456, -0.2876, 0.9508, 5.4013, 2.7757, -5.5909, -0.0259, -0.9283, -1.5211, -1.587, -0.0947, 0.0669),
    -11.3449,
    (0.142, 1.7181, 1.508, -0.7945, -0.2055, 2.9066, 0.0369, -0.4051),
    0.1,
)


def wish(kind: WishKind, text: str = "", turn: int = 1, **more: Any) -> Wish:
    """A wish whose id does not matter."""
    return Wish("1.1", kind, text, turn, **more)


def vector_of(text: str) -> FloatArray:
    """The sum of the axes of its words, and a little of an axis that all words share."""
    vector = np.zeros(DIMENSION, np.float32)
    for word in text.lower().replace(".", " ").replace(",", " ").split():
        if word in WORDS:
            vector[WORDS.index(word)] += 1.0
        else:
            vector[len(WORDS) + hashlib.md5(word.encode()).digest()[0] % 8] += 0.05
    vector[-1] = 0.1
    return vector / np.linalg.norm(vector)


class AxisEncoder(Encoder):
    name = "axes"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        self.encoded += texts
        return np.array([vector_of(text) for text in texts], np.float32).reshape(len(texts), DIMENSION)

    def encode_pictures(self, images) -> Encoded:
        raise NotImplementedError

    def encode_patches(self, images) -> FloatArray:
        raise NotImplementedError


def id_of(name: str) -> str:
    return hashlib.md5(name.encode()).hexdigest()


class World:
    """Pictures by what they show, "red dress long sleeves", each word also a region of its own."""

    def __init__(self, noise: float = 0.05) -> None:
        self.encoder, self.store = AxisEncoder(), MemoryStore()
        self.names: dict[str, str] = {}
        self._noise, self._random = noise, np.random.default_rng(5)

    def add(self, shows: str, **payload: object) -> str:
        name = shows + str(payload)
        id = id_of(name)
        self.names[id] = shows
        words = shows.split()
        regions = [vector_of(words[place % len(words)]) for place in range(9)]
        self.store.upsert([StoredPoint(id, self._shaken(vector_of(shows)), np.stack(regions), payload)])
        return id

    def _shaken(self, vector: FloatArray) -> FloatArray:
        vector = vector + self._random.normal(0, self._noise, DIMENSION).astype(np.float32)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    def retriever(self, **options) -> ComposedRetriever:
        return ComposedRetriever(self.encoder, self.store, **{"model": MODEL, **options})

    def shown(self, ids: Sequence[str]) -> list[str]:
        return [self.names[id] for id in ids]
