"""The store in PostgreSQL with the extension pgvector (extra ``postgres``): one server for catalogue and vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Engine, text

from visavis.encoders.base import FloatArray
from visavis.errors import MissingExtraError, NotFoundError

try:
    from visavis.stores.postgres_requests import TransactionRetries, VectorColumns, open_engine
except ImportError as error:
    raise MissingExtraError("A store in PostgreSQL", "postgres") from error

from visavis.stores.base import (
    FieldKind,
    Hit,
    StoredPoint,
    StoreInfo,
    StoreOptions,
    VectorName,
    check_id,
    closed_on_error,
)
from visavis.stores.engine import EngineStore
from visavis.stores.filters import Filter
from visavis.stores.format_file import StoreFormat, parse_format
from visavis.stores.postgres_requests import SqlConditions, storable, value_rows
from visavis.stores.registry import PostgresAddress
from visavis.types import Payload

Answer = TypeVar("Answer")
FORMAT_VERSION = 1
_BATCH = 256
#: The index compares at most so many candidates; a query for more is answered exactly.
_WIDEST_SEARCH = 1000
#: A filter that lets at most so many points pass is answered exactly: the index would find too few of them.
_EXACT_UP_TO = 20_000
#: Half-precision vectors came with this version of pgvector, and searches that go on until enough pass with 0.8.
_HALF_VECTORS, _ITERATIVE = (0, 7), (0, 8)


class PostgresStore(EngineStore):
    """Points in a table of their own schema; any number of processes may use it at once."""

    def __init__(
        self,
        engine: Engine,
        schema: str,
        *,
        where: str,
        dimension: int | None = None,
        options: StoreOptions | None = None,
        attempts: int = 8,
    ) -> None:
        """Open the store of a collection, or create it. Most callers want :func:`connect_postgres`.

        Args:
            engine: A pool of connections whose search path is the schema; disposed of with the store.
            schema: The schema of the collection's tables.
            where: Names the store in messages.
            dimension: The length of the vectors: required to create a store, checked for an existing one.
            options: The options of a new one.
            attempts: Attempts of a request with transient failures.

        Raises:
            NotFoundError: There is no such store and no dimension to create one.
            BadInputError: Its vectors have another dimension.
            StorageError: The server cannot be reached, or has no pgvector.
        """
        self._engine = engine
        self._schema = schema
        self._where = where
        self._retries = TransactionRetries(where, attempts)
        self._extension = self._ask(self._prepare)
        engine.dispose()  # a connection from before the extension does not know its types
        new = None if dimension is None else StoreFormat(dimension, options or StoreOptions())
        self._format = self._ask(lambda connection: self._open(connection, new))
        self._format.check_dimension(dimension, where)
        self.dimension = self._format.dimension
        self._columns = self._vector_columns(self._format)

    def _ask(self, request: Callable[[Connection], Answer]) -> Answer:
        """Run a request in one transaction, again after a transient failure: every request is idempotent."""

        def once() -> Answer:
            with self._engine.begin() as connection:
                return request(connection)

        return self._retries.run(once)

    # -- tables ------------------------------------------------------------------------------------

    def _prepare(self, connection: Connection) -> tuple[int, ...]:
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('visavis'))"))  # one creator at a time
        connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public"))
        found = connection.execute(text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")).scalar_one()
        return tuple(int(part) for part in str(found).split(".")[:2])

    def _open(self, connection: Connection, new: StoreFormat | None) -> StoreFormat:
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:schema))"), {"schema": self._schema})
        table = connection.execute(text("SELECT to_regclass(:name)"), {"name": f'"{self._schema}".format'}).scalar()
        if table is None:
            if new is None:
                raise NotFoundError(f"There is no store at {self._where}.", "Index some pictures into it first.")
            self._create(connection, new)
            return new
        written = connection.execute(text("SELECT written FROM format")).scalar_one()
        return parse_format(json.loads(written), self._where, FORMAT_VERSION)

    def _vector_columns(self, store_format: StoreFormat) -> VectorColumns:
        precision = store_format.options.precision
        half = precision == "float16" and self._extension >= _HALF_VECTORS
        return VectorColumns(store_format.dimension, precision, half)

    def _create(self, connection: Connection, new: StoreFormat) -> None:
        column = self._vector_columns(new).whole_type
        for statement in (
            f'CREATE SCHEMA IF NOT EXISTS "{self._schema}"',
            "CREATE TABLE format (written text NOT NULL)",
            f"CREATE TABLE points (id uuid PRIMARY KEY, whole {column} NOT NULL, regions bytea, payload text NOT NULL)",
            "CREATE TABLE entries (id uuid NOT NULL REFERENCES points ON DELETE CASCADE, field text NOT NULL,"
            " text text, number double precision, flag boolean, words text[])",
            "CREATE INDEX entries_id ON entries (id, field)",
            "CREATE INDEX entries_text ON entries USING hash (text)",
            "CREATE INDEX entries_number ON entries (field, number) WHERE number IS NOT NULL",
            "CREATE INDEX entries_words ON entries USING gin (words)",
        ):
            connection.execute(text(statement))
        self._write_format(connection, new)

    def _write_format(self, connection: Connection, new: StoreFormat) -> None:
        written = json.dumps({"format": FORMAT_VERSION, "engine": "pgvector", **asdict(new)})
        connection.execute(text("DELETE FROM format"))
        connection.execute(text("INSERT INTO format VALUES (:written)"), {"written": written})

    # -- writing -----------------------------------------------------------------------------------

    def _write_points(self, points: Sequence[StoredPoint]) -> None:
        # In the order of ids, so that two writers of the same points do not wait for each other in a circle.
        ordered = sorted(points, key=lambda point: point.id)
        for start in range(0, len(ordered), _BATCH):  # on return the server's log on disk has them
            batch = ordered[start : start + _BATCH]
            self._ask(lambda connection, batch=batch: self._write(connection, batch))  # type: ignore[misc]

    def _write(self, connection: Connection, points: Sequence[StoredPoint]) -> None:
        rows = [
            {
                "id": point.id,
                "whole": self._columns.to_whole(point.whole),
                "regions": None if point.regions is None else self._columns.to_regions(point.regions),
                "payload": json.dumps(point.payload),
            }
            for point in points
        ]
        statement = (
            "INSERT INTO points VALUES (CAST(:id AS uuid), :whole, :regions, :payload) ON CONFLICT (id) DO UPDATE"
            " SET whole = excluded.whole, regions = excluded.regions, payload = excluded.payload"
        )
        connection.execute(text(statement), rows)
        self._write_values(connection, {point.id: point.payload for point in points})

    def _write_values(self, connection: Connection, payloads: dict[str, Payload]) -> None:
        chosen = {"ids": list(payloads)}
        connection.execute(text("DELETE FROM entries WHERE id = ANY(CAST(:ids AS uuid[]))"), chosen)
        rows = [row for id, payload in payloads.items() for row in value_rows(id, payload)]
        if rows:
            statement = "INSERT INTO entries VALUES (CAST(:id AS uuid), :field, :text, :number, :flag, :words)"
            connection.execute(text(statement), rows)

    def _write_payload(self, id: str, payload: dict[str, Any]) -> None:
        def write(connection: Connection) -> None:
            statement = "UPDATE points SET payload = :payload WHERE id = CAST(:id AS uuid)"
            done = connection.execute(text(statement), {"id": id, "payload": json.dumps(payload)})
            if done.rowcount:
                self._write_values(connection, {id: payload})

        self._ask(write)

    def _delete_points(self, ids: Sequence[str]) -> None:
        chosen = {"ids": list(ids)}
        self._ask(lambda connection: connection.execute(text(f"DELETE FROM points WHERE {_CHOSEN}"), chosen))

    def _make_index(self, field: str, kind: FieldKind, known: FieldKind | None) -> None:  # noqa: ARG002
        # Every value has its row and its index whatever the kind; the kind decides how facets are counted.
        self._format = self._format.with_field(field, kind)
        self._ask(lambda connection: self._write_format(connection, self._format))

    # -- searching ---------------------------------------------------------------------------------

    def _search(self, vector: FloatArray, filter: Filter | None, limit: int, exact: bool) -> list[Hit]:
        conditions = SqlConditions(filter)
        parameters = {**conditions.parameters, "vector": self._columns.to_whole(vector), "limit": limit}
        nearest = (
            "SELECT id, -(whole <#> :vector) AS score FROM {source} WHERE {condition}"
            " ORDER BY whole <#> :vector LIMIT :limit"
        )

        def search(connection: Connection) -> list[Hit]:
            if exact or not self._may_use_index(connection, conditions, filter, limit):
                # OFFSET 0 keeps the planner from the vector index: what passes is found first, then all of it compared.
                passing = f"(SELECT id, whole FROM points WHERE {conditions.sql} OFFSET 0) AS passing"
                statement = nearest.format(source=passing, condition="TRUE")
            else:
                width = max(self._format.options.index.search_width, min(_WIDEST_SEARCH, 2 * limit))
                connection.execute(text(f"SET LOCAL hnsw.ef_search = {width:d}"))
                if self._extension >= _ITERATIVE:
                    connection.execute(text("SET LOCAL hnsw.iterative_scan = strict_order"))
                statement = nearest.format(source="points", condition=conditions.sql)
            found = connection.execute(text(statement), parameters)
            return [Hit(row.id.hex, float(row.score)) for row in found]

        return self._ask(search)

    def _may_use_index(
        self, connection: Connection, conditions: SqlConditions, filter: Filter | None, limit: int
    ) -> bool:
        if limit > _WIDEST_SEARCH // 2:
            return False
        if filter is None:
            return True
        most = {**conditions.parameters, "most": _EXACT_UP_TO + 1}
        passing = f"SELECT count(*) FROM (SELECT id FROM points WHERE {conditions.sql} LIMIT :most) AS passing"
        passed = int(connection.execute(text(passing), most).scalar_one())
        if passed <= _EXACT_UP_TO:
            return False
        total = int(connection.execute(text("SELECT count(*) FROM points")).scalar_one())
        # Without iterative scans the index yields its candidates once, so enough of them have to pass.
        return self._extension >= _ITERATIVE or passed * _WIDEST_SEARCH > total * limit * 4

    def _search_both(  # the regions are scored by :meth:`_region_scores`, not by the server
        self,
        vector: FloatArray,
        queries: FloatArray,  # noqa: ARG002
        filter: Filter | None,
        limit: int,
        exact: bool,
    ) -> tuple[list[Hit], dict[str, float]]:
        return self._search(vector, filter, limit, exact), {}

    def count(self, filter: Filter | None = None) -> int:
        """Count the points that match the filter."""
        conditions = SqlConditions(filter)
        statement = text(f"SELECT count(*) FROM points WHERE {conditions.sql}")
        return self._ask(lambda connection: int(connection.execute(statement, conditions.parameters).scalar_one()))

    def _facets(self, field: str, filter: Filter | None, limit: int) -> list[tuple[Any, int]]:
        column = {"keyword": "text", "integer": "number", "bool": "flag"}[self.fields()[field]]
        conditions = SqlConditions(filter)
        statement = text(
            f"SELECT entries.{column} AS found, count(*) AS points FROM entries JOIN points USING (id)"
            f" WHERE field = :facet AND entries.{column} IS NOT NULL AND {conditions.sql}"
            f" GROUP BY entries.{column} ORDER BY points DESC, found LIMIT :limit"
        )
        parameters = {**conditions.parameters, "facet": storable(field), "limit": limit}
        rows = self._ask(lambda connection: connection.execute(statement, parameters).all())
        return [(row.found, int(row.points)) for row in rows]

    # -- reading -----------------------------------------------------------------------------------

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return the stored vectors of the points that exist."""
        read = self._columns.from_regions if name == "regions" else self._columns.from_whole
        rows = self._rows(ids, f"id, {name} AS found")
        return {row.id.hex: read(row.found) for row in rows if row.found is not None}

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the payloads of the points that exist."""
        return {row.id.hex: json.loads(row.payload) for row in self._rows(ids, "id, payload")}

    def _rows(self, ids: Sequence[str], columns: str) -> Sequence[Any]:
        statement = text(f"SELECT {columns} FROM points WHERE {_CHOSEN}")
        chosen = {"ids": [check_id(id) for id in ids]}
        return self._ask(lambda connection: connection.execute(statement, chosen).all()) if ids else []

    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        """Yield every point with its vectors and payload, in the order of ids, a batch at a time."""
        for rows in self._walk("id, whole, regions, payload", None, batch):
            yield [
                StoredPoint(
                    row.id.hex,
                    self._columns.from_whole(row.whole),
                    None if row.regions is None else self._columns.from_regions(row.regions),
                    json.loads(row.payload),
                )
                for row in rows
            ]

    def ids(self) -> Iterator[str]:
        """Yield every id, in order, without reading vectors."""
        return (id for id, _ in self._payload_walk(None, ""))

    def _payload_walk(self, filter: Filter | None, field: str | None) -> Iterator[tuple[str, Payload]]:
        for rows in self._walk("id" if field == "" else "id, payload", filter, 1000):
            yield from ((row.id.hex, {} if field == "" else json.loads(row.payload)) for row in rows)

    def _walk(self, columns: str, filter: Filter | None, batch: int) -> Iterator[Sequence[Any]]:
        conditions = SqlConditions(filter)
        statement = text(
            f"SELECT {columns} FROM points WHERE id > CAST(:after AS uuid) AND {conditions.sql}"
            " ORDER BY id LIMIT :batch"
        )
        first = text(str(statement).replace("id > CAST(:after AS uuid) AND", ""))
        after: UUID | None = None
        while True:
            parameters = {**conditions.parameters, "batch": batch, **({} if after is None else {"after": str(after)})}
            page = first if after is None else statement
            rows = self._ask(lambda connection, page=page, chosen=parameters: connection.execute(page, chosen).all())  # type: ignore[misc]
            if rows:
                yield rows
            if len(rows) < batch:
                return
            after = rows[-1].id

    # -- maintenance -------------------------------------------------------------------------------

    def optimize(self) -> None:
        """Build the search index over all points; the server keeps it up to date from then on."""
        index = self._format.options.index
        build = (
            f"CREATE INDEX IF NOT EXISTS point_whole ON points USING hnsw (whole {self._columns.operators})"
            f" WITH (m = {index.links:d}, ef_construction = {index.build_width:d})"
        )

        def run(connection: Connection) -> None:
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:schema))"), {"schema": self._schema})
            connection.execute(text("SET LOCAL maintenance_work_mem = '512MB'"))
            connection.execute(text(build))
            connection.execute(text("ANALYZE points"))
            connection.execute(text("ANALYZE entries"))

        self._ask(run)

    def flush(self) -> None:
        """Do nothing: committed transactions are in the server's log."""

    def clear(self) -> None:
        """Remove the collection's tables from the database."""
        self._ask(lambda connection: connection.execute(text(f'DROP SCHEMA IF EXISTS "{self._schema}" CASCADE')))

    def fields(self) -> dict[str, FieldKind]:
        """Return the fields that have an index, and their kinds."""
        return dict(self._format.fields)

    def info(self) -> StoreInfo:
        """Return statistics of the store."""
        sizes = "pg_total_relation_size('points') + pg_total_relation_size('entries')"
        statement = text(
            f"SELECT count(*) AS points, {sizes} AS bytes, to_regclass('point_whole') AS built FROM points"
        )
        row = self._ask(lambda connection: connection.execute(statement).one())
        return StoreInfo(
            kind="postgres",
            where=self._where,
            dimension=self.dimension,
            count=int(row.points),
            indexed=int(row.points) if row.built else 0,
            disk_bytes=int(row.bytes),
            precision="float16" if self._columns.half else "float32",
        )

    def close(self) -> None:
        """Close the connections; a second close does nothing."""
        self._engine.dispose()


_CHOSEN = "id = ANY(CAST(:ids AS uuid[]))"


def connect_postgres(
    address: PostgresAddress, *, dimension: int | None = None, options: StoreOptions | None = None
) -> PostgresStore:
    """Open the store of a collection in a database; raises what :class:`PostgresStore` raises."""
    engine = open_engine(address)
    with closed_on_error(engine.dispose):
        return PostgresStore(
            engine, address.schema, where=str(address), dimension=dimension, options=options, attempts=address.attempts
        )
