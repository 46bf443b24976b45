"""The catalogue's tables, and the database that holds them: opened, migrated, dropped.

A change of a table needs a migration in ``migrations/versions``.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import (
    BigInteger,
    Connection,
    Engine,
    ForeignKey,
    Index,
    String,
    Text,
    create_engine,
    inspect,
    make_url,
    text,
)
from sqlalchemy.engine import URL
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from visavis.database import SQLITE_WAIT_SECONDS, WRITES, Json, Moment, now, sqlite_engine, storage_errors
from visavis.errors import BadInputError, MissingExtraError
from visavis.files import PRIVATE_FILE

#: Length of a picture's id: the first 128 bits of the hash of its bytes, in hexadecimal.
ID_LENGTH = 32
_picture = String(ID_LENGTH)


class CatalogueBase(DeclarativeBase):
    """The base class of all tables."""


class PictureRow(CatalogueBase):
    """One picture, with one or more files.

    ``missing_since`` is set when its last file is missing; its vectors and details stay, so that a
    drive that was unplugged for a while needs no indexing when it is back. ``embedded`` has the attributes in the
    picture itself (EXIF), None where an older version wrote the row. ``payload_due`` is set while the store
    has older attributes than the catalogue: a killed process left it, and the next run updates the store.
    """

    __tablename__ = "pictures"

    id: Mapped[str] = mapped_column(_picture, primary_key=True)
    width: Mapped[int]
    height: Mapped[int]
    bytes: Mapped[int] = mapped_column(BigInteger)
    format: Mapped[str] = mapped_column(String(16), default="")
    added_at: Mapped[datetime] = mapped_column(Moment, default=now)
    missing_since: Mapped[datetime | None] = mapped_column(Moment, index=True)
    embedded: Mapped[Any | None] = mapped_column(Json)
    payload_due: Mapped[datetime | None] = mapped_column(Moment, index=True)


class LocationRow(CatalogueBase):
    """A file (or a link) of a picture; several of one picture are duplicates.

    ``size`` and ``mtime_ns`` detect a change of the file without reading it, ``details`` (a digest of
    its captions and attributes) a change of those. ``described`` has these captions and attributes themselves (see
    :mod:`visavis.collections.descriptions`), None where an older version wrote the row. ``source`` is the folder or the
    catalogue file that lists it, ``run`` the last indexing run that saw it.
    """

    __tablename__ = "locations"

    path: Mapped[str] = mapped_column(Text, primary_key=True)
    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(Text, index=True)
    size: Mapped[int] = mapped_column(BigInteger)
    mtime_ns: Mapped[int] = mapped_column(BigInteger)
    details: Mapped[str] = mapped_column(String(32), default="")
    run: Mapped[int] = mapped_column(default=0)
    missing_since: Mapped[datetime | None] = mapped_column(Moment)
    described: Mapped[Any | None] = mapped_column(Json)


class AttributeRow(CatalogueBase):
    """One attribute of a picture: a string, a number, a boolean, or a list of strings."""

    __tablename__ = "attributes"

    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[Any] = mapped_column(Json)


class CaptionRow(CatalogueBase):
    """One caption of a picture; the first is displayed."""

    __tablename__ = "captions"

    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class DocumentRow(CatalogueBase):
    """The words written about a picture; :mod:`visavis.collections.words` writes and indexes them.

    ``number`` is the row's key in the full-text index of SQLite.
    """

    __tablename__ = "documents"

    number: Mapped[int] = mapped_column(primary_key=True)
    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), unique=True)
    words: Mapped[str] = mapped_column(Text)


class EditRow(CatalogueBase):
    """The provenance of an edited picture: its source and the commands, in order.

    The source has no foreign key on purpose: deleting a picture must not delete its edits.
    """

    __tablename__ = "edits"

    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), primary_key=True)
    source_id: Mapped[str] = mapped_column(_picture, index=True)
    commands: Mapped[list[str]] = mapped_column(Json)
    made_at: Mapped[datetime] = mapped_column(Moment, default=now)


class FailureRow(CatalogueBase):
    """A file that could not be indexed, and why; it is retried when its size or time changes."""

    __tablename__ = "failures"

    path: Mapped[str] = mapped_column(Text, primary_key=True)
    source: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(BigInteger)
    mtime_ns: Mapped[int] = mapped_column(BigInteger)
    run: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime] = mapped_column(Moment, default=now)


class MetaRow(CatalogueBase):
    """A setting of the collection: its encoder, its format, its calibration."""

    __tablename__ = "meta"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[Any] = mapped_column(Json)


Index("attributes_by_name", AttributeRow.name)
Index("failures_by_source", FailureRow.source)


#: The newest migration; a test compares it with the files in ``migrations/versions``.
HEAD = "0004"
_MIGRATIONS = Path(__file__).parent / "migrations"
#: Length to which a name is cut: with prefix and hash, 63 bytes at most.
_LONGEST_SCHEMA = 46


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
        return FileLock(address.with_suffix(".migrating"), timeout=SQLITE_WAIT_SECONDS, mode=PRIVATE_FILE)
    return _postgres_lock(engine)


@contextmanager
def _postgres_lock(engine: Engine) -> Iterator[None]:
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(hashtext('visavis' || current_setting('search_path')))"))
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock_all()"))
