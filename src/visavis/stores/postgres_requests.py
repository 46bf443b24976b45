"""Connections to PostgreSQL; filters, payloads and vectors as its tables have them, and back.

Each value of a payload is a row of ``entries``: the point's id, the field, and the text, number or boolean it is. So a
condition on a field is an ``EXISTS``, a list is several rows, and a missing field has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, NotFoundError, StorageError, VisavisError
from visavis.stores.base import Precision
from visavis.stores.filters import Filter, translate, values_of, words_of
from visavis.stores.region_file import quantised
from visavis.stores.registry import PostgresAddress
from visavis.types import Payload


def storable(text: str) -> str:
    """Escape the one character that PostgreSQL's texts cannot have, so that different texts stay different."""
    return text.replace("\ue000", "\ue000\ue000").replace("\x00", "\ue000\ue001")


def value_rows(id: str, payload: Payload) -> Iterable[dict[str, Any]]:
    """Return the rows of a payload: one for each different value of each field."""
    rows: dict[tuple[str, str, Any], dict[str, Any]] = {}
    for field in payload:
        for value in values_of(payload, field):
            row: dict[str, Any] = {"id": id, "field": storable(field), "text": None, "number": None, "flag": None}
            row["words"] = None
            if isinstance(value, bool):
                row["flag"] = value
            elif isinstance(value, str):
                row |= {"text": storable(value), "words": [storable(word) for word in words_of(value)]}
            else:
                row["number"] = float(value)
            rows[field, type(value).__name__, value] = row
    return rows.values()


class SqlConditions:
    """A filter as a condition on ``points.id``, and its parameters."""

    def __init__(self, filter: Filter | None) -> None:
        """Translate a filter.

        Raises:
            BadInputError: A bound is not a number, a field cannot be addressed, or it is nested too deeply.
        """
        self.parameters: dict[str, Any] = {}
        self._numbers = count()
        translated = translate(filter, self)
        self.sql: str = "TRUE" if translated is None else translated

    def _bind(self, value: Any) -> str:
        name = f"p{next(self._numbers)}"
        self.parameters[name] = value
        return f":{name}"

    def _exists(self, key: str, condition: str) -> str:
        field = self._bind(storable(key[1:-1] if key.startswith('"') else key))
        return f"EXISTS (SELECT FROM entries WHERE entries.id = points.id AND field = {field} AND {condition})"

    def equals(self, key: str, value: str | bool) -> str:
        """Match this text or boolean."""
        if isinstance(value, bool):
            return self._exists(key, f"flag = {self._bind(value)}")
        return self._exists(key, f"text = {self._bind(storable(value))}")

    def any_of(self, key: str, values: Sequence[str]) -> str:
        """Match one of these texts."""
        return self._exists(key, f"text = ANY({self._bind([storable(value) for value in values])})")

    def within(self, key: str, gt: float | None, gte: float | None, lt: float | None, lte: float | None) -> str:
        """Match a number within these bounds."""
        bounds = {">": gt, ">=": gte, "<": lt, "<=": lte}
        stated = [f"number {sign} {self._bind(float(bound))}" for sign, bound in bounds.items() if bound is not None]
        return self._exists(key, " AND ".join(stated or ["number IS NOT NULL"]))

    def word(self, key: str, word: str) -> str:
        """Match this word."""
        return self._exists(key, f"words @> {self._bind([storable(word)])}")

    def has_id(self, ids: Sequence[str]) -> str:
        """Match one of these points."""
        return f"points.id = ANY(CAST({self._bind(list(ids))} AS uuid[]))"

    def group(self, must: Sequence[str] = (), should: Sequence[str] = (), must_not: Sequence[str] = ()) -> str:
        """Combine conditions."""
        parts = [*must, *(f"NOT {condition}" for condition in must_not)]
        if should:
            parts.append(f"({' OR '.join(should)})")
        return f"({' AND '.join(parts)})" if parts else "TRUE"


