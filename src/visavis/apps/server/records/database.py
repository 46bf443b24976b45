"""The database of the server's own records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from visavis.apps.server.records.tables import Base
from visavis.collections.database import WRITES, storage_error
from visavis.errors import BadInputError, MissingExtraError
from visavis.home import ensure_folder

FILE = "server.sqlite"
_WAIT_SECONDS = 30
#: The lock that workers take while the tables are made; any number that nothing else in the database uses.
_CREATING = 0x76697361


class Records:
    """Transactions on the server's own records; may be used from any thread.

    Args:
        home: Where the SQLite file lies.
        address: A ``postgresql://`` URL instead of it.
    """

    def __init__(self, home: Path, address: str | None = None) -> None:
        self.address: str | Path = address or ensure_folder(home) / FILE
        self._engine = _postgres(address) if address else _sqlite(home / FILE)
        self._writing = self._engine.execution_options(**{WRITES: True})
        try:
            with self._writing.begin() as connection:
                if address:  # workers start at once, and PostgreSQL lets only one of them create a table
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _CREATING})
                Base.metadata.create_all(connection)
        except DBAPIError as error:
            raise storage_error(error, self.address) from error

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Session]:
        """Everything inside happens, or nothing of it; one that writes must say so."""
        try:
            with Session(self._writing if writes else self._engine) as session, session.begin():
                yield session
        except DBAPIError as error:
            raise storage_error(error, self.address) from error

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()


def _sqlite(file: Path) -> Engine:
    if not file.exists():  # it holds hashes of keys and the secret of sessions: nobody else's to read
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    url = URL.create("sqlite", database=str(file))
    engine = create_engine(url, connect_args={"timeout": _WAIT_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres(address: str) -> Engine:
    url = make_url(address)
    if url.get_backend_name() != "postgresql":
        raise BadInputError(
            "The server's records are kept in PostgreSQL or SQLite.", "Use postgresql://user@host/name."
        )
    try:
        return create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    except ImportError as error:
        raise MissingExtraError("PostgreSQL", "postgres") from error
