"""The embedded store: Qdrant Edge in this process, in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import UUID

import qdrant_edge as engine
from cachetools import LRUCache

from visavis.encoders.base import FloatArray
from visavis.stores.base import FieldKind, Hit, StoredPoint, StoreInfo, StoreOptions, VectorName, check_id
from visavis.stores.edge_shard import Shard, bytes_on_disk
from visavis.stores.edge_translation import (
    CHECK,
    LEAST_FREE_BYTES_TO_OPEN,
    EdgeDialect,
    engine_errors,
    field_schema,
    floats,
    from_edge,
    search_params,
    to_edge,
    to_hit,
    to_point,
    to_record,
    value_from_edge,
)
from visavis.stores.engine import EngineStore, indexed_points
from visavis.stores.filters import Filter, field_key, translate
from visavis.stores.format_file import StoreFormat
from visavis.stores.region_file import RegionFile
from visavis.types import Payload

_WRITE_BATCH = 1000
_READ_BATCH = 1000
_DIALECT = EdgeDialect()
#: Payloads that are remembered: those of a few conversations. The engine takes twenty microseconds for each.
_REMEMBERED = 4000


class _PayloadCache:
    """The payloads that were read last. Thread-safe; only this process writes the store, so they stay true."""

    def __init__(self) -> None:
        self._known: LRUCache[str, dict[str, Any]] = LRUCache(_REMEMBERED)
        self._writes = 0
        self._lock = Lock()

    def read(
        self, ids: Sequence[str], look_up: Callable[[Sequence[str]], dict[str, dict[str, Any]]]
    ) -> dict[str, dict[str, Any]]:
        """Return payloads, and look those up that are not known."""
        with self._lock:
            found, writes = {id: self._known[id] for id in ids if id in self._known}, self._writes
        if missing := [id for id in ids if id not in found]:
            read = look_up(missing)
            found |= read
            with self._lock:
                if writes == self._writes and len(read) <= _REMEMBERED:  # else they may be out of date already
                    self._known.update(read)
        return {id: dict(found[id]) for id in ids if id in found}

    @contextmanager
    def writing(self, ids: Sequence[str]) -> Iterator[None]:
        """Forget payloads that are written."""
        try:
            yield
        finally:
            with self._lock:
                self._writes += 1
                for id in ids:
                    self._known.pop(id, None)


class EdgeStore(EngineStore):
    """A store in a folder, searched in this process; one process at a time, any number of its threads."""

    def __init__(
        self,
        folder: Path | str,
        *,
        dimension: int | None = None,
        options: StoreOptions | None = None,
        wait: float = 0.0,
    ) -> None:
        """Open the store in a folder, or create one.

        Args:
            folder: The store's folder.
            dimension: The length of the vectors: required to create a store, checked for an existing one.
            options: The options of a new store.
            wait: Seconds to wait for another process that has it open.

        Raises:
            NotFoundError: There is no store and no dimension to create one.
            BadInputError: Its vectors have another dimension.
            BusyError: Another process has it open.
            StorageError: It is damaged or not writable.
        """
        new = None if dimension is None else StoreFormat(dimension, options or StoreOptions())
        self._shard = Shard(Path(folder).absolute(), new, wait)
        self.dimension = self._shard.format.dimension
        self._payloads = _PayloadCache()
        #: None for a store of format 1, whose engine keeps the regions.
        self._regions: RegionFile | None = None
        if self._shard.format.regions == "file":
            try:
                with engine_errors(self._shard.folder, "opening its regions"):
                    self._regions = RegionFile(self._shard.folder, self.dimension, self._shard.format.options.precision)
            except BaseException:
                self._shard.close()
                raise

    # -- writing -----------------------------------------------------------------------------------

    def _write_points(self, points: Sequence[StoredPoint]) -> None:
        for start in range(0, len(points), _WRITE_BATCH):  # on return they are in the write-ahead log
            batch = points[start : start + _WRITE_BATCH]
            size = sum(point.whole.nbytes + (0 if point.regions is None else point.regions.nbytes) for point in batch)
            written = self._payloads.writing([point.id for point in batch])
            with self._shard.write("storing pictures", size) as shard, written:
                if self._regions:  # first: regions without their point do no harm
                    self._regions.write({point.id: point.regions for point in batch if point.regions is not None})
                    self._regions.remove([point.id for point in batch if point.regions is None])
                records = [to_record(point, regions=self._regions is None) for point in batch]
                shard.update(engine.UpdateOperation.upsert_points(records))

    def _write_payload(self, id: str, payload: dict[str, Any]) -> None:
        with self._shard.write("changing a picture") as shard, self._payloads.writing([id]):
            for record in shard.retrieve([_uuid(id)], True, False):
                kept = {name: value for name, value in (record.payload or {}).items() if name == CHECK}
                shard.update(engine.UpdateOperation.overwrite_payload([_uuid(id)], {**to_edge(payload), **kept}))

    def _delete_points(self, ids: Sequence[str]) -> None:
        uuids: list[Any] = [_uuid(id) for id in ids]
        if uuids:
            # Deleting needs less free space than writing: a full disk must not prevent freeing some.
            written = self._payloads.writing(ids)
            with self._shard.write("removing pictures", least_free=LEAST_FREE_BYTES_TO_OPEN) as shard, written:
                shard.update(engine.UpdateOperation.delete_points(uuids))
                if self._regions:
                    self._regions.remove(ids)

    def _make_index(self, field: str, kind: FieldKind, known: FieldKind | None) -> None:
        key = field_key(field)
        with self._shard.write("indexing a field") as shard:
            if known is not None:
                shard.update(engine.UpdateOperation.delete_field_index(key))
            shard.update(engine.UpdateOperation.create_field_index(key, field_schema(kind)))
            self._shard.save_format(self._shard.format.with_field(field, kind))

    # -- searching ---------------------------------------------------------------------------------

    def _search(self, vector: FloatArray, filter: Filter | None, limit: int, exact: bool) -> list[Hit]:
        request = engine.SearchRequest(
            engine.Query.Nearest(vector.tolist(), using="whole"),
            limit,
            filter=translate(filter, _DIALECT),
            params=search_params(self._shard.format.options, exact=exact, limit=limit),
        )
        with self._shard.use("searching") as shard:
            return [to_hit(scored) for scored in shard.search(request)]

    def _search_both(
        self, vector: FloatArray, queries: FloatArray, filter: Filter | None, limit: int, exact: bool
    ) -> tuple[list[Hit], dict[str, float]]:
        if self._regions:
            return self._search(vector, filter, limit, exact), {}  # the second stage reads the regions file
        nearest = engine.Query.Nearest(vector.tolist(), using="whole")
        params = search_params(self._shard.format.options, exact=exact, limit=limit)
        conditions = translate(filter, _DIALECT)
        first = engine.QueryRequest(limit, query=nearest, filter=conditions, params=params)
        second = engine.QueryRequest(
            limit,
            prefetches=[engine.Prefetch(limit, query=nearest, filter=conditions, params=params)],
            query=engine.Query.Nearest(queries.tolist(), using="regions"),
        )
        with self._shard.use("searching") as shard:
            near, regions = shard.query_batch(engine.QueryBatchRequest([first, second]))
        return [to_hit(scored) for scored in near], {scored.id.hex: scored.score for scored in regions}

    def _best_regions(self, ids: Sequence[str], queries: FloatArray) -> dict[str, float]:
        return self._regions.best(ids, queries) if self._regions else super()._best_regions(ids, queries)

    def count(self, filter: Filter | None = None) -> int:
        """Count the points that match the filter."""
        with self._shard.use("counting") as shard:
            if filter is None:  # the engine keeps that number; counting takes time linear in the collection
                return int(shard.info().points_count)
            return int(shard.count(engine.CountRequest(exact=True, filter=translate(filter, _DIALECT))))

    def _facets(self, field: str, filter: Filter | None, limit: int) -> list[tuple[Any, int]]:
        request = engine.FacetRequest(field_key(field), limit=limit, exact=True, filter=translate(filter, _DIALECT))
        with self._shard.use("counting") as shard:
            return [(value_from_edge(hit.value), hit.count) for hit in shard.facet(request).hits]

    # -- reading -----------------------------------------------------------------------------------

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return the stored vectors of the points that exist."""
        if name == "regions" and self._regions:
            return self._regions.read([check_id(id) for id in ids])
        records = self._records(ids, with_payload=False, with_vector=[name])
        return {
            record.id.hex: floats(vectors[name])
            for record in records
            if name in (vectors := record.vector)  # each access to `record.vector` copies every number
        }

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the payloads of the points that exist."""
        return self._payloads.read(ids, self._read_payloads)

    def _read_payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        records = self._records(ids, with_payload=True, with_vector=False)
        return {record.id.hex: from_edge(record.payload) for record in records}

    def _records(self, ids: Sequence[str], with_payload: bool, with_vector: Any) -> Iterator[Any]:
        uuids = [_uuid(id) for id in dict.fromkeys(ids)]  # a text is compared faster than a UUID
        for start in range(0, len(uuids), _READ_BATCH):
            with self._shard.use("reading pictures") as shard:
                records = shard.retrieve(uuids[start : start + _READ_BATCH], with_payload, with_vector)
            yield from records

    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        """Yield every point with its vectors and payload, in the order of ids, a batch at a time."""
        for records in self._walk(batch, None, with_payload=True, with_vector=True):
            points = [to_point(record) for record in records]
            if self._regions:
                regions = self._regions.read([point.id for point in points])
                points = [replace(point, regions=regions.get(point.id)) for point in points]
            yield points

    def ids(self) -> Iterator[str]:
        """Yield every id, in order, without reading vectors."""
        return (id for id, _ in self._payload_walk(None, ""))

    def _payload_walk(self, filter: Filter | None, field: str | None) -> Iterator[tuple[str, Payload]]:
        chosen: Any = True if field is None else [field_key(field)] if field else False
        for records in self._walk(_READ_BATCH, filter, with_payload=chosen, with_vector=False):
            yield from ((record.id.hex, from_edge(record.payload)) for record in records)

    def _walk(self, batch: int, filter: Filter | None, with_payload: Any, with_vector: bool) -> Iterator[list[Any]]:
        conditions, offset = translate(filter, _DIALECT), None
        while True:
            request = engine.ScrollRequest(
                offset=offset, limit=batch, filter=conditions, with_payload=with_payload, with_vector=with_vector
            )
            with self._shard.use("reading pictures") as shard:
                records, offset = shard.scroll(request)
            if records:
                yield records
            if offset is None:
                return

    # -- maintenance -------------------------------------------------------------------------------

    def optimize(self) -> None:
        """Build the search index over all points; in a child process when that takes long."""
        self._shard.build()

    def flush(self) -> None:
        """Write everything to its final files, so that the next open is fast."""
        with self._shard.write("flushing", least_free=0) as shard:
            if self._regions:
                self._regions.flush()
            shard.flush()

    def fields(self) -> dict[str, FieldKind]:
        """Return the fields that have an index, and their kinds."""
        return dict(self._shard.format.fields)

    def info(self) -> StoreInfo:
        """Return statistics of the store."""
        has_regions = engine.Filter(must=[engine.HasVectorCondition("regions")])
        with self._shard.use("reading its state") as shard:
            indexed = int(shard.info().indexed_vectors_count)
            count = int(shard.count(engine.CountRequest(exact=True)))
            regions = 0 if self._regions else int(shard.count(engine.CountRequest(exact=True, filter=has_regions)))
        folder, store_format = self._shard.folder, self._shard.format
        return StoreInfo(
            kind="edge",
            where=str(folder),
            dimension=store_format.dimension,
            count=count,
            indexed=indexed_points(indexed, count, regions),
            disk_bytes=bytes_on_disk(folder),
            precision=store_format.options.precision,
        )

    def close(self) -> None:
        """Flush and release the lock; a second close does nothing."""
        if self._regions:
            with engine_errors(self._shard.folder, "closing its regions"):
                self._regions.close()
        self._shard.close()
        self._payloads = _PayloadCache()


@lru_cache(maxsize=10_000)  # the same pictures are read several times in a turn
def _uuid(id: str) -> UUID:
    return UUID(hex=check_id(id))
