"""Connections to PostgreSQL with pgvector: transactions are retried after transient failures, errors translated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import psycopg
from pgvector.psycopg import register_vector
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from visavis.errors import BadInputError, NotFoundError, StorageError, VisavisError
from visavis.stores.registry import PostgresAddress

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
