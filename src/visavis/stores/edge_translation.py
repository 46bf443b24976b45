"""Translates options, filters and points to the embedded engine's own types."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import qdrant_edge as engine

from visavis.encoders.base import FloatArray
from visavis.stores.base import FieldKind, Hit, StoredPoint
from visavis.stores.format_file import StoreFormat
from visavis.stores.options import StoreOptions
from visavis.types import Payload

#: No letter or digit follows the mark, so that no search for a word matches a boolean.
_MARK = "\x01"
_TRUE = _MARK + "+"
_FALSE = _MARK + "-"


def to_edge(payload: Payload) -> dict[str, Any]:
    """Encode a payload for the engine."""
    return {name: value_to_edge(value) for name, value in payload.items()}


def from_edge(payload: Payload | None) -> dict[str, Any]:
    """Decode a payload of the engine."""
    return {name: value_from_edge(value) for name, value in (payload or {}).items()}


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
    return engine.Point(UUID(hex=point.id), vectors, to_edge(point.payload))


def to_point(record: Any) -> StoredPoint:
    """Convert a record to a point."""
    regions = record.vector.get("regions")
    return StoredPoint(
        record.id.hex,
        np.asarray(record.vector["whole"], dtype=np.float32),
        None if regions is None else np.asarray(regions, dtype=np.float32),
        from_edge(record.payload),
    )


def to_hit(scored: Any) -> Hit:
    """Convert a scored record to a hit."""
    return Hit(scored.id.hex, scored.score)


class EdgeDialect:
    """See :class:`visavis.stores.filter_translation.Dialect`."""

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
