"""Copies every point of one store into another until their checksums agree."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, StorageError
from visavis.stores.base import Precision, Store, StoredPoint
from visavis.stores.format_file import dimension_error
from visavis.stores.region_file import quantised

_BITS = 128


@dataclass(frozen=True)
class Checksum:
    """The number of points and the sum of their digests, which does not depend on their order."""

    count: int = 0
    total: int = 0

    def plus(self, digests: Iterable[int]) -> Checksum:
        """Add points."""
        added = list(digests)
        return Checksum(self.count + len(added), (self.total + sum(added)) % 2**_BITS)

    def __str__(self) -> str:
        return f"{self.count}:{self.total:032x}"


def digest(point: StoredPoint, precision: Precision) -> int:
    """Return a digest of a point's id, vectors and payload, with the vectors rounded to a precision.

    A half-precision store returns rounded vectors; rounding both sides makes them equal.
    """
    hashed = hashlib.blake2b(bytes.fromhex(point.id), digest_size=_BITS // 8)
    hashed.update(_bytes(point.whole, precision))
    if point.regions is not None:
        hashed.update(f"regions {point.regions.shape[0]}".encode())
        # Stores keep them quantised or in half precision, and quantising gives the same for both.
        exact = precision == "float32"
        hashed.update(_bytes(point.regions, precision) if exact else quantised(point.regions)[0].tobytes())
    plain = {name: _plain(value) for name, value in point.payload.items() if value is not None}
    hashed.update(json.dumps(plain, sort_keys=True, ensure_ascii=True).encode())
    return int.from_bytes(hashed.digest(), "big")


def coarser(first: Precision, second: Precision) -> Precision:
    """Return the precision that both can represent."""
    return "float16" if "float16" in (first, second) else "float32"


def checksum_of(store: Store, precision: Precision | None = None, batch: int = 1000) -> Checksum:
    """Return the checksum of a store, at its own precision by default."""
    chosen = precision or store.info().precision
    total = Checksum()
    for points in store.scroll(batch):
        total = total.plus(digest(point, chosen) for point in points)
    return total


def _bytes(vectors: FloatArray, precision: Precision) -> bytes:
    # Adding zero turns a negative zero into a positive one: they are equal and must have the same digest.
    rounded: bytes = (np.asarray(vectors).astype(precision) + np.dtype(precision).type(0)).tobytes()
    return rounded


def _plain(value: Any) -> Any:
    """Normalise a value: JSON does not tell 50 from 50.0, nor a tuple from a list."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


_BATCH = 500
#: Called with the points compared so far and their total.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class CopyReport:
    """The result of a copy.

    Attributes:
        count: Points in both stores now.
        written: Points that were written; the others were there already, from an interrupted copy.
        removed: Points that the source does not have.
        checksum: The same for both stores; see :mod:`visavis.stores.replication`.
    """

    count: int
    written: int
    removed: int
    checksum: str


def copy_store(
    source: Store,
    target: Store,
    *,
    remove_others: bool = False,
    on_progress: Progress | None = None,
    batch: int = _BATCH,
) -> CopyReport:
    """Make the target equal to the source: points, payloads and field indexes.

    Both stores yield their points in the order of ids, so they are merged and only what differs is
    written. That makes a copy resumable without any state: an interrupted one is run again,
    and skips what has arrived.

    Args:
        source: The store to read.
        target: The store to write.
        remove_others: Whether points that only the target has are removed; otherwise they raise an error.
        on_progress: Called after each batch.
        batch: Points read and written at once.

    Raises:
        BadInputError: The dimensions differ, or the target holds other points.
        StorageError: The checksums differ afterwards (a store was written to meanwhile).
    """
    before, there = source.info(), target.info()
    if before.dimension != there.dimension:
        raise dimension_error(there.where, there.dimension, before.dimension)
    precision = coarser(before.precision, there.precision)
    for field, kind in source.fields().items():
        target.index_field(field, kind)
    copy = _Copy(source, target, precision, remove_others, batch)
    for looked_at in copy.run(empty=there.count == 0):
        if on_progress:
            on_progress(looked_at, before.count)
    target.flush()
    arrived = checksum_of(target, precision, batch)
    if arrived != copy.checksum:
        raise StorageError(
            f"The copy in {there.where} ({arrived}) differs from {before.where} ({copy.checksum}).",
            "One of them was changed meanwhile: begin the copy again, it goes on where it stands.",
        )
    return CopyReport(arrived.count, copy.written, copy.removed, str(arrived))


class _Copy:
    def __init__(self, source: Store, target: Store, precision: Precision, remove_others: bool, batch: int) -> None:
        self._source = source
        self._target = target
        self._precision = precision
        self._remove_others = remove_others
        self._batch = batch
        self.checksum = Checksum()
        self.written = 0
        self.removed = 0

    def run(self, *, empty: bool) -> Iterator[int]:
        """Copy; yields the number of points compared after each batch."""
        arrived = _Cursor(iter(()) if empty else self._target.scroll(self._batch), self._precision)
        for points in self._source.scroll(self._batch):
            digests = [digest(point, self._precision) for point in points]
            missing = []
            for point, expected in zip(points, digests, strict=True):
                self._remove(arrived.before(point.id))
                if arrived.take(point.id) != expected:
                    missing.append(point)
            self._target.upsert(missing)
            self.written += len(missing)
            self.checksum = self.checksum.plus(digests)
            yield self.checksum.count
        self._remove(arrived.before(None))

    def _remove(self, ids: list[str]) -> None:
        if ids and not self._remove_others:
            raise BadInputError(
                f"The target holds pictures that the source has not, such as {ids[0]}.",
                "Choose an empty one; nothing has been removed.",
            )
        self._target.delete(ids)
        self.removed += len(ids)


class _Cursor:
    """Iterates the target in step with the source."""

    def __init__(self, batches: Iterator[list[StoredPoint]], precision: Precision) -> None:
        self._points = ((point.id, digest(point, precision)) for points in batches for point in points)
        self._at = next(self._points, None)

    def before(self, id: str | None) -> list[str]:
        """Skip to this id (to the end for None) and return the ids before it."""
        passed = []
        while self._at is not None and (id is None or self._at[0] < id):
            passed.append(self._at[0])
            self._at = next(self._points, None)
        return passed

    def take(self, id: str) -> int | None:
        """Return the digest of the point with this id, if it is the current one."""
        if self._at is None or self._at[0] != id:
            return None
        found = self._at[1]
        self._at = next(self._points, None)
        return found
