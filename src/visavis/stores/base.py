"""The interface of a vector store: points with payloads, nearest neighbours, filters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, Self

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError
from visavis.stores.filters import Filter
from visavis.types import Payload

#: The named vectors of a point: one for the whole picture, several for its regions.
VectorName = Literal["whole", "regions"]
#: The types of a payload field, which decide the kind of its index.
FieldKind = Literal["keyword", "integer", "float", "bool", "text"]
#: The number format of stored vectors.
Precision = Literal["float16", "float32"]


@dataclass(frozen=True)
class StoredPoint:
    """One picture in a store.

    Attributes:
        id: The picture's id, 32 hexadecimal digits.
        whole: ``[d]``, unit length.
        regions: ``[r, d]``, unit length, or None for a store without regions.
        payload: The fields for filters and facets; values are strings, numbers, booleans or lists of strings.
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
    """A nearest-neighbour query.

    The first stage scores every point by ``sum(weight * cosine(vector, whole))``; with ``regions`` a second
    stage re-ranks the first ``prefetch`` of them (``limit`` of them, when that is more) by MaxSim: the mean over
    the query's vectors of the best cosine with any of the picture's regions. For a picture without regions its
    whole vector is used.

    Attributes:
        vectors: ``[n, d]``: one or several query vectors. A negative weight pushes away.
        weights: One a vector; all ones when None.
        regions: ``[m, d]``: vectors for the second stage, or None to skip it.
        region_weight: The final score is ``(1 - region_weight) * first + region_weight * second``.
        filter: Only points that match it.
        limit: How many hits at most.
        prefetch: How many points the second stage re-ranks.
        exact: Compare with every point instead of using the index.
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
    """Statistics of a store (``count`` points, bytes on disk where known)."""

    kind: str
    where: str
    dimension: int
    count: int
    indexed: int
    disk_bytes: int | None = None
    precision: Precision = "float32"


class Store(ABC):
    """A vector store. Every write is idempotent: the same upsert twice is the same as once."""

    @abstractmethod
    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Add points or replace those with the same id. On return they are durable against a killed process."""

    @abstractmethod
    def set_payload(self, id: str, payload: Payload) -> None:
        """Replace the payload of a point; its vectors stay."""

    @abstractmethod
    def delete(self, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are skipped."""

    @abstractmethod
    def query(self, query: Query) -> list[Hit]:
        """Return the nearest points, best first; equal scores in the order of their ids."""

    @abstractmethod
    def count(self, filter: Filter | None = None) -> int:
        """Count the points that match the filter."""

    @abstractmethod
    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """Return the values of a field and how many points have each, most frequent first."""

    @abstractmethod
    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return the stored vectors of the points that exist: ``[d]`` each for whole, ``[r, d]`` for regions."""

    @abstractmethod
    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the payloads of the points that exist."""

    @abstractmethod
    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        """Yield every point with its vectors and payload, in the order of ids, a batch at a time.

        Points that are written or deleted meanwhile may be included or not; all others are, once.
        """

    @abstractmethod
    def index_field(self, field: str, kind: FieldKind) -> None:
        """Build an index for filters on a field; idempotent."""

    @abstractmethod
    def optimize(self) -> None:
        """Build the search index over all points; returns when it is done."""

    @abstractmethod
    def flush(self) -> None:
        """Write everything to its final files, so that the next open is fast."""

    @abstractmethod
    def info(self) -> StoreInfo:
        """Return statistics of the store."""

    @abstractmethod
    def close(self) -> None:
        """Flush and release the lock; a second close does nothing."""

    def clear(self) -> None:
        """Remove all points, and a server's collection as a whole. The store cannot be used afterwards."""
        self.delete(list(self.ids()))

    def fields(self) -> dict[str, FieldKind]:
        """Return the fields that :meth:`index_field` was called for, and their kinds."""
        return {}

    def ids(self) -> Iterable[str]:
        """Yield every id, in order."""
        for points in self.scroll():
            yield from (point.id for point in points)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True)
class IndexOptions:
    """Options of the search index. The defaults are measured in docs/benchmarks-store.md.

    Attributes:
        links: Links a point in the graph; more improves recall and takes more memory.
        build_width: How many candidates are compared when a point is linked.
        search_width: How many candidates a query compares.
        oversampling: With quantisation, how many times more candidates are scored again with exact vectors.
    """

    links: int = 16
    build_width: int = 100
    search_width: int = 64
    oversampling: float = 2.0


@dataclass(frozen=True)
class StoreOptions:
    """Options of a new store; an existing one keeps its own.

    Attributes:
        precision: The number format of vectors. ``float16`` halves the space and changes a score by less than 0.001.
        quantised: Search over 8-bit vectors, rescore with the stored ones: less memory, same results.
        index: Options of the search index.
    """

    precision: Precision = "float16"
    quantised: bool = True
    index: IndexOptions = field(default_factory=IndexOptions)


@dataclass(frozen=True)
class ServerOptions:
    """Sharding and replication of a collection on a server, and the client's time-outs.

    Attributes:
        shards: Number of shards; None for one a node.
        replicas: Copies of each shard, on different nodes.
        write_consistency: Copies that must confirm a write.
        timeout: Seconds a request.
        attempts: Attempts of a request with transient failures.
        batch: Points a request.
    """

    shards: int | None = None
    replicas: int = 1
    write_consistency: int = 1
    timeout: float = 30.0
    attempts: int = 6
    batch: int = 128

    def __post_init__(self) -> None:
        for name in ("shards", "replicas", "write_consistency", "timeout", "attempts", "batch"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise BadInputError(f"The store's option {name} must be more than 0, not {value}.")
        if self.write_consistency > self.replicas:
            raise BadInputError(
                f"{self.write_consistency} copies cannot have a write when there are only {self.replicas}.",
                "Choose a write_consistency up to the number of replicas.",
            )
