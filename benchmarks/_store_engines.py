"""Adapters for the engines of the store benchmark: build, open, search wide or narrow, search in a bucket."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path

import numpy as np

from _store_data import BUCKETS, DIMENSION, NEIGHBOURS, Data

#: The same graph for all: links a point (twice as many at the lowest level), and candidates when linking.
LINKS = 16
BUILD_WIDTH = 100
THREADS = 2


class Engine(ABC):
    """An engine for nearest neighbours."""

    can_filter = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def build(self, data: Data) -> dict[str, float]:
        """Build the index on disk; returns further figures to report."""

    @abstractmethod
    def open(self, data: Data) -> None:
        """Open the built index, for searching with one thread."""

    @abstractmethod
    def set_width(self, width: int) -> None:
        """Set how many candidates a search compares."""

    @abstractmethod
    def search(self, query):
        """Return the numbers of the nearest points."""

    def search_bucket(self, query, bucket: int):
        """Return the numbers of the nearest points in a bucket: 1 % of all."""
        raise NotImplementedError


def _id(number: int) -> str:
    """Return an id that is distributed like a content hash and ends with the number."""
    return f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}{number:016x}"


class Visavis(Engine):
    """The embedded store, through its public interface."""

    quantised = True

    def build(self, data: Data) -> dict[str, float]:
        from time import perf_counter

        from visavis.stores.base import IndexOptions, StoredPoint, StoreOptions

        options = StoreOptions(quantised=self.quantised, index=IndexOptions(links=LINKS, build_width=BUILD_WIDTH))
        with self._store_there(options) as store:
            store.index_field("bucket", "integer")
            began = perf_counter()
            for start, vectors, buckets in data.chunks():
                for low in range(0, len(vectors), 1000):
                    store.upsert(
                        [
                            StoredPoint(_id(start + row), vectors[row], payload={"bucket": int(buckets[row])})
                            for row in range(low, min(low + 1000, len(vectors)))
                        ]
                    )
                store.flush()
            stored = perf_counter() - began
            store.optimize()
            return {"store_seconds": stored, "index_seconds": perf_counter() - began - stored}

    def _store_there(self, options=None):
        from visavis.stores.edge import EdgeStore

        return EdgeStore(self.folder, dimension=DIMENSION, options=options)

    def open(self, data: Data) -> None:  # noqa: ARG002
        from visavis.stores.base import Query
        from visavis.stores.filters import Equals

        self._store = self._store_there()
        self._query = Query
        self._buckets = [Equals("bucket", bucket) for bucket in range(BUCKETS)]

    def set_width(self, width: int) -> None:
        shard = self._store._shard
        options = shard.format.options
        index = replace(options.index, search_width=width)
        shard.format = replace(shard.format, options=replace(options, index=index))

    def search(self, query):
        return [int(hit.id[16:], 16) for hit in self._store.query(self._query(query[None], limit=NEIGHBOURS))]

    def search_bucket(self, query, bucket: int):
        asked = self._query(query[None], filter=self._buckets[bucket], limit=NEIGHBOURS)
        return [int(hit.id[16:], 16) for hit in self._store.query(asked)]


class Postgres(Visavis):
    """The store in PostgreSQL, on a server that pgserver starts in the folder (its memory is not counted)."""

    def _store_there(self, options=None):
        import pgserver

        from visavis.stores.registry import open_store, with_collection

        self._server = pgserver.get_server(str(self.folder), cleanup_mode="stop")
        return open_store(with_collection(self._server.get_uri(), "bench"), dimension=DIMENSION, options=options)

    def set_width(self, width: int) -> None:
        options = self._store._format.options
        index = replace(options.index, search_width=width)
        self._store._format = replace(self._store._format, options=replace(options, index=index))


class VisavisPlain(Visavis):
    """The same without the 8-bit vectors."""

    quantised = False


class Faiss(Engine):
    """FAISS HNSW over 32-bit vectors."""

    def build(self, data: Data) -> dict[str, float]:
        import faiss

        faiss.omp_set_num_threads(THREADS)
        index = faiss.IndexHNSWFlat(DIMENSION, LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = BUILD_WIDTH
        for _, vectors, _ in data.chunks():
            index.add(vectors)
        self.folder.mkdir()
        faiss.write_index(index, str(self.folder / "index"))
        return {}

    def open(self, data: Data) -> None:
        import faiss

        faiss.omp_set_num_threads(1)
        self._index = faiss.read_index(str(self.folder / "index"))
        buckets = np.load(data.folder / "buckets.npy")
        self._members = [np.packbits(buckets == bucket, bitorder="little") for bucket in range(BUCKETS)]
        self._selectors = [faiss.IDSelectorBitmap(members) for members in self._members]
        self._faiss = faiss

    def set_width(self, width: int) -> None:
        self._width = width
        self._params = self._faiss.SearchParametersHNSW(efSearch=width)
        self._bucket_params = [
            self._faiss.SearchParametersHNSW(efSearch=width, sel=selector) for selector in self._selectors
        ]

    def search(self, query):
        return self._index.search(query[None], NEIGHBOURS, params=self._params)[1][0]

    def search_bucket(self, query, bucket: int):
        return self._index.search(query[None], NEIGHBOURS, params=self._bucket_params[bucket])[1][0]


class USearch(Engine):
    """USearch over 16-bit vectors; its Python binding has no filters."""

    can_filter = False
    kind = "f16"

    def _index(self):
        from usearch.index import Index

        return Index(
            ndim=DIMENSION,
            metric="ip",
            dtype=self.kind,
            connectivity=LINKS,
            expansion_add=BUILD_WIDTH,
            expansion_search=64,
        )

    def build(self, data: Data) -> dict[str, float]:
        index = self._index()
        for start, vectors, _ in data.chunks():
            index.add(np.arange(start, start + len(vectors)), vectors, threads=THREADS)
        self.folder.mkdir()
        index.save(str(self.folder / "index"))
        return {}

    def open(self, data: Data) -> None:  # noqa: ARG002
        self._opened = self._index()
        self._opened.load(str(self.folder / "index"))

    def set_width(self, width: int) -> None:
        self._opened.expansion_search = width

    def search(self, query):
        return self._opened.search(query, NEIGHBOURS, threads=1).keys


class USearchSmall(USearch):
    """USearch over 8-bit vectors."""

    kind = "i8"


ENGINES: dict[str, type[Engine]] = {
    "visavis": Visavis,
    "visavis float16 only": VisavisPlain,
    "visavis in PostgreSQL": Postgres,
    "FAISS HNSW float32": Faiss,
    "USearch float16": USearch,
    "USearch int8": USearchSmall,
}
