"""Translates options, filters, points and errors between visavis and the embedded engine."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import qdrant_edge as engine

from visavis.encoders.base import FloatArray
from visavis.errors import BusyError, StorageError, VisavisError
from visavis.stores.base import FieldKind, Hit, StoredPoint, StoreOptions
from visavis.stores.format_file import StoreFormat
from visavis.types import Payload

#: No letter or digit follows the mark, so that no search for a word matches a boolean.
_MARK = "\x01"
_TRUE = _MARK + "+"
_FALSE = _MARK + "-"
#: The field of a payload that has the checksum of the point's vector; no attribute can be called so.
CHECK = _MARK + "check"
_log = logging.getLogger(__name__)
#: The engine maps its files into memory, so a disk that fills up kills the process (SIGBUS) instead of giving an
#: error. Writing stops below the first threshold, opening and deleting, which need little, below the second.
LEAST_FREE_BYTES = 256 * 1024 * 1024
LEAST_FREE_BYTES_TO_OPEN = 64 * 1024 * 1024

_BUSY_SIGNS = ("WouldBlock", "Resource temporarily unavailable")
_FULL_SIGNS = ("No space left", "StorageFull", "os error 28", "File too large", "os error 27", "Disk quota")
_READ_ONLY_SIGNS = ("Read-only file system", "Permission denied", "os error 30", "os error 13")


def to_edge(payload: Payload) -> dict[str, Any]:
    """Encode a payload for the engine."""
    return {name: value_to_edge(value) for name, value in payload.items()}


def from_edge(payload: Payload | None) -> dict[str, Any]:
    """Decode a payload of the engine, without its checksum."""
    return {name: value_from_edge(value) for name, value in (payload or {}).items() if name != CHECK}


def value_to_edge(value: Any) -> Any:
    """Encode one value."""
    if isinstance(value, list | tuple):
        return [value_to_edge(each) for each in value]
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, str) and value.startswith(_MARK):
        return _MARK + value  # escapes a text that begins with the mark
    return value


def value_from_edge(value: Any) -> Any:
    """Decode one value."""
    if isinstance(value, list):
        return [value_from_edge(each) for each in value]
    if not isinstance(value, str) or not value.startswith(_MARK):
        return value
    return value == _TRUE if value in (_TRUE, _FALSE) else value[len(_MARK) :]


def floats(values: list[float] | list[list[float]]) -> FloatArray:
    """Convert the engine's lists to an array; the given type saves numpy the inference, number by number."""
    if not values or not isinstance(values[0], list):
        return np.frombuffer(bytearray(struct.pack(f"{len(values)}f", *values)), np.float32)
    packed = struct.Struct(f"{len(values[0])}f")
    rows = bytearray().join([packed.pack(*row) for row in values])
    return np.frombuffer(rows, np.float32).reshape(len(values), -1)


def to_record(point: StoredPoint, *, regions: bool) -> Any:
    """Convert a checked point to a record, with its regions where the engine keeps them."""
    vectors = {"whole": point.whole.tolist()}
    if regions and point.regions is not None:
        vectors["regions"] = point.regions.tolist()
    return engine.Point(UUID(hex=point.id), vectors, {**to_edge(point.payload), CHECK: _checksum(point.whole)})


def to_point(record: Any) -> StoredPoint:
    """Convert a record to a point; a vector without its checksum is zero, and the log says so."""
    vectors, payload = record.vector, record.payload or {}  # each access copies every number
    whole, regions = floats(vectors["whole"]), vectors.get("regions")
    if payload.get(CHECK, check := _checksum(whole)) != check:
        _log.warning(
            "the vector of %s is damaged: visavis collection verify NAME --repair makes it anew", record.id.hex
        )
        whole = np.zeros_like(whole)
    return StoredPoint(record.id.hex, whole, None if regions is None else floats(regions), from_edge(payload))


def _checksum(whole: FloatArray) -> int:
    """The checksum of a vector in half precision, which every store has."""
    with np.errstate(all="ignore"):
        return zlib.crc32(whole.astype("<f2").tobytes())


def to_hit(scored: Any) -> Hit:
    """Convert a scored record to a hit."""
    return Hit(scored.id.hex, scored.score)


class EdgeDialect:
    """See :class:`visavis.stores.filters.Dialect`."""

    def equals(self, key: str, value: str | bool) -> Any:
        """Match this text or boolean."""
        return engine.FieldCondition(key, match=engine.MatchValue(value_to_edge(value)))

    def any_of(self, key: str, values: Sequence[str]) -> Any:
        """Match one of these texts."""
        return engine.FieldCondition(key, match=engine.MatchAny([value_to_edge(value) for value in values]))

    def within(self, key: str, gt: float | None, gte: float | None, lt: float | None, lte: float | None) -> Any:
        """Match a number within these bounds."""
        return engine.FieldCondition(key, range=engine.RangeFloat(gt=gt, gte=gte, lt=lt, lte=lte))

    def word(self, key: str, word: str) -> Any:
        """Match this word."""
        return engine.FieldCondition(key, match=engine.MatchText(word))

    def has_id(self, ids: Sequence[str]) -> Any:
        """Match one of these points."""
        return engine.HasIdCondition({UUID(hex=id) for id in ids})

    def group(self, must: Sequence[Any] = (), should: Sequence[Any] = (), must_not: Sequence[Any] = ()) -> Any:
        """Combine conditions."""
        return engine.Filter(must=list(must) or None, should=list(should) or None, must_not=list(must_not) or None)


