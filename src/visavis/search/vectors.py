"""Vectors of pictures and of texts, each read or computed once, and what their products mean in a collection.

A cosine means nothing by itself; 0.2 may be much for one wish and little for another. Against a sample of the
collection each wish gets a scale of its own. Ids are hashes of contents, so the first ids in order are a fair sample,
and the same one for everybody who looks at the same collection.
A *spread* is the standard deviation of scores over the sample.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from cachetools import FIFOCache, LRUCache

from visavis.encoders.base import Encoder, FloatArray
from visavis.search.byte_matrix import ByteMatrix
from visavis.stores.base import STATE, Store, StoredPoint

#: Pictures remembered; with 36 regions of 256 numbers each that is 38 MB.
PICTURE_CAPACITY = 1000

_SHARED: WeakKeyDictionary[Store, PictureVectors] = WeakKeyDictionary()
_SHARING = Lock()

_Known = tuple[FloatArray, FloatArray | None]


def pictures_of(store: Store, dimension: int) -> PictureVectors:
    """The vector cache of a store, shared by all who read its pictures."""
    with _SHARING:
        if store not in _SHARED:
            _SHARED[store] = PictureVectors(store, dimension)
        return _SHARED[store]


class PictureVectors:
    """Reads vectors from a store and remembers them. Safe to use from several threads.

    An id is the hash of a picture's contents and a store belongs to one encoder, so what is remembered stays true.
    """

    def __init__(self, store: Store, dimension: int, capacity: int = PICTURE_CAPACITY) -> None:
        self._store: Store = weakref.proxy(store)  # a weak reference, so that a closed store can be freed
        self._empty = np.zeros(dimension, np.float32)
        self._known: FIFOCache[str, _Known] = FIFOCache(capacity)
        self._lock = Lock()

    def whole(self, ids: Sequence[str]) -> FloatArray:
        """``[n, d]``; a picture that is gone is a zero."""
        if not ids:
            return np.zeros((0, len(self._empty)), np.float32)
        with self._lock:
            found = {id: self._known[id][0] for id in ids if id in self._known}
        if missing := [id for id in ids if id not in found]:
            found |= self._store.vectors(missing, "whole")
        return np.stack([found.get(id, self._empty) for id in ids])

    def prefetch(self, ids: Sequence[str]) -> None:
        """Read what is not known at once; each call of the store costs as much as several pictures."""
        self._read(ids)

    def both(self, ids: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Whole pictures ``[n, d]`` and regions ``[n, r, d]``; without regions a picture is its own only region."""
        if not ids:
            return np.zeros((0, len(self._empty)), np.float32), np.zeros((0, 1, len(self._empty)), np.float32)
        known = self._read(ids)
        whole = np.stack([known[id][0] if id in known else self._empty for id in ids])
        regions = [known[id][1] if id in known else None for id in ids]
        number = max((len(found) for found in regions if found is not None), default=1)
        made = np.empty((len(ids), number, whole.shape[1]), np.float32)
        for at, found in enumerate(regions):
            made[at] = whole[at] if found is None else found
        return whole, made

    def _read(self, ids: Sequence[str]) -> dict[str, _Known]:
        with self._lock:
            known = {id: self._known[id] for id in ids if id in self._known}
        missing = [id for id in dict.fromkeys(ids) if id not in known]
        if missing:
            whole, regions = self._store.vectors(missing, "whole"), self._store.vectors(missing, "regions")
            read = {id: (vector, regions.get(id)) for id, vector in whole.items()}
            known |= read
            with self._lock:
                self._known.update(read)
        return known


#: Multiplications that OpenBLAS does without other threads: of matrices, and of a matrix and a vector.
_MATRICES, _VECTOR = 262_144, 9_000
#: So many vectors at once: slices that are about as high as wide go fastest.
_WIDE = 32


def product(rows: FloatArray, vectors: FloatArray) -> FloatArray:
    """The scalar products of rows ``[n, d]`` with one vector ``[d]`` or several ``[v, d]``: ``[n]`` or ``[n, v]``.

    BLAS starts a thread a core for anything above a few hundred thousand multiplications. For products that take a
    tenth of a millisecond, waiting until another core is free takes far longer than the work (8 ms instead of 0.2 on a
    busy machine); so they are made in slices that BLAS does on the calling thread.
    """
    if vectors.ndim == 1:
        return np.asarray(_sliced(rows, vectors, _VECTOR), np.float32)
    if len(vectors) > len(rows):
        return np.ascontiguousarray(product(vectors, rows).T)
    made = np.empty((len(rows), len(vectors)), np.float32)
    for start in range(0, len(vectors), _WIDE):
        some = vectors[start : start + _WIDE]
        one = _sliced(rows, some[0], _VECTOR)[:, None] if len(some) == 1 else _sliced(rows, some.T, _MATRICES)
        made[:, start : start + _WIDE] = one
    return made


