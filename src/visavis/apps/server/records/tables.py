"""The server's own tables."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from visavis.collections.tables import Json, now

_time = DateTime(timezone=True)


class Base(DeclarativeBase):
    """What all of these tables stand on."""


class UserRow(Base):
    """Someone with a key. The key itself is not kept, only its hash."""

    __tablename__ = "server_users"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    role: Mapped[str] = mapped_column(String(8))
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(_time, default=now)
    revoked_at: Mapped[datetime | None] = mapped_column(_time)


class OwnedRow(Base):
    """Whose a conversation is; also one in which nothing was said yet, which the catalogue does not know."""

    __tablename__ = "server_conversations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64), index=True)
    collection: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(200), default="")
    started_at: Mapped[datetime] = mapped_column(_time, default=now)


class ShareRow(Base):
    """A link to a conversation that anybody may read who has it."""

    __tablename__ = "server_shares"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(32), index=True)
    collection: Mapped[str] = mapped_column(String(64))
    made_at: Mapped[datetime] = mapped_column(_time, default=now)


class UsageRow(Base):
    """What a user has used up on a day."""

    __tablename__ = "server_usage"

    user: Mapped[str] = mapped_column("user_name", String(64), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    amount: Mapped[int] = mapped_column(BigInteger, default=0)


class SecretRow(Base):
    """What sessions are signed with: all worker processes need the same."""

    __tablename__ = "server_secrets"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class JobRow(Base):
    """Long work, as any worker process can tell of it."""

    __tablename__ = "server_jobs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(64))
    collection: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16))
    cancelled: Mapped[bool] = mapped_column(default=False)
    body: Mapped[Any] = mapped_column(Json)
    started_at: Mapped[datetime] = mapped_column(_time, default=now)
    changed_at: Mapped[datetime] = mapped_column(_time, default=now)
