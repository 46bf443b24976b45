"""The database of the server's own records."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import Engine, create_engine, make_url, text
from sqlalchemy.engine import URL

from visavis.apps.server.records.tables import Base
from visavis.collections.database import Transactions, sqlite_engine
from visavis.errors import BadInputError, MissingExtraError
from visavis.home import ensure_folder

FILE = "server.sqlite"
#: The lock that workers take while the tables are made; any number that nothing else in the database uses.
_CREATING = 0x76697361


class Records(Transactions):
    """The server's own records.

    Args:
        home: Where the SQLite file lies.
        address: A ``postgresql://`` URL instead of it.
    """

    def __init__(self, home: Path, address: str | None = None) -> None:
        file = ensure_folder(home) / FILE
        super().__init__(_postgres(address) if address else _sqlite(file), address or file)
        with self.transaction(writes=True) as session:
            if address:  # workers start at once, and PostgreSQL lets only one of them create a table
                session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _CREATING})
            Base.metadata.create_all(session.connection())


def _sqlite(file: Path) -> Engine:
    if not file.exists():  # it holds hashes of keys and the secret of sessions: nobody else's to read
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    return sqlite_engine(URL.create("sqlite", database=str(file)), ("journal_mode=WAL",))


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
