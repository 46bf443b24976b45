"""What every store does: vectors in, neighbours out, with filters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self

from visavis.encoders.base import FloatArray
from visavis.stores.filters import Filter

#: The named vectors of a point: one for the whole picture, several for its regions.
VectorName = Literal["whole", "regions"]
Payload = Mapping[str, Any]
#: The kinds of a payload field: which index makes filters on it fast.
FieldKind = Literal["keyword", "integer", "float", "bool", "text"]
#: How exactly vectors are kept.
Precision = Literal["float16", "float32"]


@dataclass(frozen=True)
class Point:
    """One picture as a store sees it.

    Attributes:
        id: The picture's id, 32 hexadecimal digits.
        whole: ``[d]``, unit length.
        regions: ``[r, d]``, unit length, or None for a store without regions.
        payload: What filters and facets look at; values are strings, numbers, booleans or lists of strings.
            A value of None is the same as no value.
    """

    id: str
    whole: FloatArray
    regions: FloatArray | None = None
    payload: Payload = field(default_factory=dict)


@dataclass(frozen=True)
class Hit:
    """One neighbour: the picture's id and its score (a cosine, or a weighted sum of cosines; higher is closer)."""

    id: str
    score: float


@dataclass(frozen=True)
class Query:
    """What to look for.

    The first stage scores every point by ``sum(weight * cosine(vector, whole))``; with ``regions`` a second
    stage re-ranks the first ``prefetch`` of them (``limit`` of them, when that is more) by MaxSim: the mean over
    the query's vectors of the best cosine with any of the picture's regions. For a picture without regions its
    whole vector stands in.

    Attributes:
        vectors: ``[n, d]``: one or several query vectors. A negative weight pushes away.
        weights: One a vector; all ones when None.
        regions: ``[m, d]``: vectors for the second stage, or None for no second stage.
        region_weight: The final score is ``(1 - region_weight) * first + region_weight * second``.
        filter: Only points that pass it.
        limit: How many hits at most.
        prefetch: How many points the second stage looks at.
        exact: Look at every point instead of the index.
    """

    vectors: FloatArray
    weights: Sequence[float] | None = None
    regions: FloatArray | None = None
    region_weight: float = 0.5
    filter: Filter | None = None
    limit: int = 20
    prefetch: int = 200
    exact: bool = False


@dataclass(frozen=True)
class StoreInfo:
    """What a store says of itself (``count`` points, bytes on disk where it can tell)."""

    kind: str
    where: str
    dimension: int
    count: int
    indexed: int
    disk_bytes: int | None = None
    precision: Precision = "float32"


class Store(ABC):
    """Vectors in, neighbours out. Every write is idempotent: the same upsert twice is the same as once."""

    @abstractmethod
    def upsert(self, points: Sequence[Point]) -> None:
        """Add points or replace those with the same id. On return they survive a killed process."""

    @abstractmethod
    def set_payload(self, id: str, payload: Payload) -> None:
        """Replace the payload of a point, its vectors untouched."""

    @abstractmethod
    def delete(self, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are passed over."""

    @abstractmethod
    def query(self, query: Query) -> list[Hit]:
        """The nearest points, best first; equal scores in the order of their ids."""

    @abstractmethod
    def recommend(
        self,
        positives: Sequence[str],
        negatives: Sequence[str] = (),
        *,
        filter: Filter | None = None,
        limit: int = 20,
    ) -> list[Hit]:
        """Points near the given ones and far from the others, by the engine's own recommendation, without these."""

    @abstractmethod
    def count(self, filter: Filter | None = None) -> int:
        """How many points pass the filter."""

    @abstractmethod
    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """The values of a field and how many points have each, most frequent first."""

    @abstractmethod
    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """The stored vectors of the points that exist: ``[d]`` each for whole, ``[r, d]`` for regions."""

    @abstractmethod
    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The payloads of the points that exist."""

    @abstractmethod
    def scroll(self, batch: int = 1000) -> Iterator[list[Point]]:
        """Every point with its vectors and payload, in the order of ids, a batch at a time.

        Points that are written or deleted meanwhile may be seen or not; all others are seen once.
        """

    @abstractmethod
    def index_field(self, field: str, kind: FieldKind) -> None:
        """Make filters on a field fast; calling it again changes nothing."""

    @abstractmethod
    def optimize(self) -> None:
        """Build the search index over everything stored so far; returns when it is done."""

    @abstractmethod
    def flush(self) -> None:
        """Write everything to its final place, so that the next open is fast."""

    @abstractmethod
    def info(self) -> StoreInfo:
        """What the store says of itself."""

    @abstractmethod
    def close(self) -> None:
        """Flush and let go; a second close does nothing."""

    def clear(self) -> None:
        """Remove everything for good; a server's collection goes as a whole. Nothing may be asked afterwards."""
        self.delete(list(self.ids()))

    def fields(self) -> dict[str, FieldKind]:
        """The fields that :meth:`index_field` was called for, and their kinds."""
        return {}

    def ids(self) -> Iterable[str]:
        """Every id, in order."""
        for points in self.scroll():
            yield from (point.id for point in points)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
