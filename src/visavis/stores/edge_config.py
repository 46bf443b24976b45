"""Configuration of the embedded engine."""

from __future__ import annotations

from typing import Any

import qdrant_edge as engine

from visavis.stores.base import FieldKind
from visavis.stores.format_file import StoreFormat
from visavis.stores.options import StoreOptions

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
