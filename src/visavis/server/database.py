"""The server's own database: users, ownership of conversations, share links, quotas, jobs, albums."""

from __future__ import annotations

import os
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Engine, String, Text, create_engine, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from visavis.database import Json, Moment, Transactions, now, sqlite_engine
from visavis.errors import BadInputError, MissingExtraError, StorageError
from visavis.home import ensure_folder

_time = Moment
FILE = "server.sqlite"
#: The advisory lock that worker processes take while the tables are created; any unused number.
_CREATION_LOCK = 0x76697361


class ServerTable(DeclarativeBase):
    """The base class of the server's tables."""


class UserRow(ServerTable):
    """A user. Only the hash of the key is stored."""

    __tablename__ = "server_users"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    role: Mapped[str] = mapped_column(String(8))
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(_time, default=now)
    revoked_at: Mapped[datetime | None] = mapped_column(_time)


class OwnedRow(ServerTable):
    """The owner of a conversation; also of one without a turn, which the catalogue does not have."""

    __tablename__ = "server_conversations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    collection: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(200), default="")
    started_at: Mapped[datetime] = mapped_column(_time, default=now)


class ShareRow(ServerTable):
    """A share link: everybody who has it may read the conversation."""

    __tablename__ = "server_shares"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(32), index=True)
    collection: Mapped[str] = mapped_column(String(64))
    made_at: Mapped[datetime] = mapped_column(_time, default=now)


class UsageRow(ServerTable):
    """The use of a quota by a user on a day."""

    __tablename__ = "server_usage"

    user: Mapped[str] = mapped_column("user_name", String(64), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    amount: Mapped[int] = mapped_column(BigInteger, default=0)


class SessionRow(ServerTable):
    """A session that somebody has not logged out of. Only the hash of its id is stored."""

    __tablename__ = "server_sessions"

    id_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user: Mapped[str] = mapped_column("user_name", String(64), index=True)
    started_at: Mapped[datetime] = mapped_column(_time, default=now)


class SecretRow(ServerTable):
    """The secret that signs sessions, shared by all worker processes."""

    __tablename__ = "server_secrets"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class JobRow(ServerTable):
    """An indexing job, as all worker processes see it."""

    __tablename__ = "server_jobs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    collection: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16))
    cancelled: Mapped[bool] = mapped_column(default=False)
    body: Mapped[Any] = mapped_column(Json)
    started_at: Mapped[datetime] = mapped_column(_time, default=now)
    changed_at: Mapped[datetime] = mapped_column(_time, default=now)


class AlbumRow(ServerTable):
    """A selection of pictures that a user saved; the one without a name holds the favourites."""

    __tablename__ = "server_albums"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    collection: Mapped[str] = mapped_column(String(64), index=True)
    name: Mapped[str] = mapped_column(String(200), default="")
    made_at: Mapped[datetime] = mapped_column(_time, default=now)


class AlbumPictureRow(ServerTable):
    """A picture of an album; ``place`` orders them."""

    __tablename__ = "server_album_pictures"

    album_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    picture_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    place: Mapped[int]


class ServerDatabase(Transactions):
    """The server's own database.

    Args:
        home: The folder of the SQLite file.
        address: A ``postgresql://`` URL instead.
    """

    def __init__(self, home: Path, address: str | None = None) -> None:
        file = ensure_folder(home, private=True) / FILE
        super().__init__(_postgres(address) if address else _sqlite(file), address or file)
        with self.transaction(writes=True) as session:
            if address:  # worker processes start together, and only one of them can create a table
                session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _CREATION_LOCK})
            ServerTable.metadata.create_all(session.connection())


def _sqlite(file: Path) -> Engine:
    if not file.exists():  # it holds hashes of keys and the secret of sessions, so only its owner may read it
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


def session_secret(database: ServerDatabase) -> str:
    """The secret that signs sessions, created on first use."""
    try:
        return _read_or_create_secret(database)
    except StorageError as error:
        if not isinstance(error.__cause__, IntegrityError):
            raise
        return _read_or_create_secret(database)  # another worker process created it meanwhile


def _read_or_create_secret(database: ServerDatabase) -> str:
    with database.transaction(writes=True) as session:
        row = session.get(SecretRow, "sessions")
        if row is None:
            row = SecretRow(name="sessions", value=secrets.token_urlsafe(48))
            session.add(row)
            session.flush()
        return row.value