def _sliced(rows: FloatArray, others: FloatArray, most: int) -> FloatArray:
    """A product with others ``[d]`` or ``[d, v]`` in slices of so many multiplications; numpy loops over them."""
    step = max(1, most // max(1, others.size))
    even = len(rows) - len(rows) % step
    if not even:
        return np.asarray(rows @ others)
    sliced = np.matmul(rows[:even].reshape(-1, step, rows.shape[1]), others).reshape(even, *others.shape[1:])
    return sliced if even == len(rows) else np.concatenate([sliced, rows[even:] @ others])


def region_products(regions: FloatArray, vectors: FloatArray) -> FloatArray:
    """The scalar products of regions ``[n, r, d]`` with vectors ``[v, d]``: ``[n, r, v]``; see :func:`product`."""
    number, each, dimension = regions.shape
    return product(regions.reshape(number * each, dimension), vectors).reshape(number, each, len(vectors))


#: Texts remembered; at 256 numbers each that is 8 MB.
TEXT_CAPACITY = 8192


class TextVectors:
    """Encodes texts and remembers them, the least recently used forgotten first. Safe to use from several threads."""

    def __init__(self, encoder: Encoder, capacity: int = TEXT_CAPACITY) -> None:
        self._encoder = encoder
        self._known: LRUCache[str, FloatArray] = LRUCache(capacity)
        self._lock = Lock()

    @property
    def encoder(self) -> Encoder:
        """What encodes."""
        return self._encoder

    @property
    def dimension(self) -> int:
        """Length of the vectors."""
        return self._encoder.dimension

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """One unit vector a text, ``[n, d]``."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        unknown = [text for text in dict.fromkeys(texts) if text not in found]
        if unknown:
            found |= zip(unknown, self._encoder.encode_texts(unknown), strict=True)
            with self._lock:
                self._known.update({text: found[text] for text in unknown})
        return np.stack([found[text] for text in texts])


#: Pictures in the sample: a standard deviation is then known to about 2 %, and a collection of so many is known whole.
SAMPLE_SIZE = 2000
#: Of so many the regions are looked at: they are many times as much to read, in every turn.
REGIONED = 200


def sampled_points(store: Store, number: int) -> list[StoredPoint]:
    """The first points of a store that a search shows by default.

    Edited pictures are not among them: many edits of a few pictures would change what is ordinary in the collection.
    """
    points = (point for points in store.scroll(number) for point in points if STATE not in point.payload)
    return list(islice(points, number))


@dataclass(frozen=True)
class VectorSample:
    """Vectors of some pictures: ``whole [n, d]`` and ``regions [n, r, d]``, and their ids where they are known."""

    whole: FloatArray
    regions: FloatArray
    ids: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.whole)

    def whole_scores(self, vectors: FloatArray) -> FloatArray:
        """The cosine of every sampled picture with a vector ``[d]``, or with several, ``[n, v]``."""
        return product(self.whole, vectors)

    def region_scores(self, vectors: FloatArray) -> FloatArray:
        """The cosine of the best region with several vectors, ``[n, v]``, for the first of the sampled pictures."""
        cosines = self.region_cosines(vectors, REGIONED)
        return np.asarray(cosines.max(axis=2, initial=-1.0).T, np.float32)

    def region_cosines(self, vectors: FloatArray, pictures: int | None = None) -> FloatArray:
        """The cosines of regions with several vectors, ``[v, n, r]``, for all of the pictures or the first of them."""
        number, each = self.regions.shape[:2]
        number = number if pictures is None else min(number, pictures)
        return self._bytes.products(vectors, number * each).reshape(len(vectors), number, each)

    @cached_property
    def _bytes(self) -> ByteMatrix:
        return ByteMatrix(self.regions.reshape(-1, self.regions.shape[-1]))

    @classmethod
    def take(cls, store: Store, dimension: int) -> VectorSample:
        """Take it."""
        points = sampled_points(store, SAMPLE_SIZE)
        if not points:
            return cls(np.zeros((0, dimension), np.float32), np.zeros((0, 1, dimension), np.float32))
        whole = np.stack([point.whole for point in points])
        regions = [point.regions for point in points if point.regions is not None]
        same = len(regions) == len(points) and len({len(found) for found in regions}) == 1
        return cls(whole, np.stack(regions) if same else whole[:, None], tuple(point.id for point in points))


#: Fewer sampled pictures than this tell nothing about the spread of scores.
_ENOUGH = 20
#: Means and spreads of the built-in encoder where there is no sample, for words and for pictures.
_WORDS, _PICTURES = (-0.13, 0.06), (0.58, 0.07)
#: Vectors whose scales are remembered: those of a few conversations.
_REMEMBERED = 2048
#: No spread is taken for less.
_LEAST = 1e-3


@dataclass(frozen=True)
class Scale:
    """The ordinary score of one vector in the collection, and how far scores spread around it."""

    middle: float
    spread: float

    def above(self, scores: FloatArray) -> FloatArray:
        """How many spreads above the ordinary."""
        return np.asarray((scores - self.middle) / self.spread, np.float32)


@dataclass(frozen=True)
class RegionScale(Scale):
    """The same for the best region of each picture.

    Attributes:
        agreement: How far best regions and whole pictures agree on who shows it, as a correlation: words for what can
            be seen ("wet street") have 0.8 and more, others ("classic", "for fall") less than 0.7.
    """

    agreement: float = 1.0


class Scales:
    """The scales of vectors, each worked out once: an old wish costs nothing later. Safe for several threads."""

    def __init__(self, sample: VectorSample) -> None:
        self._sample = sample
        self._known: FIFOCache[bytes, tuple[Scale, RegionScale]] = FIFOCache(_REMEMBERED)
        self._lock = Lock()

    def whole(self, vector: FloatArray, *, words: bool) -> Scale:
        """The scale of cosines with whole pictures."""
        if len(self._sample) < _ENOUGH:
            return Scale(*(_WORDS if words else _PICTURES))
        return self._of(vector)[0]

    def regions(self, vector: FloatArray) -> RegionScale:
        """The scale of cosines with the best region."""
        if len(self._sample) < _ENOUGH:
            return RegionScale(*_WORDS)
        return self._of(vector)[1]

    def spread(self, vector: FloatArray) -> float:
        """How far the cosines of whole pictures with words spread, for a vector that no later turn has."""
        if len(self._sample) < _ENOUGH:
            return _WORDS[1]
        return max(float(self._sample.whole_scores(vector).std()), _LEAST)

    def measure(self, vectors: Iterable[FloatArray]) -> None:
        """Work out several at once: the sample is read from memory once for all of them."""
        if len(self._sample) < _ENOUGH:
            return
        with self._lock:
            new = {key: row for row in vectors if (key := _key(row)) not in self._known}
        if not new:
            return
        stacked = np.stack([np.frombuffer(key, np.float32) for key in new])
        measured = dict(zip(new, _measured(self._sample, stacked), strict=True))
        with self._lock:
            self._known.update(measured)

    def _of(self, vector: FloatArray) -> tuple[Scale, RegionScale]:
        key = _key(vector)
        with self._lock:
            found = self._known.get(key)
        if found is None:
            found = _measured(self._sample, np.frombuffer(key, np.float32)[None])[0]
            with self._lock:
                self._known[key] = found
        return found


def _key(vector: FloatArray) -> bytes:
    return np.ascontiguousarray(vector, np.float32).tobytes()


def _measured(sample: VectorSample, vectors: FloatArray) -> list[tuple[Scale, RegionScale]]:
    whole, best = sample.whole_scores(vectors), sample.region_scores(vectors)
    middles, spreads = np.median(whole, axis=0), np.maximum(whole.std(axis=0), _LEAST)
    best_middles, best_spreads = np.median(best, axis=0), np.maximum(best.std(axis=0), _LEAST)
    same = whole[: len(best)]
    together = ((best - best.mean(axis=0)) * (same - same.mean(axis=0))).mean(axis=0)
    agreement = together / np.maximum(best.std(axis=0) * same.std(axis=0), 1e-6)
    rows = zip(middles, spreads, best_middles, best_spreads, agreement, strict=True)
    return [(Scale(float(a), float(b)), RegionScale(float(c), float(d), float(e))) for a, b, c, d, e in rows]


def likely(logit: float) -> float:
    """A logit as a probability, to four places."""
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit)))), 4)