@dataclass(frozen=True)
class VectorColumns:
    """Converts vectors to columns and back.

    Attributes:
        dimension: The length of the vectors.
        precision: ``float32`` keeps regions unchanged, anything else as one byte a number and a scale a vector.
        half: Whether whole vectors have half precision (pgvector 0.7 and newer).
    """

    dimension: int
    precision: Precision
    half: bool

    @property
    def whole_type(self) -> str:
        """The SQL type of a whole vector."""
        return f"{'halfvec' if self.half else 'vector'}({self.dimension:d})"

    @property
    def operators(self) -> str:
        """The operator class of the search index: inner products."""
        return "halfvec_ip_ops" if self.half else "vector_ip_ops"

    def to_whole(self, vector: FloatArray) -> Any:
        """Convert a whole vector to a parameter."""
        return HalfVector(vector) if self.half else np.asarray(vector, dtype=np.float32)

    def from_whole(self, column: Any) -> FloatArray:
        """Convert a column to a whole vector."""
        return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column, dtype=np.float32)

    def to_regions(self, regions: FloatArray) -> bytes:
        """Convert regions ``[r, d]`` to bytes."""
        if self.precision == "float32":
            return np.ascontiguousarray(regions, dtype="<f4").tobytes()
        numbers, scales = quantised(regions)
        return scales.astype("<f4").tobytes() + numbers.tobytes()

    def from_regions(self, block: bytes) -> FloatArray:
        """Convert bytes to regions ``[r, d]``."""
        if self.precision == "float32":
            return np.frombuffer(block, "<f4").reshape(-1, self.dimension).astype(np.float32)
        count = len(block) // (self.dimension + 4)
        scales = np.frombuffer(block, "<f4", count)[:, None]
        numbers = np.frombuffer(block, np.int8, offset=4 * count).reshape(count, self.dimension)
        vectors: FloatArray = (numbers * scales).astype(np.float32)
        return vectors


Answer = TypeVar("Answer")
#: A server that starts, stops, or chose this transaction to end a deadlock: the same request may succeed later.
_PASSING_STATES = ("57P01", "57P02", "57P03", "40001", "40P01", "53300", "08")


def open_engine(address: PostgresAddress) -> Engine:
    """Connect to a database; every connection knows the vector types, once the extension is there."""
    engine = create_engine(
        address.url,
        connect_args={"options": f"-csearch_path={address.schema},public", "connect_timeout": 10},
        pool_pre_ping=True,
    )

    @event.listens_for(engine, "connect")
    def _register(connection: Any, _record: Any) -> None:
        try:
            register_vector(connection.driver_connection if hasattr(connection, "driver_connection") else connection)
        except psycopg.ProgrammingError:
            return  # the first connection of a database comes before the extension

    return engine


class TransactionRetries:
    """Runs idempotent transactions again after transient failures, with growing pauses."""

    def __init__(self, where: str, attempts: int) -> None:
        self._where = where
        self._retrying = Retrying(
            stop=stop_after_attempt(attempts),
            retry=retry_if_exception(_is_passing),
            wait=wait_exponential_jitter(multiplier=0.2, max=15, jitter=0.2),
            reraise=True,
        )

    def run(self, transaction: Callable[[], Answer]) -> Answer:
        """Run a transaction.

        Raises:
            StorageError: The server cannot be reached, keeps failing, or has no pgvector.
            BadInputError: It refuses the login.
            NotFoundError: The store's tables are not there.
        """
        try:
            return self._retrying(transaction)
        except DBAPIError as error:
            raise _explained(error, self._where) from error


def _is_passing(error: BaseException) -> bool:
    if not isinstance(error, DBAPIError):
        return False
    state = str(getattr(error.orig, "sqlstate", None) or "")
    lost = isinstance(error, OperationalError) and (error.connection_invalidated or not state)
    return lost or state.startswith(_PASSING_STATES)


def _explained(error: DBAPIError, where: str) -> VisavisError:
    cause = str(error.orig).strip().splitlines()[0] if error.orig else type(error).__name__
    state = str(getattr(error.orig, "sqlstate", None) or "")
    if "extension" in cause and "vector" in cause:
        remedy = "Install pgvector on the server, and create the extension there: CREATE EXTENSION vector;"
        return StorageError(f"The PostgreSQL server of {where} has no pgvector: {cause}.", remedy)
    if state in {"42P01", "3F000"}:
        return NotFoundError(f"There is no store at {where}.", "Index some pictures into it first.")
    if state.startswith("28"):
        return BadInputError(
            f"The PostgreSQL server of {where} refuses the login: {cause}.", "Check user and password."
        )
    if state == "53100":
        return StorageError(f"The PostgreSQL server of {where} is out of room.", "Give it more disk space.")
    return StorageError(f"The PostgreSQL server of {where} refused: {cause}.", "Check that it runs, and its log.")
