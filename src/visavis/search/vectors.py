"""Vectors of pictures and of texts, each read or computed once, and small products of them."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from cachetools import FIFOCache, LRUCache

from visavis.encoders.base import Encoder, FloatArray
from visavis.stores.base import Store

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
#: Rows of a slice at least, where there are many vectors.
_TALL = 8


def product(rows: FloatArray, vectors: FloatArray) -> FloatArray:
    """The scalar products of rows ``[n, d]`` with one vector ``[d]`` or several ``[v, d]``: ``[n]`` or ``[n, v]``.

    BLAS starts a thread a core for anything above a few hundred thousand multiplications. For products that take a
    tenth of a millisecond, waiting until another core is free takes far longer than the work (8 ms instead of 0.2 on a
    busy machine); so they are made in slices that BLAS does on the calling thread.
    """
    number, dimension = rows.shape
    if vectors.ndim == 2 and len(vectors) == 1:
        return product(rows, vectors[0])[:, None]
    if vectors.ndim == 1:
        if number * dimension <= _VECTOR:
            return np.asarray(rows @ vectors, np.float32)
        return np.ascontiguousarray(product(rows, np.stack([vectors, vectors]))[:, 0])  # in longer slices than of one
    made = np.empty((number, len(vectors)), np.float32)
    wide = max(1, _MATRICES // (_TALL * dimension))
    if len(vectors) > wide:
        for start in range(0, len(vectors), wide):
            made[:, start : start + wide] = product(rows, vectors[start : start + wide])
        return made
    step = max(1, _MATRICES // (dimension * max(1, len(vectors))))
    for start in range(0, number, step):
        np.matmul(rows[start : start + step], vectors.T, out=made[start : start + step])
    return made


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
