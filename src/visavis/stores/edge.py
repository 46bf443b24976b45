"""The embedded store: Qdrant Edge in this process, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import qdrant_edge as engine

from visavis.encoders.base import FloatArray
from visavis.stores.base import FieldKind, Hit, Payload, Point, StoreInfo, VectorName
from visavis.stores.edge_config import field_schema, search_params
from visavis.stores.edge_dialect import EdgeDialect
from visavis.stores.edge_errors import LEAST_FREE_BYTES_TO_OPEN
from visavis.stores.edge_records import floats, to_hit, to_point, to_record
from visavis.stores.edge_shard import Shard, bytes_on_disk
from visavis.stores.edge_values import from_edge, to_edge, value_from_edge
from visavis.stores.engine import EngineStore, indexed_points
from visavis.stores.filter_translation import field_key, translate
from visavis.stores.filters import Filter
from visavis.stores.format_file import StoreFormat
from visavis.stores.options import StoreOptions
from visavis.stores.points import check_id, check_payload, check_points

_WRITE_BATCH = 1000
_READ_BATCH = 1000
_DIALECT = EdgeDialect()


class EdgeStore(EngineStore):
    """Vectors in a folder, searched in this process; one process at a time, any number of its threads."""

    def __init__(
        self,
        folder: Path | str,
        *,
        dimension: int | None = None,
        options: StoreOptions | None = None,
        wait: float = 0.0,
    ) -> None:
        """Open the store in a folder, or make one.

        Args:
            folder: Where it lies.
            dimension: The length of the vectors: needed to make a store, checked when there is one.
            options: What a new store is made like.
            wait: Seconds to wait for another process that has it open.

        Raises:
            NotFoundError: There is no store and no dimension to make one with.
            BadInputError: It keeps vectors of another dimension.
            BusyError: Another process has it open.
            StorageError: It is damaged, or cannot be written.
        """
        wanted = None if dimension is None else StoreFormat(dimension, options or StoreOptions())
        self._shard = Shard(Path(folder).absolute(), wanted, wait)
        self.dimension = self._shard.format.dimension

    # -- writing -----------------------------------------------------------------------------------

    def upsert(self, points: Sequence[Point]) -> None:
        """Add points or replace those with the same id; on return they are in the write-ahead log."""
        checked = check_points(points, self.dimension)
        self._make_room_for_fractions(point.payload for point in checked)
        for start in range(0, len(checked), _WRITE_BATCH):
            batch = checked[start : start + _WRITE_BATCH]
            size = sum(point.whole.nbytes + (0 if point.regions is None else point.regions.nbytes) for point in batch)
            with self._shard.write("storing pictures", size) as shard:
                shard.update(engine.UpdateOperation.upsert_points([to_record(point) for point in batch]))

    def set_payload(self, id: str, payload: Payload) -> None:
        """Replace the payload of a point; an unknown id is passed over."""
        checked = check_payload(payload, id)
        self._make_room_for_fractions([checked])
        with self._shard.write("changing a picture") as shard:
            if shard.retrieve([_uuid(id)], False, False):
                shard.update(engine.UpdateOperation.overwrite_payload([_uuid(id)], to_edge(checked)))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are passed over."""
        wanted: list[Any] = [_uuid(id) for id in ids]
        if wanted:
            # Less must be free than for storing: a full disk must not stop who makes room.
            with self._shard.write("removing pictures", least_free=LEAST_FREE_BYTES_TO_OPEN) as shard:
                shard.update(engine.UpdateOperation.delete_points(wanted))

    def _make_index(self, field: str, kind: FieldKind, known: FieldKind | None) -> None:
        key = field_key(field)
        with self._shard.write("indexing a field") as shard:
            if known is not None:
                shard.update(engine.UpdateOperation.delete_field_index(key))
            shard.update(engine.UpdateOperation.create_field_index(key, field_schema(kind)))
            self._shard.keep_format(self._shard.format.with_field(field, kind))

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
        self, vector: FloatArray, wanted: FloatArray, filter: Filter | None, limit: int, exact: bool
    ) -> tuple[list[Hit], dict[str, float]]:
        nearest = engine.Query.Nearest(vector.tolist(), using="whole")
        params = search_params(self._shard.format.options, exact=exact, limit=limit)
        conditions = translate(filter, _DIALECT)
        first = engine.QueryRequest(limit, query=nearest, filter=conditions, params=params)
        second = engine.QueryRequest(
            limit,
            prefetches=[engine.Prefetch(limit, query=nearest, filter=conditions, params=params)],
            query=engine.Query.Nearest(wanted.tolist(), using="regions"),
        )
        with self._shard.use("searching") as shard:
            near, regions = shard.query_batch(engine.QueryBatchRequest([first, second]))
        return [to_hit(scored) for scored in near], {scored.id.hex: scored.score for scored in regions}

    def _recommend(
        self, positives: list[FloatArray], negatives: list[FloatArray], filter: Filter, limit: int
    ) -> list[Hit]:
        examples = engine.RecommendQuery(
            [vector.tolist() for vector in positives], [vector.tolist() for vector in negatives]
        )
        request = engine.SearchRequest(
            engine.Query.RecommendBestScore(examples, using="whole"),
            limit,
            filter=translate(filter, _DIALECT),
            params=search_params(self._shard.format.options, exact=False, limit=limit),
        )
        with self._shard.use("searching") as shard:
            return [to_hit(scored) for scored in shard.search(request)]

    def count(self, filter: Filter | None = None) -> int:
        """How many points pass the filter."""
        with self._shard.use("counting") as shard:
            if filter is None:  # the engine keeps that number; counting anew would grow with the collection
                return int(shard.info().points_count)
            return int(shard.count(engine.CountRequest(exact=True, filter=translate(filter, _DIALECT))))

    def _facets(self, field: str, filter: Filter | None, limit: int) -> list[tuple[Any, int]]:
        request = engine.FacetRequest(field_key(field), limit=limit, exact=True, filter=translate(filter, _DIALECT))
        with self._shard.use("counting") as shard:
            return [(value_from_edge(hit.value), hit.count) for hit in shard.facet(request).hits]

    # -- reading -----------------------------------------------------------------------------------

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """The stored vectors of the points that exist."""
        records = self._records(ids, with_payload=False, with_vector=[name])
        return {
            record.id.hex: floats(vectors[name])
            for record in records
            if name in (vectors := record.vector)  # each look at it copies every number
        }

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The payloads of the points that exist."""
        records = self._records(ids, with_payload=True, with_vector=False)
        return {record.id.hex: from_edge(record.payload) for record in records}

    def _records(self, ids: Sequence[str], with_payload: bool, with_vector: Any) -> Iterator[Any]:
        wanted = list(dict.fromkeys(_uuid(id) for id in ids))
        for start in range(0, len(wanted), _READ_BATCH):
            with self._shard.use("reading pictures") as shard:
                records = shard.retrieve(wanted[start : start + _READ_BATCH], with_payload, with_vector)
            yield from records

    def scroll(self, batch: int = 1000) -> Iterator[list[Point]]:
        """Every point with its vectors and payload, in the order of ids, a batch at a time."""
        for records in self._walk(batch, None, with_payload=True, with_vector=True):
            yield [to_point(record) for record in records]

    def ids(self) -> Iterator[str]:
        """Every id, in order, without reading vectors."""
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

    # -- keeping house -----------------------------------------------------------------------------

    def optimize(self) -> None:
        """Build the search index over everything stored so far; in a process of its own when that takes long."""
        self._shard.build()

    def flush(self) -> None:
        """Write everything to its final place, so that the next open is fast."""
        with self._shard.write("flushing", least_free=0) as shard:
            shard.flush()

    def fields(self) -> dict[str, FieldKind]:
        """The fields that have an index, and their kinds."""
        return dict(self._shard.format.fields)

    def info(self) -> StoreInfo:
        """What the store says of itself."""
        has_regions = engine.Filter(must=[engine.HasVectorCondition("regions")])
        with self._shard.use("reading its state") as shard:
            indexed = int(shard.info().indexed_vectors_count)
            count = int(shard.count(engine.CountRequest(exact=True)))
            regions = int(shard.count(engine.CountRequest(exact=True, filter=has_regions)))
        folder, made_like = self._shard.folder, self._shard.format
        return StoreInfo(
            kind="edge",
            where=str(folder),
            dimension=made_like.dimension,
            count=count,
            indexed=indexed_points(indexed, count, regions),
            disk_bytes=bytes_on_disk(folder),
            precision=made_like.options.precision,
        )

    def close(self) -> None:
        """Flush and let go; a second close does nothing."""
        self._shard.close()


def _uuid(id: str) -> UUID:
    return UUID(hex=check_id(id))
