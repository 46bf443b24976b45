"""Moving house: every point of one store into another, again and again until both are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from visavis.errors import BadInputError, StorageError
from visavis.stores.base import Point, Precision, Store
from visavis.stores.checksum import Checksum, checksum_of, coarser, digest
from visavis.stores.format_file import dimension_error

_BATCH = 500
#: Called with the points looked at so far and how many there are.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class CopyReport:
    """What a copy did.

    Attributes:
        count: Points in both stores now.
        written: Points that were written; the others were there already, from a copy that was cut short.
        removed: Points that the source does not have (any more).
        checksum: The same for both stores; see :mod:`visavis.stores.checksum`.
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
    """Make the target hold what the source holds: points, payloads and field indexes.

    Both stores give their points in the order of ids, so they are walked side by side and only what differs is
    written. That makes a copy resumable without keeping any state: one that was cut short is simply begun again,
    and passes over what has arrived.

    Args:
        source: Where from; it is only read.
        target: Where to.
        remove_others: Whether points that only the target has are removed; refused with an error otherwise.
        on_progress: Called after each batch.
        batch: Points read and written at once.

    Raises:
        BadInputError: The dimensions differ, or the target holds other points.
        StorageError: Both are not the same afterwards (they were written to meanwhile).
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
        """Copy; gives the number of points looked at after each batch."""
        arrived = _Cursor(iter(()) if empty else self._target.scroll(self._batch), self._precision)
        for points in self._source.scroll(self._batch):
            digests = [digest(point, self._precision) for point in points]
            missing = []
            for point, wanted in zip(points, digests, strict=True):
                self._remove(arrived.before(point.id))
                if arrived.take(point.id) != wanted:
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
    """Walks the target in step with the source."""

    def __init__(self, batches: Iterator[list[Point]], precision: Precision) -> None:
        self._points = ((point.id, digest(point, precision)) for points in batches for point in points)
        self._at = next(self._points, None)

    def before(self, id: str | None) -> list[str]:
        """The ids passed over on the way to this one (to the end for None)."""
        passed = []
        while self._at is not None and (id is None or self._at[0] < id):
            passed.append(self._at[0])
            self._at = next(self._points, None)
        return passed

    def take(self, id: str) -> int | None:
        """The digest of the point with this id, if the walk stands there."""
        if self._at is None or self._at[0] != id:
            return None
        found = self._at[1]
        self._at = next(self._points, None)
        return found
