"""Open and migrate the database of a catalogue."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from visavis.collections.tables import CatalogueBase
from visavis.errors import BadInputError, MissingExtraError, StorageError
from visavis.files import PRIVATE_FILE

#: The newest migration; a test compares it with the files in ``migrations/versions``.
HEAD = "0004"
#: The execution option of a transaction that writes.
WRITES = "visavis_writes"
_BRING_BACK = "Move the collection's folder away and index again, or bring back a copy of this file."
_MIGRATIONS = Path(__file__).parent / "migrations"
#: How long a writer waits for another writer of the same SQLite file.
_SQLITE_WAIT_SECONDS = 60
#: Length to which a name is cut: with prefix and hash, 63 bytes at most.
_LONGEST_SCHEMA = 46


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

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


def open_database(address: str | Path, schema: str) -> Engine:
    """Open the database of one collection and migrate it if it is older than this version of visavis.

    Args:
        address: A file for SQLite, or a ``postgresql://`` URL.
        schema: The PostgreSQL schema of this collection's tables; SQLite has a file for each.
    """
    engine = _sqlite(address) if isinstance(address, Path) else _postgres(address, schema)
    try:
        with storage_errors(address):
            _migrate(engine, address)
    except BaseException:
        engine.dispose()
        raise
    return engine


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


@contextmanager
def storage_errors(address: object) -> Iterator[None]:
    """Convert what a database raises to a :class:`StorageError`."""
    try:
        yield
    except DBAPIError as error:
        raise storage_error(error, address) from error
    except (UnicodeDecodeError, JSONDecodeError) as error:  # a text of the file, or of SQLite's message about it
        raise damaged(address, f"a value cannot be read ({error})") from error


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


def drop_schema(address: str, schema: str) -> None:
    """Remove a collection's tables from PostgreSQL."""
    engine = _postgres(address, schema)
    with storage_errors(address), engine.begin() as connection:
        connection.execute(text(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'))
    engine.dispose()


def schema_name(collection: str) -> str:
    """Return the PostgreSQL schema of a collection, within the 63 bytes of an identifier.

    A name that is not a valid identifier gets a part of its hash, so that no two collections share their tables.

    >>> schema_name("photos"), schema_name("Photos"), schema_name("my.photos") == schema_name("my-photos")
    ('visavis_photos', 'visavis_photos_60aea931', False)
    """
    plain = re.sub(r"[^a-z0-9_]", "_", collection.lower())[:_LONGEST_SCHEMA]
    if plain != collection:
        plain = f"{plain}_{hashlib.blake2b(collection.encode(), digest_size=4).hexdigest()}"
    return f"visavis_{plain}"


def _sqlite(file: Path) -> Engine:
    writable = os.access(file if file.exists() else file.parent, os.W_OK) and os.access(file.parent, os.W_OK)
    if writable and not file.exists():  # SQLite gives its other files the permissions of this one
        with suppress(OSError):
            file.touch(mode=PRIVATE_FILE)
    # In a read-only folder the shared-memory file cannot be created, and nobody else can be writing.
    query = {} if writable else {"mode": "ro", "immutable": "1", "uri": "true"}
    database = str(file) if writable else f"file:{file}"
    pragmas = ("foreign_keys=ON", *(("journal_mode=WAL", "synchronous=FULL") if writable else ()))
    return sqlite_engine(URL.create("sqlite", database=database, query=query), pragmas)


def sqlite_engine(url: URL, pragmas: Sequence[str]) -> Engine:
    """Open SQLite with explicit transactions and serialised writers.

    Args:
        url: The file and its parameters.
        pragmas: Run on each new connection.
    """
    engine = create_engine(url, connect_args={"timeout": _SQLITE_WAIT_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin below, not implicitly by the driver
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer takes the write lock before it reads: otherwise two could read the same state and lose an update.
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres(address: str, schema: str) -> Engine:
    url = make_url(address)
    if url.get_backend_name() != "postgresql":
        raise BadInputError(
            f"'{url.get_backend_name()}' is not a database visavis keeps a catalogue in.",
            "Use postgresql://user@host/database, or leave it out for SQLite in the home folder.",
        )
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args={"options": f"-csearch_path={schema}", "connect_timeout": 10},
            pool_pre_ping=True,
        )
    except ImportError as error:
        raise MissingExtraError("A catalogue in PostgreSQL", "postgres") from error


def _migrate(engine: Engine, address: str | Path) -> None:
    version = _version(engine)
    if version == HEAD:
        return
    if version is not None and version > HEAD:
        raise BadInputError(
            f"The catalogue {address} was written by a newer visavis; nothing was changed.",
            "Update this one: pip install --upgrade visavis",
        )
    with _one_migrator(engine, address), engine.execution_options(**{WRITES: True}).connect() as connection:
        version = _version(engine)
        if version == HEAD:  # another process has migrated it
            return
        _upgrade(connection)


def _version(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return str(found) if found is not None else None


def _upgrade(connection: Connection) -> None:
    from alembic import command  # imported here: an up-to-date catalogue never needs it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
    connection.commit()


def _one_migrator(engine: Engine, address: str | Path) -> AbstractContextManager[Any]:
    if isinstance(address, Path):
        return FileLock(address.with_suffix(".migrating"), timeout=_SQLITE_WAIT_SECONDS, mode=PRIVATE_FILE)
    return _postgres_lock(engine)


@contextmanager
def _postgres_lock(engine: Engine) -> Iterator[None]:
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(hashtext('visavis' || current_setting('search_path')))"))
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock_all()"))


def upsert(
    session: Session,
    table: type[CatalogueBase],
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
