"""SQL databases as the catalogues and the server use them: transactions, SQLite, JSON columns, times, errors."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    DateTime,
    Dialect,
    Engine,
    Table,
    Text,
    TypeDecorator,
    create_engine,
    event,
    inspect,
    make_url,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, Session

from visavis.errors import StorageError

#: The execution option of a transaction that writes.
WRITES = "visavis_writes"
#: How long a writer waits for another writer of the same SQLite file.
SQLITE_WAIT_SECONDS = 60
_BRING_BACK = "Move the collection's folder away and index again, or bring back a copy of this file."


class Transactions:
    """Transactions on a database; thread-safe, and see what other processes have committed.

    Attributes:
        address: A file for SQLite, or a ``postgresql://`` URL.
    """

    def __init__(self, engine: Engine, address: str | Path) -> None:
        self.address = address
        self._engine = engine
        self._writing = engine.execution_options(**{WRITES: True})

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Session]:
        """Open a transaction; one that writes must say so."""
        engine = self._writing if writes else self._engine
        with storage_errors(self.address), Session(engine) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that reads without the ORM, whose session takes longer than a short statement."""
        with storage_errors(self.address), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that writes without the ORM."""
        with storage_errors(self.address), self._writing.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


def sqlite_engine(url: URL, pragmas: Sequence[str]) -> Engine:
    """Open SQLite with explicit transactions and serialised writers.

    Args:
        url: The file and its parameters.
        pragmas: Run on each new connection.
    """
    engine = create_engine(url, connect_args={"timeout": SQLITE_WAIT_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin below, not implicitly by the driver
        for pragma in pragmas:
            set_pragma(connection, pragma)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer takes the write lock before it reads: otherwise two could read the same state and lose an update.
        writes = connection.get_execution_options().get(WRITES, False)
        if writes:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:  # it takes no lock and cannot fail, so it need not go through SQLAlchemy, which takes longer than it
            connection.connection.cursor().execute("BEGIN")

    return engine


def set_pragma(connection: Any, pragma: str) -> None:
    """Run a pragma; two connections that both turn a new file to WAL get "locked" at once, without SQLite's wait."""
    until = time.monotonic() + SQLITE_WAIT_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            time.sleep(random.uniform(0.002, 0.02))
        else:
            return


class UnreadableValueError(ValueError):
    """A value in a database is not what was written; `storage_errors` tells it with where it is."""


class Json(TypeDecorator[Any]):
    """Any JSON value, as text: SQLite would read a column of its own JSON type as a number, and convert 4.0 to 4."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:  # noqa: ARG002
        """Serialise for the database."""
        return json.dumps(value, ensure_ascii=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        """Parse from the database."""
        try:
            return None if value is None else json.loads(value)
        except (ValueError, TypeError) as error:
            raise UnreadableValueError(str(error)) from error


class CheckedJson(Json):
    """A JSON object with a checksum as its last value, which `is_intact` checks and readers pass over."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Serialise for the database."""
        plain = super().process_bind_param(value, dialect)
        return f'{plain[:-1]}, "check": "{_checksum(plain)}"}}' if isinstance(value, dict) and value else plain


_CHECK = re.compile(r', "check": "([0-9a-f]{16})"}\Z')


def is_intact(written: str) -> bool:
    """Return whether what `CheckedJson` wrote is unchanged; without a checksum, as earlier versions wrote it, it is."""
    found = _CHECK.search(written, max(0, len(written) - 40))
    return found is None or _checksum(f"{written[: found.start()]}}}") == found[1]


def _checksum(plain: str) -> str:
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Moment(TypeDecorator[datetime]):
    """A time with its zone; one that cannot be read is damage, and is told as that."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        """Read from the database."""
        read = self.impl_instance.result_processor(dialect, coltype) or (lambda value: value)

        def process(value: Any) -> datetime | None:
            try:
                return read(value)
            except (ValueError, TypeError) as error:
                raise UnreadableValueError(str(error)) from error

        return process


def now() -> datetime:
    """Return the current time in UTC, the timestamp of every row."""
    return datetime.now(UTC)


def in_utc(moment: datetime) -> datetime:
    """A moment as it is compared: databases give it back with or without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def as_utc(moment: datetime) -> datetime:
    """A time from a database: all are written in UTC, and SQLite drops the zone."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@contextmanager
def storage_errors(address: object) -> Iterator[None]:
    """Convert what a database raises to a :class:`StorageError`."""
    try:
        yield
    except DBAPIError as error:
        raise storage_error(error, address) from error
    except (UnicodeDecodeError, JSONDecodeError, UnreadableValueError) as error:
        # A text of the file, or of SQLite's message about it.
        raise damaged(address, f"a value cannot be read ({error})") from error


def storage_error(error: DBAPIError, address: object) -> StorageError:
    """Translate a database's error, without its SQL and without a password."""
    where = make_url(address).render_as_string() if isinstance(address, str) else str(address)
    cause = str(error.orig).strip().splitlines()[0] if error.orig else type(error).__name__
    remedy = "Check that the disk has room and may be written, then run it again: what was stored before is safe."
    if "malformed" in cause or "not a database" in cause:
        remedy = _BRING_BACK
    elif isinstance(address, str):
        remedy = "Check that the PostgreSQL server runs and that the URL is right."
    return StorageError(f"The catalogue {where} refused: {cause}.", remedy)


def damaged(address: object, fault: str) -> StorageError:
    """The error for a database that holds something which was never written."""
    where = make_url(address).render_as_string() if isinstance(address, str) else str(address)
    return StorageError(f"The catalogue {where} is damaged: {fault}.", _BRING_BACK)


def check_database(database: Transactions) -> None:
    """Read a SQLite database whole.

    Raises:
        StorageError: It is damaged; the message has the first fault.
    """
    with database.transaction() as session:
        if session.get_bind().dialect.name != "sqlite":
            return
        found = str(session.execute(text("PRAGMA integrity_check(1)")).scalar())
    if found != "ok":
        raise damaged(database.address, " ".join(found.split()))  # SQLite's report has several lines


def upsert(
    session: Session,
    table: type[DeclarativeBase],
    rows: Sequence[dict[str, Any]],
    *,
    keep: tuple[str, ...] = (),
    key: str = "",
) -> None:
    """Insert rows; where the key exists, update them.

    Args:
        session: The transaction.
        table: The ORM class.
        rows: Column values, all with the same columns.
        keep: Columns that an existing row keeps.
        key: The unique column that tells whether a row exists; the primary key when not given.
    """
    if not rows:
        return
    mapped = inspect(table).local_table
    assert isinstance(mapped, Table)
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    statement = insert(table)
    keys = [key] if key else [column.name for column in mapped.primary_key]
    changed = {name: statement.excluded[name] for name in rows[0] if name not in (*keys, *keep)}
    if changed:
        session.execute(statement.on_conflict_do_update(index_elements=keys, set_=changed), list(rows))
    else:
        session.execute(statement.on_conflict_do_nothing(index_elements=keys), list(rows))
