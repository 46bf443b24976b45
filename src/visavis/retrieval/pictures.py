"""Vectors of pictures, each read once: a conversation looks at the same pictures turn after turn."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.stores.base import Store

#: Pictures remembered; with nine regions of 256 numbers each that is 40 MB.
CAPACITY = 4000

_SHARED: WeakKeyDictionary[Store, PictureVectors] = WeakKeyDictionary()
_SHARING = Lock()

_Known = tuple[FloatArray, FloatArray | None]


def pictures_of(store: Store, dimension: int) -> PictureVectors:
    """The memory of a store, one for all who look at its pictures."""
    with _SHARING:
        if store not in _SHARED:
            _SHARED[store] = PictureVectors(store, dimension)
        return _SHARED[store]


class PictureVectors:
    """Reads vectors from a store and remembers them. Safe to use from several threads.

    An id is the hash of a picture's contents and a store belongs to one encoder, so what is remembered stays true.
    """

    def __init__(self, store: Store, dimension: int, capacity: int = CAPACITY) -> None:
        self._store: Store = weakref.proxy(store)  # what is shared must not keep a closed store alive
        self._empty = np.zeros(dimension, np.float32)
        self._capacity = capacity
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._lock = Lock()

    def whole(self, ids: Sequence[str]) -> FloatArray:
        """``[n, d]``; a picture that is gone is a zero."""
        if not ids:
            return np.zeros((0, len(self._empty)), np.float32)
        found = self._store.vectors(ids, "whole")
        return np.stack([found.get(id, self._empty) for id in ids])

    def both(self, ids: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Whole pictures ``[n, d]`` and regions ``[n, r, d]``; without regions a picture is its own only region."""
        if not ids:
            return np.zeros((0, len(self._empty)), np.float32), np.zeros((0, 1, len(self._empty)), np.float32)
        known = self._read(ids)
        whole = np.stack([known[id][0] if id in known else self._empty for id in ids])
        regions = [known[id][1] if id in known else None for id in ids]
        number = max((len(found) for found in regions if found is not None), default=1)
        alone = (np.broadcast_to(row, (number, len(row))) for row in whole)
        made = [row if found is None else found for found, row in zip(regions, alone, strict=True)]
        return whole, np.stack(made)

    def _read(self, ids: Sequence[str]) -> dict[str, _Known]:
        with self._lock:
            known = {id: self._known[id] for id in ids if id in self._known}
        missing = [id for id in dict.fromkeys(ids) if id not in known]
        if missing:
            whole, regions = self._store.vectors(missing, "whole"), self._store.vectors(missing, "regions")
            read = {id: (vector, regions.get(id)) for id, vector in whole.items()}
            known |= read
            self._remember(read)
        return known

    def _remember(self, read: dict[str, _Known]) -> None:
        with self._lock:
            self._known |= read
            while len(self._known) > self._capacity:
                self._known.popitem(last=False)
