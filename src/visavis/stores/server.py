"""The store on a Qdrant server or cluster (extra ``qdrant``)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.errors import BusyError, MissingExtraError, NotFoundError, StorageError

try:
    from qdrant_client import QdrantClient, models
except ImportError as error:
    raise MissingExtraError("A store on a Qdrant server", "qdrant") from error

from visavis.stores.base import (
    FieldKind,
    Hit,
    ServerOptions,
    StoredPoint,
    StoreInfo,
    StoreOptions,
    VectorName,
    check_id,
    closed_on_error,
)
from visavis.stores.engine import EngineStore, indexed_points
from visavis.stores.filters import Filter, field_key, translate
from visavis.stores.format_file import StoreFormat
from visavis.stores.registry import ServerAddress
from visavis.stores.server_requests import (
    RetryPolicy,
    ServerDialect,
    batches,
    collection_config,
    field_schema,
    read_collection,
    search_params,
    to_hit,
    to_point,
    to_record,
)
from visavis.types import Payload

Answer = TypeVar("Answer")
_READ_BATCH = 256
_DIALECT = ServerDialect()
#: How long :meth:`ServerStore.optimize` waits for the server, and its polling interval.
_OPTIMIZE_SECONDS = 6 * 3600.0
_LOOK_EVERY_SECONDS = 0.5


class ServerStore(EngineStore):
    """A store on a Qdrant server; any number of processes may use it at once."""

    def __init__(
        self,
        client: QdrantClient,
        collection: str,
        *,
        where: str = "",
        dimension: int | None = None,
        options: StoreOptions | None = None,
        server: ServerOptions | None = None,
    ) -> None:
        """Open a collection on the server, or create one. Most callers want :func:`connect`.

        Args:
            client: A connected client; closed with the store.
            collection: The collection's name on the server.
            where: Names the store in messages.
            dimension: The length of the vectors: required to create a collection, checked for an existing one.
            options: The options of a new one.
            server: Sharding, replication and time-outs.

        Raises:
            NotFoundError: There is no such collection and no dimension to create one.
            BadInputError: Its vectors have another dimension, or the key is refused.
            StorageError: The server cannot be reached.
        """
        self._client = client
        self._collection = collection
        self._where = where or collection
        self._server = server or ServerOptions()
        self._patience = RetryPolicy(self._where, self._server.attempts)
        new = None if dimension is None else StoreFormat(dimension, options or StoreOptions())
        self._format = self._open(new)
        self._format.check_dimension(dimension, self._where)
        self.dimension = self._format.dimension

    def _ask(self, request: Callable[..., Answer], *arguments: Any, **named: Any) -> Answer:
        return self._patience.ask(lambda: request(self._collection, *arguments, **named))

    def _open(self, new: StoreFormat | None) -> StoreFormat:
        if not self._ask(self._client.collection_exists):
            if new is None:
                raise NotFoundError(f"There is no collection at {self._where}.", "Index some pictures into it first.")
            self._make(new)
        return read_collection(self._ask(self._client.get_collection), self._where)

    def _make(self, new: StoreFormat) -> None:
        try:
            self._ask(self._client.create_collection, **collection_config(new, self._server))
        except Exception:
            # Another worker may have created it meanwhile, or the answer to our own request was lost.
            if not self._ask(self._client.collection_exists):
                raise

    # -- writing -----------------------------------------------------------------------------------

    def _write_points(self, points: Sequence[StoredPoint]) -> None:
        for batch in batches(points, self._server.batch):  # on return ``write_consistency`` copies have them
            self._ask(self._client.upsert, points=[to_record(point) for point in batch], wait=True)

    def _write_payload(self, id: str, payload: dict[str, Any]) -> None:
        if self._ask(self._client.retrieve, ids=[_uuid(id)], with_payload=False):
            self._ask(self._client.overwrite_payload, payload=payload, points=[_uuid(id)], wait=True)

    def _delete_points(self, ids: Sequence[str]) -> None:
        uuids: list[Any] = [_uuid(id) for id in ids]
        for start in range(0, len(uuids), _READ_BATCH):
            chosen = models.PointIdsList(points=uuids[start : start + _READ_BATCH])
            self._ask(self._client.delete, points_selector=chosen, wait=True)

    def _make_index(self, field: str, kind: FieldKind, known: FieldKind | None) -> None:
        key = field_key(field)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Payload indexes have no effect")  # the client's local mode
            if known is not None:
                self._ask(self._client.delete_payload_index, field_name=key, wait=True)
            self._ask(self._client.create_payload_index, field_name=key, field_schema=field_schema(kind), wait=True)
        self._format = self._format.with_field(field, kind)

    # -- searching ---------------------------------------------------------------------------------

    def _search(self, vector: FloatArray, filter: Filter | None, limit: int, exact: bool) -> list[Hit]:
        answer = self._ask(
            self._client.query_points,
            query=vector.tolist(),
            using="whole",
            query_filter=translate(filter, _DIALECT),
            search_params=search_params(self._format.options, exact=exact, limit=limit),
            limit=limit,
            with_payload=False,
        )
        return [to_hit(scored) for scored in answer.points]

    def _search_both(
        self, vector: FloatArray, queries: FloatArray, filter: Filter | None, limit: int, exact: bool
    ) -> tuple[list[Hit], dict[str, float]]:
        first = models.QueryRequest(
            query=vector.tolist(),
            using="whole",
            filter=translate(filter, _DIALECT),
            params=search_params(self._format.options, exact=exact, limit=limit),
            limit=limit,
        )
        found_first = models.Prefetch(
            query=first.query, using="whole", filter=first.filter, params=first.params, limit=limit
        )
        second = models.QueryRequest(prefetch=found_first, query=queries.tolist(), using="regions", limit=limit)
        near, regions = self._ask(self._client.query_batch_points, requests=[first, second])
        sums = {to_hit(scored).id: scored.score for scored in regions.points}
        return [to_hit(scored) for scored in near.points], sums

    def count(self, filter: Filter | None = None) -> int:
        """Count the points that match the filter."""
        return self._ask(self._client.count, count_filter=translate(filter, _DIALECT), exact=True).count

    def _facets(self, field: str, filter: Filter | None, limit: int) -> list[tuple[Any, int]]:
        conditions = translate(filter, _DIALECT)
        answer = self._ask(self._client.facet, key=field_key(field), facet_filter=conditions, limit=limit, exact=True)
        return [(hit.value, hit.count) for hit in answer.hits]

    # -- reading -----------------------------------------------------------------------------------

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return the stored vectors of the points that exist."""
        records = self._records(ids, with_payload=False, with_vectors=[name])
        return {
            UUID(str(record.id)).hex: np.asarray(record.vector[name], dtype=np.float32)
            for record in records
            if record.vector and name in record.vector
        }

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the payloads of the points that exist."""
        records = self._records(ids, with_payload=True, with_vectors=False)
        return {UUID(str(record.id)).hex: record.payload or {} for record in records}

    def _records(self, ids: Sequence[str], with_payload: bool, with_vectors: Any) -> Iterator[Any]:
        uuids = list(dict.fromkeys(_uuid(id) for id in ids))
        for start in range(0, len(uuids), _READ_BATCH):
            chosen = uuids[start : start + _READ_BATCH]
            yield from self._ask(
                self._client.retrieve, ids=chosen, with_payload=with_payload, with_vectors=with_vectors
            )

    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        """Yield every point with its vectors and payload, in the order of ids, a batch at a time."""
        for records in self._walk(batch, None, with_payload=True, with_vectors=True):
            yield [to_point(record) for record in records]

    def ids(self) -> Iterator[str]:
        """Yield every id, in order, without reading vectors."""
        return (id for id, _ in self._payload_walk(None, ""))

    def _payload_walk(self, filter: Filter | None, field: str | None) -> Iterator[tuple[str, Payload]]:
        chosen: Any = True if field is None else [field_key(field)] if field else False
        for records in self._walk(1000, filter, with_payload=chosen, with_vectors=False):
            yield from ((UUID(str(record.id)).hex, record.payload or {}) for record in records)

    def _walk(self, batch: int, filter: Filter | None, with_payload: Any, with_vectors: bool) -> Iterator[list[Any]]:
        conditions, offset = translate(filter, _DIALECT), None
        while True:
            records, offset = self._ask(
                self._client.scroll,
                scroll_filter=conditions,
                limit=batch,
                offset=offset,
                with_payload=with_payload,
                with_vectors=with_vectors,
            )
            if records:
                yield records
            if offset is None:
                return

    # -- maintenance -------------------------------------------------------------------------------

    def optimize(self) -> None:
        """Wait until the server has built its index, which it does in the background."""
        deadline = time.monotonic() + _OPTIMIZE_SECONDS
        while True:
            status = self._ask(self._client.get_collection).status
            if status == models.CollectionStatus.GREEN:
                return
            if status == models.CollectionStatus.RED:
                raise StorageError(f"The server could not build the index of {self._where}.", "Look at its log.")
            if status == models.CollectionStatus.GREY:  # optimisation is paused until any change of settings
                self._ask(self._client.update_collection, optimizers_config=models.OptimizersConfigDiff())
            if time.monotonic() > deadline:
                raise BusyError(f"The server still builds the index of {self._where}.", "Look again later.")
            time.sleep(_LOOK_EVERY_SECONDS)

    def flush(self) -> None:
        """Do nothing: acknowledged writes are in the server's write-ahead log."""

    def clear(self) -> None:
        """Remove the collection from the server."""
        self._ask(self._client.delete_collection)

    def fields(self) -> dict[str, FieldKind]:
        """Return the fields that have an index, and their kinds."""
        return dict(self._format.fields)

    def info(self) -> StoreInfo:
        """Return statistics of the store."""
        state = self._ask(self._client.get_collection)
        count = self.count()
        has_regions = models.Filter(must=[models.HasVectorCondition(has_vector="regions")])
        regions = self._ask(self._client.count, count_filter=has_regions, exact=True).count
        return StoreInfo(
            kind="server",
            where=self._where,
            dimension=self.dimension,
            count=count,
            indexed=indexed_points(state.indexed_vectors_count or 0, count, regions),
            precision=self._format.options.precision,
        )

    def close(self) -> None:
        """Close the connection; a second close does nothing."""
        self._client.close()


def connect(
    address: ServerAddress,
    *,
    api_key: str | None = None,
    dimension: int | None = None,
    options: StoreOptions | None = None,
) -> ServerStore:
    """Open a collection on a server; raises what :class:`ServerStore` raises."""
    with warnings.catch_warnings():
        if address.host in {"localhost", "127.0.0.1", "::1"}:  # a key to localhost cannot be intercepted
            warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
        client = QdrantClient(
            url=address.url, api_key=api_key, timeout=max(1, round(address.options.timeout)), check_compatibility=False
        )
    with closed_on_error(client.close):
        return ServerStore(
            client, address.collection, where=str(address), dimension=dimension, options=options, server=address.options
        )


def _uuid(id: str) -> str:
    return str(UUID(hex=check_id(id)))
