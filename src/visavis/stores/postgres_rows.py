"""The number formats of vectors in PostgreSQL's columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from pgvector import HalfVector

from visavis.encoders.base import FloatArray
from visavis.stores.base import Precision
from visavis.stores.region_file import quantised


@dataclass(frozen=True)
class VectorColumns:
    """Converts vectors to columns and back.

    Attributes:
        dimension: The length of the vectors.
        precision: ``float32`` keeps regions unchanged, anything else as one byte a number and a scale a vector.
        half: Whether whole vectors have half precision (pgvector 0.7 and newer).
    """

    dimension: int
    precision: Precision
    half: bool

    @property
    def whole_type(self) -> str:
        """The SQL type of a whole vector."""
        return f"{'halfvec' if self.half else 'vector'}({self.dimension:d})"

    @property
    def operators(self) -> str:
        """The operator class of the search index: inner products."""
        return "halfvec_ip_ops" if self.half else "vector_ip_ops"

    def to_whole(self, vector: FloatArray) -> Any:
        """Convert a whole vector to a parameter."""
        return HalfVector(vector) if self.half else np.asarray(vector, dtype=np.float32)

    def from_whole(self, column: Any) -> FloatArray:
        """Convert a column to a whole vector."""
        return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column, dtype=np.float32)

    def to_regions(self, regions: FloatArray) -> bytes:
        """Convert regions ``[r, d]`` to bytes."""
        if self.precision == "float32":
            return np.ascontiguousarray(regions, dtype="<f4").tobytes()
        numbers, scales = quantised(regions)
        return scales.astype("<f4").tobytes() + numbers.tobytes()

    def from_regions(self, block: bytes) -> FloatArray:
        """Convert bytes to regions ``[r, d]``."""
        if self.precision == "float32":
            return np.frombuffer(block, "<f4").reshape(-1, self.dimension).astype(np.float32)
        count = len(block) // (self.dimension + 4)
        scales = np.frombuffer(block, "<f4", count)[:, None]
        numbers = np.frombuffer(block, np.int8, offset=4 * count).reshape(count, self.dimension)
        vectors: FloatArray = (numbers * scales).astype(np.float32)
        return vectors
