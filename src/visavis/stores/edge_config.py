"""How the embedded engine is set up for pictures."""

from __future__ import annotations

from typing import Any

import qdrant_edge as engine

from visavis.stores.base import FieldKind
from visavis.stores.format_file import StoreFormat
from visavis.stores.options import StoreOptions

#: Up to so many points a plain look at each is as fast as the graph, and exact.
PLAIN_UP_TO_POINTS = 10_000

_SCHEMAS = {
    "keyword": engine.PayloadSchemaType.Keyword,
    "integer": engine.PayloadSchemaType.Integer,
    "float": engine.PayloadSchemaType.Float,
    "bool": engine.PayloadSchemaType.Keyword,  # truth values are kept as texts, see edge_values.py
}


def shard_config(made_like: StoreFormat) -> Any:
    """The engine's configuration for a new store."""
    options = made_like.options
    datatype = {
        "float16": engine.VectorStorageDatatype.Float16,
        "float32": engine.VectorStorageDatatype.Float32,
    }[options.precision]
    plain_kilobytes = max(
        1, PLAIN_UP_TO_POINTS * made_like.dimension * (2 if options.precision == "float16" else 4) // 1024
    )
    whole = engine.EdgeVectorParams(
        made_like.dimension,
        engine.Distance.Dot,
        datatype=datatype,
        quantization_config=_quantisation(options),
        hnsw_config=engine.HnswIndexConfig(
            m=options.index.links, ef_construct=options.index.build_width, full_scan_threshold=plain_kilobytes
        ),
    )
    regions = engine.EdgeVectorParams(
        made_like.dimension,
        engine.Distance.Dot,
        datatype=datatype,
        memory=engine.Memory.Cold,
        multivector_config=engine.MultiVectorConfig(engine.MultiVectorComparator.MaxSim),
        # No graph: building one over several vectors a picture takes minutes for thousands of pictures, and
        # regions are only looked at for the pictures that the first stage found.
        hnsw_config=engine.HnswIndexConfig(m=0, ef_construct=16, full_scan_threshold=plain_kilobytes),
    )
    return engine.EdgeConfig(
        vectors={"whole": whole, "regions": regions},
        optimizers=engine.EdgeOptimizersConfig(
            # One segment: each more is searched on its own, so a query would take as many times longer.
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
    """How one query looks at the index."""
    if exact:
        return engine.SearchParams(exact=True)
    quantisation = None
    if options.quantised:
        quantisation = engine.QuantizationSearchParams(rescore=True, oversampling=options.index.oversampling)
    return engine.SearchParams(hnsw_ef=max(options.index.search_width, limit), quantization=quantisation)


def field_schema(kind: FieldKind) -> Any:
    """The engine's index for a kind of field."""
    if kind != "text":
        return _SCHEMAS[kind]
    # No extra links in the graph for single words: there are many, and they would multiply the time to build it.
    return engine.TextIndexParams(tokenizer=engine.TokenizerType.Word, lowercase=True, enable_hnsw=False)
