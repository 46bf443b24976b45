"""Points as a Qdrant server takes and gives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from qdrant_client import models

from visavis.stores.base import Hit, Point

#: A request carries at most so many numbers: as text they take about 20 bytes each, and servers refuse 32 MB.
_MOST_NUMBERS = 600_000


def batches(points: Sequence[Point], most: int) -> Iterator[list[Point]]:
    """The points in pieces that fit into one request each."""
    batch: list[Point] = []
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


def to_record(point: Point) -> models.PointStruct:
    """A checked point for the server."""
    vectors: dict[str, Any] = {"whole": point.whole.tolist()}
    if point.regions is not None:
        vectors["regions"] = point.regions.tolist()
    return models.PointStruct(id=str(UUID(hex=point.id)), vector=vectors, payload=dict(point.payload))


def to_point(record: Any) -> Point:
    """A point of the server for us."""
    regions = record.vector.get("regions")
    return Point(
        UUID(str(record.id)).hex,
        np.asarray(record.vector["whole"], dtype=np.float32),
        None if regions is None else np.asarray(regions, dtype=np.float32),
        record.payload or {},
    )


def to_hit(scored: Any) -> Hit:
    """A scored point of the server for us."""
    return Hit(UUID(str(scored.id)).hex, float(scored.score))
