"""Requests to a Qdrant server: options, filters and points as its types, its configuration, and retries."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from json import JSONDecodeError
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from qdrant_client import models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from visavis.errors import BadInputError, NotFoundError, StorageError, VisavisError
from visavis.stores.base import FieldKind, Hit, Precision, ServerOptions, StoredPoint, StoreOptions
from visavis.stores.format_file import StoreFormat
from visavis.stores.registry import API_KEY_VARIABLE

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
    """See :class:`visavis.stores.filters.Dialect`."""

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


#: Increased with every incompatible change.
FORMAT_VERSION = 1
_FORMAT_KEY = "visavis_format"
_SCHEMAS: dict[FieldKind, Any] = {
    "keyword": models.PayloadSchemaType.KEYWORD,
    "integer": models.PayloadSchemaType.INTEGER,
    "float": models.PayloadSchemaType.FLOAT,
    "bool": models.PayloadSchemaType.BOOL,
    "text": models.TextIndexParams(
        type=models.TextIndexType.TEXT, tokenizer=models.TokenizerType.WORD, lowercase=True, enable_hnsw=False
    ),
}


def collection_config(store_format: StoreFormat, server: ServerOptions) -> dict[str, Any]:
    """Return the arguments that create a collection; the same choices as in edge_config.py, for the same reasons."""
    options = store_format.options
    whole = models.VectorParams(
        size=store_format.dimension,
        distance=models.Distance.DOT,
        datatype=models.Datatype(options.precision),
        on_disk=options.quantised,  # the 8-bit vectors are in memory; these are read to rescore
        hnsw_config=models.HnswConfigDiff(m=options.index.links, ef_construct=options.index.build_width),
        quantization_config=_quantisation(options),
    )
    regions = models.VectorParams(
        size=store_format.dimension,
        distance=models.Distance.DOT,
        datatype=models.Datatype(options.precision),
        on_disk=True,
        multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
        hnsw_config=models.HnswConfigDiff(m=0),
    )
    return {
        "vectors_config": {"whole": whole, "regions": regions},
        "shard_number": server.shards,
        "replication_factor": server.replicas,
        "write_consistency_factor": server.write_consistency,
        "on_disk_payload": True,
        "metadata": {_FORMAT_KEY: FORMAT_VERSION},
    }


def _quantisation(options: StoreOptions) -> Any:
    if not options.quantised:
        return None
    scalar = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=0.99, always_ram=True)
    return models.ScalarQuantization(scalar=scalar)


def read_collection(info: models.CollectionInfo, where: str) -> StoreFormat:
    """Read the format of a collection on the server.

    Raises:
        BadInputError: It was not created by visavis.
        StorageError: A newer visavis created it.
    """
    version = (getattr(info.config, "metadata", None) or {}).get(_FORMAT_KEY, FORMAT_VERSION)
    if version > FORMAT_VERSION:
        raise StorageError(
            f"The collection {where} has the format {version}; this visavis reads up to {FORMAT_VERSION}.",
            "Use a newer visavis: pip install --upgrade visavis",
        )
    vectors = info.config.params.vectors
    if not isinstance(vectors, dict) or not {"whole", "regions"} <= set(vectors):
        raise BadInputError(f"The collection {where} was not made by visavis.", "Choose another name.")
    whole = vectors["whole"]
    precision: Precision = "float16" if whole.datatype == models.Datatype.FLOAT16 else "float32"
    options = StoreOptions(precision=precision, quantised=whole.quantization_config is not None)
    kinds = {_field_name(key): _kind(index) for key, index in info.payload_schema.items()}
    return StoreFormat(whole.size, options, {name: kind for name, kind in kinds.items() if kind})


def field_schema(kind: FieldKind) -> Any:
    """Return the server's index for a kind of field."""
    return _SCHEMAS[kind]


def search_params(options: StoreOptions, *, exact: bool, limit: int) -> models.SearchParams:
    """Return the search parameters of one query."""
    if exact:
        return models.SearchParams(exact=True)
    again = models.QuantizationSearchParams(rescore=True, oversampling=options.index.oversampling)
    return models.SearchParams(
        hnsw_ef=max(options.index.search_width, limit), quantization=again if options.quantised else None
    )


