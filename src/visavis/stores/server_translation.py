"""Convert points and conditions to and from a Qdrant server's types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from qdrant_client import models

from visavis.stores.base import Hit, StoredPoint

#: Most numbers a request: as text they take about 20 bytes each, and servers refuse 32 MB.
_MOST_NUMBERS = 600_000


def batches(points: Sequence[StoredPoint], most: int) -> Iterator[list[StoredPoint]]:
    """Split points into batches that fit into one request each."""
    batch: list[StoredPoint] = []
    numbers = 0
    for point in points:
        size = point.whole.size + (0 if point.regions is None else point.regions.size)
        if batch and (len(batch) >= most or numbers + size > _MOST_NUMBERS):
            yield batch
            batch, numbers = [], 0
        batch.append(point)
        numbers += size
    if batch:
        yield batch


def to_record(point: StoredPoint) -> models.PointStruct:
    """Convert a checked point to a record."""
    vectors: dict[str, Any] = {"whole": point.whole.tolist()}
    if point.regions is not None:
        vectors["regions"] = point.regions.tolist()
    return models.PointStruct(id=str(UUID(hex=point.id)), vector=vectors, payload=dict(point.payload))


def to_point(record: Any) -> StoredPoint:
    """Convert a record to a point."""
    regions = record.vector.get("regions")
    return StoredPoint(
        UUID(str(record.id)).hex,
        np.asarray(record.vector["whole"], dtype=np.float32),
        None if regions is None else np.asarray(regions, dtype=np.float32),
        record.payload or {},
    )


def to_hit(scored: Any) -> Hit:
    """Convert a scored record to a hit."""
    return Hit(UUID(str(scored.id)).hex, float(scored.score))


class ServerDialect:
    """See :class:`visavis.stores.filter_translation.Dialect`."""

    def equals(self, key: str, value: str | bool) -> Any:
        """Match this text or boolean."""
        return models.FieldCondition(key=key, match=models.MatchValue(value=value))

    def any_of(self, key: str, values: Sequence[str]) -> Any:
        """Match one of these texts."""
        return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))

    def within(self, key: str, gt: float | None, gte: float | None, lt: float | None, lte: float | None) -> Any:
        """Match a number within these bounds."""
        return models.FieldCondition(key=key, range=models.Range(gt=gt, gte=gte, lt=lt, lte=lte))

    def word(self, key: str, word: str) -> Any:
        """Match this word."""
        return models.FieldCondition(key=key, match=models.MatchText(text=word))

    def has_id(self, ids: Sequence[str]) -> Any:
        """Match one of these points."""
        return models.HasIdCondition(has_id=[str(UUID(hex=id)) for id in ids])

    def group(self, must: Sequence[Any] = (), should: Sequence[Any] = (), must_not: Sequence[Any] = ()) -> Any:
        """Combine conditions."""
        return models.Filter(must=list(must) or None, should=list(should) or None, must_not=list(must_not) or None)
