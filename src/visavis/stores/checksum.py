"""A number that two stores share when they hold the same points, whatever order they are read in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.stores.base import Point, Precision, Store

_BITS = 128


@dataclass(frozen=True)
class Checksum:
    """How many points, and the sum of their digests: addition does not care for order."""

    count: int = 0
    total: int = 0

    def plus(self, digests: Iterable[int]) -> Checksum:
        """With these points added."""
        added = list(digests)
        return Checksum(self.count + len(added), (self.total + sum(added)) % 2**_BITS)

    def __str__(self) -> str:
        return f"{self.count}:{self.total:032x}"


def digest(point: Point, precision: Precision) -> int:
    """A number for a point's id, vectors and payload, with the vectors rounded to a precision.

    A store that keeps half-precision numbers gives back what it rounded; rounding both sides makes them equal.
    """
    hashed = hashlib.blake2b(bytes.fromhex(point.id), digest_size=_BITS // 8)
    hashed.update(_bytes(point.whole, precision))
    if point.regions is not None:
        hashed.update(f"regions {point.regions.shape[0]}".encode())
        hashed.update(_bytes(point.regions, precision))
    plain = {name: _plain(value) for name, value in point.payload.items() if value is not None}
    hashed.update(json.dumps(plain, sort_keys=True, ensure_ascii=True).encode())
    return int.from_bytes(hashed.digest(), "big")


def coarser(first: Precision, second: Precision) -> Precision:
    """The precision that both can give."""
    return "float16" if "float16" in (first, second) else "float32"


def checksum_of(store: Store, precision: Precision | None = None, batch: int = 1000) -> Checksum:
    """The checksum of everything in a store, at its own precision unless told otherwise."""
    chosen = precision or store.info().precision
    total = Checksum()
    for points in store.scroll(batch):
        total = total.plus(digest(point, chosen) for point in points)
    return total


def _bytes(vectors: FloatArray, precision: Precision) -> bytes:
    # Adding zero turns a negative zero into the other one: they are equal and must digest alike.
    rounded: bytes = (np.asarray(vectors).astype(precision) + np.dtype(precision).type(0)).tobytes()
    return rounded


def _plain(value: Any) -> Any:
    """JSON does not tell 50 from 50.0, nor a tuple from a list."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
