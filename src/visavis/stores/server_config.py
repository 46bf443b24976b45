"""Configuration of a collection on a Qdrant server, and its detection."""

from __future__ import annotations

from typing import Any

from qdrant_client import models

from visavis.errors import BadInputError, StorageError
from visavis.stores.base import FieldKind, Precision
from visavis.stores.format_file import StoreFormat
from visavis.stores.options import ServerOptions, StoreOptions

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
