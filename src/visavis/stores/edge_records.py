"""Points as the embedded engine takes and gives them."""

from __future__ import annotations

import struct
from typing import Any
from uuid import UUID

import numpy as np
import qdrant_edge as engine

from visavis.encoders.base import FloatArray
from visavis.stores.base import Hit, Point
from visavis.stores.edge_values import from_edge, to_edge


def floats(values: list[float] | list[list[float]]) -> FloatArray:
    """A vector, or several, out of the engine's lists: numpy would look at each number to guess what it is."""
    if not values or not isinstance(values[0], list):
        return np.frombuffer(bytearray(struct.pack(f"{len(values)}f", *values)), np.float32)
    packed = struct.Struct(f"{len(values[0])}f")
    rows = bytearray().join([packed.pack(*row) for row in values])
    return np.frombuffer(rows, np.float32).reshape(len(values), -1)


def to_record(point: Point) -> Any:
    """A checked point for the engine."""
    vectors = {"whole": point.whole.tolist()}
    if point.regions is not None:
        vectors["regions"] = point.regions.tolist()
    return engine.Point(UUID(hex=point.id), vectors, to_edge(point.payload))


def to_point(record: Any) -> Point:
    """A point of the engine for us."""
    regions = record.vector.get("regions")
    return Point(
        record.id.hex,
        np.asarray(record.vector["whole"], dtype=np.float32),
        None if regions is None else np.asarray(regions, dtype=np.float32),
        from_edge(record.payload),
    )


def to_hit(scored: Any) -> Hit:
    """A scored point of the engine for us."""
    return Hit(scored.id.hex, scored.score)