def _kind(index: models.PayloadIndexInfo) -> FieldKind | None:
    kinds: dict[str, FieldKind] = {kind: kind for kind in _SCHEMAS}
    return kinds.get(str(index.data_type.value))


def _field_name(key: str) -> str:
    return key[1:-1] if key.startswith('"') else key


Answer = TypeVar("Answer")

#: Time-out, too many requests, or an unavailable node.
_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 15.0


class RetryPolicy:
    """Retries transient failures with exponential backoff and jitter.

    The jitter spreads clients that failed together. Retrying is safe: every request of a store
    is idempotent.
    """

    def __init__(self, where: str, attempts: int, sleep: Callable[[float], None] = time.sleep) -> None:
        self._where = where
        self._retrying = Retrying(
            sleep=sleep,
            stop=stop_after_attempt(attempts),
            retry=retry_if_exception(_is_passing),
            wait=_pause,
            reraise=True,
        )

    def ask(self, request: Callable[[], Answer]) -> Answer:
        """Send a request, with retries.

        Raises:
            StorageError: The server cannot be reached, or keeps failing.
            BadInputError: It refuses the key or the request.
            NotFoundError: The collection does not exist.
        """
        try:
            return self._retrying(request)
        except Exception as error:  # unknown exceptions are raised unchanged
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> Exception:
        match error:
            case UnexpectedResponse():
                return _refusal(self._where, error)
            case ResourceExhaustedResponse():
                return StorageError(f"{self._where} has too much to do: {error}.", "Try again later.")
            case ResponseHandlingException():
                return _unreachable(self._where, error.source)
            case JSONDecodeError():
                return _unreachable(self._where, error)
            case ValueError() if not isinstance(error, VisavisError) and "not found" in str(error):
                return NotFoundError(f"There is no collection at {self._where}.", "Index some pictures into it first.")
            case _:
                return error


def _is_passing(error: BaseException) -> bool:
    if isinstance(error, UnexpectedResponse):
        return error.status_code in _PASSING_STATUS
    if isinstance(error, ResponseHandlingException):
        return not _is_foreign(error.source)
    return isinstance(error, ResourceExhaustedResponse)


def _is_foreign(source: Exception) -> bool:
    """Return whether the response is not from Qdrant (a web page, say)."""
    return isinstance(source, ValueError)


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ResourceExhaustedResponse):
        return min(float(error.retry_after_s), _LONGEST_PAUSE_SECONDS)
    longest = min(_FIRST_PAUSE_SECONDS * 2 ** (state.attempt_number - 1), _LONGEST_PAUSE_SECONDS)
    return float(longest * random.uniform(0.5, 1.0))  # jitter, no cryptography


def _unreachable(where: str, source: Exception) -> VisavisError:
    if _is_foreign(source):
        return BadInputError(f"What answers at {where} is no Qdrant server.", "Check host and port of the address.")
    reason = str(source) or type(source).__name__
    return StorageError(
        f"The Qdrant server of {where} cannot be reached: {reason}.",
        "Check that it runs, and host, port and encryption (qdrant:// or qdrants://) of the address.",
    )


def _refusal(where: str, error: UnexpectedResponse) -> VisavisError:
    body = error.content.decode(errors="replace")[:300]
    match error.status_code:
        case 401 | 403:
            return BadInputError(
                f"The Qdrant server of {where} refuses the API key.", f"Set {API_KEY_VARIABLE} to a key that may write."
            )
        case 404:
            return NotFoundError(f"There is no collection at {where}.", "Check its name, or index pictures into it.")
        case 507:
            return StorageError(f"The Qdrant server of {where} is out of room.", "Give it more disk space.")
        case status if status in _PASSING_STATUS:
            return StorageError(f"The Qdrant server of {where} keeps failing ({status}): {body}.", "Look at its log.")
        case status:
            return BadInputError(f"The Qdrant server of {where} refuses the request ({status}): {body}.")