#: Up to this many points a linear scan is as fast as the graph, and exact.
PLAIN_UP_TO_POINTS = 10_000

_SCHEMAS = {
    "keyword": engine.PayloadSchemaType.Keyword,
    "integer": engine.PayloadSchemaType.Integer,
    "float": engine.PayloadSchemaType.Float,
    "bool": engine.PayloadSchemaType.Keyword,  # booleans are stored as texts, see edge_translation.py
}


def shard_config(store_format: StoreFormat) -> Any:
    """Return the engine's configuration for a new store."""
    options = store_format.options
    datatype = {
        "float16": engine.VectorStorageDatatype.Float16,
        "float32": engine.VectorStorageDatatype.Float32,
    }[options.precision]
    plain_kilobytes = max(
        1, PLAIN_UP_TO_POINTS * store_format.dimension * (2 if options.precision == "float16" else 4) // 1024
    )
    whole = engine.EdgeVectorParams(
        store_format.dimension,
        engine.Distance.Dot,
        datatype=datatype,
        quantization_config=_quantisation(options),
        hnsw_config=engine.HnswIndexConfig(
            m=options.index.links, ef_construct=options.index.build_width, full_scan_threshold=plain_kilobytes
        ),
    )
    return engine.EdgeConfig(
        vectors={"whole": whole},
        optimizers=engine.EdgeOptimizersConfig(
            # One segment: each is searched separately, so the time of a query grows with their number.
            default_segment_number=1,
            max_segment_size=2**40,
            indexing_threshold=plain_kilobytes,
        ),
    )


def _quantisation(options: StoreOptions) -> Any:
    if not options.quantised:
        return None
    # Pinned, not Cached: the engine fills its cache page by page at every open, seconds for 30,000 pictures.
    return engine.ScalarQuantizationConfig(engine.ScalarType.Int8, quantile=0.99, memory=engine.Memory.Pinned)


def search_params(options: StoreOptions, *, exact: bool, limit: int) -> Any:
    """Return the search parameters of one query."""
    if exact:
        return engine.SearchParams(exact=True)
    quantisation = None
    if options.quantised:
        quantisation = engine.QuantizationSearchParams(rescore=True, oversampling=options.index.oversampling)
    return engine.SearchParams(hnsw_ef=max(options.index.search_width, limit), quantization=quantisation)


def field_schema(kind: FieldKind) -> Any:
    """Return the engine's index for a kind of field."""
    if kind != "text":
        return _SCHEMAS[kind]
    # No extra links in the graph for single values: there are many, and they would multiply the build time.
    return engine.TextIndexParams(tokenizer=engine.TokenizerType.Word, lowercase=True, enable_hnsw=False)


@contextmanager
def engine_errors(folder: Path, doing: str) -> Iterator[None]:
    """Convert what the engine raises to a :class:`StorageError` (or :class:`BusyError`) about this folder."""
    try:
        yield
    except VisavisError:
        raise
    except OSError as error:
        raise storage_error(folder, doing, str(error.strerror or error)) from error
    except Exception as error:
        raise storage_error(folder, doing, str(error)) from error
    except BaseException as error:
        # A Rust panic is not an Exception; Ctrl-C and an exit are not panics.
        if type(error).__name__ != "PanicException":
            raise
        raise storage_error(folder, doing, f"damaged files ({str(error)[:200]})") from error


def storage_error(folder: Path, doing: str, reason: str) -> VisavisError:
    """Return the error for a reason in the engine's own words."""
    if any(sign in reason for sign in _BUSY_SIGNS):
        return busy_error(folder)
    if any(sign in reason for sign in _FULL_SIGNS):
        return StorageError(f"The store in {folder} is out of room while {doing}: {reason}.", "Free some disk space.")
    if any(sign in reason for sign in _READ_ONLY_SIGNS):
        return StorageError(
            f"The store in {folder} cannot be written: {reason}.",
            "Give yourself the right to write there, or choose another home with --home or VISAVIS_HOME.",
        )
    return StorageError(
        f"The store in {folder} failed while {doing}: {reason}.",
        "If this stays so, its files are damaged: restore the folder from a backup or index the pictures again.",
    )


def busy_error(folder: Path, holder: int | None = None) -> BusyError:
    """Return the error for a store that is open already, in another process (with this pid) or in this one."""
    if holder == os.getpid():
        return BusyError(f"The store in {folder} is already open in this process.", "Use the one that is open.")
    return BusyError(
        f"The store in {folder} is in use by another process{f' ({holder})' if holder else ''}.",
        "Close it there first, or keep the vectors on a Qdrant server when several processes need them.",
    )


def check_free_space(folder: Path, needed: int = LEAST_FREE_BYTES) -> None:
    """Raise an error when the disk is nearly full.

    Args:
        folder: A folder on that disk.
        needed: How many bytes must be free.

    Raises:
        StorageError: Less is free than the engine needs.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise StorageError(f"The folder {folder} has gone.", "Bring the disk back that it lies on.") from error
        raise
    if free < needed:
        raise StorageError(
            f"The disk of {folder} is nearly full: {free // 2**20} MB are free.",
            f"Free some space: at least {needed // 2**20} MB are needed.",
        )
