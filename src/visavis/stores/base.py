"""The interface of a vector store (points, neighbours, filters), and checks of points before they reach an engine."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError
from visavis.stores.filters import PICTURE_ID, Filter
from visavis.types import Payload

#: The named vectors of a point: one for the whole picture, several for its regions.
VectorName = Literal["whole", "regions"]
#: The types of a payload field, which decide the kind of its index.
FieldKind = Literal["keyword", "integer", "float", "bool", "text"]
#: The number format of stored vectors.
Precision = Literal["float16", "float32"]
#: The payload field with the reason why a search excludes a picture by default: it is missing, or edited.
STATE = "_state"


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

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def closed_on_error(close: Callable[[], object]) -> Iterator[None]:
    """Close a connection when the store on it could not be opened."""
    try:
        yield
    except BaseException:
        close()
        raise


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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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


#: Tolerance of a unit vector in half precision; within it vectors pass unchanged.
_LENGTH_TOLERANCE = 2e-3
_SHORTEST = 1e-6
_LARGEST_INTEGER = 2**63


def check_id(id: str) -> str:
    """Validate an id.

    Raises:
        BadInputError: It is not 32 hexadecimal digits.
    """
    if not isinstance(id, str) or not PICTURE_ID.fullmatch(id):
        raise BadInputError(f"{id!r} is no picture id.", "An id is 32 hexadecimal digits, in lower case.")
    return id


def check_points(points: Sequence[StoredPoint], dimension: int) -> list[StoredPoint]:
    """Validate and normalise points: unit vectors, clean payloads, one point an id (the last one given).

    Raises:
        BadInputError: An id, a vector or a payload is invalid; nothing has been stored then.
    """
    last = {check_id(point.id): point for point in points}
    return [_checked(point, dimension) for point in last.values()]


def _checked(point: StoredPoint, dimension: int) -> StoredPoint:
    whole = unit_vectors(point.whole, dimension, f"The vector of {point.id}", rank=1)
    regions = point.regions
    if regions is not None and len(regions) > 0:
        regions = unit_vectors(regions, dimension, f"A region vector of {point.id}", rank=2)
    else:
        regions = None
    return replace(point, whole=whole, regions=regions, payload=check_payload(point.payload, point.id))


def unit_vectors(vectors: FloatArray, dimension: int, what: str, *, rank: int) -> FloatArray:
    """Normalise vectors to unit length.

    Args:
        vectors: ``[d]`` or ``[n, d]``.
        dimension: The expected ``d``.
        what: Their name in an error.
        rank: The expected number of axes.

    Raises:
        BadInputError: Another shape, a value that is not finite, or a zero vector.
    """
    array = np.asarray(vectors, dtype=np.float32)
    if array.ndim != rank or array.shape[-1] != dimension:
        raise BadInputError(
            f"{what} has the shape {list(array.shape)}, but this store keeps vectors of {dimension} numbers.",
            "Use the encoder that the store was made with.",
        )
    if array.size == 0:
        return array
    squares = np.einsum("...i,...i->...", array, array)  # few calls into numpy: every query runs this
    shortest, longest = float(squares.min()) ** 0.5, float(squares.max()) ** 0.5
    if not (shortest > _SHORTEST and longest < math.inf):  # the reverse comparison would let a NaN pass
        raise BadInputError(f"{what} has no direction: it is zero or holds a value that is no number.")
    if shortest >= 1.0 - _LENGTH_TOLERANCE and longest <= 1.0 + _LENGTH_TOLERANCE:
        return array
    lengths = np.sqrt(squares)[..., None]
    return np.where(np.abs(lengths - 1.0) > _LENGTH_TOLERANCE, array / lengths, array).astype(np.float32)


def check_payload(payload: Payload, id: str) -> dict[str, Any]:
    """Validate a payload and drop None values.

    Raises:
        BadInputError: A value has a type that filters do not support.
    """
    return {_name(name, id): _value(value, name, id) for name, value in payload.items() if value is not None}


def _name(name: Any, id: str) -> str:
    if not isinstance(name, str) or not name or not _is_unicode(name):
        raise BadInputError(f"{id} has a field with the name {name!r}.", "Names of fields are texts.")
    return name


def _value(value: Any, name: str, id: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return [_value(each, name, id) for each in value if each is not None]
    if _storable(value):
        return value
    raise BadInputError(
        f"The field '{name}' of {id} cannot be stored: {str(value)[:60]!r} ({type(value).__name__}).",
        "Values are texts, finite numbers, true or false, or lists of these.",
    )


def _storable(value: Any) -> bool:
    match value:
        case bool():
            return True
        case str():
            return _is_unicode(value)
        case int():
            return -_LARGEST_INTEGER <= value < _LARGEST_INTEGER
        case float():
            return math.isfinite(value)
        case _:
            return False


def _is_unicode(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8; a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
