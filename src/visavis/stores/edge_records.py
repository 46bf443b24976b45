"""Points as the embedded engine takes and gives them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import numpy as np
import qdrant_edge as engine

from visavis.stores.base import Hit, Point
from visavis.stores.edge_values import from_edge, to_edge


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
