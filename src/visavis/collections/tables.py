"""The catalogue's tables. What changes here needs a migration beside it, in ``migrations/versions``."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, ForeignKey, Index, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

#: Length of a picture's id: the first 128 bits of the hash of its bytes, in hexadecimal.
ID_LENGTH = 32
_picture = String(ID_LENGTH)


class Json(TypeDecorator[Any]):
    """Any JSON value, as text: SQLite would read a column of its own JSON type as a number, and make 4.0 a 4."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:  # noqa: ARG002
        """To the database."""
        return json.dumps(value, ensure_ascii=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        """From the database."""
        return None if value is None else json.loads(value)


def now() -> datetime:
    """The time, in UTC: what every row is stamped with."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """What all tables stand on."""


class PictureRow(Base):
    """One picture, whatever the number of files that hold it.

    ``missing_since`` is set when the last file that held it has gone; its vectors and words stay, so that a
    drive that was unplugged for a while costs nothing when it is back.
    """

    __tablename__ = "pictures"

    id: Mapped[str] = mapped_column(_picture, primary_key=True)
    width: Mapped[int]
    height: Mapped[int]
    bytes: Mapped[int] = mapped_column(BigInteger)
    format: Mapped[str] = mapped_column(String(16), default="")
    added_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    missing_since: Mapped[datetime | None] = mapped_column(DateTime(timezone=True), index=True)


class LocationRow(Base):
    """A file (or a link) that holds a picture; several of one picture are duplicates.

    ``size`` and ``mtime_ns`` tell whether the file may have changed without reading it, ``details`` (a digest of
    the words and attributes that came with it) whether those changed. ``source`` is the folder or the catalogue
    file it was found through, ``run`` the last indexing run that saw it.
    """

    __tablename__ = "locations"

    path: Mapped[str] = mapped_column(Text, primary_key=True)
    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(Text, index=True)
    size: Mapped[int] = mapped_column(BigInteger)
    mtime_ns: Mapped[int] = mapped_column(BigInteger)
    details: Mapped[str] = mapped_column(String(32), default="")
    run: Mapped[int] = mapped_column(default=0)
    missing_since: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class AttributeRow(Base):
    """One attribute of a picture: a string, a number, a truth value, or a list of strings."""

    __tablename__ = "attributes"

    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[Any] = mapped_column(Json)


class CaptionRow(Base):
    """One sentence about a picture; the first is the one that is shown."""

    __tablename__ = "captions"

    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class EditRow(Base):
    """Where an edited picture came from: the picture it was made of and the commands, in order.

    The source has no foreign key on purpose: forgetting a picture must not forget what was made of it.
    """

    __tablename__ = "edits"

    picture_id: Mapped[str] = mapped_column(_picture, ForeignKey("pictures.id", ondelete="CASCADE"), primary_key=True)
    source_id: Mapped[str] = mapped_column(_picture, index=True)
    commands: Mapped[list[str]] = mapped_column(Json)
    made_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class FailureRow(Base):
    """A file that could not be indexed, and why; it is tried again when its size or time changes."""

    __tablename__ = "failures"

    path: Mapped[str] = mapped_column(Text, primary_key=True)
    source: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(BigInteger)
    mtime_ns: Mapped[int] = mapped_column(BigInteger)
    run: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class MetaRow(Base):
    """A fact about the collection itself: its encoder, its format, its calibration."""

    __tablename__ = "meta"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[Any] = mapped_column(Json)


Index("attributes_by_name", AttributeRow.name)
Index("failures_by_source", FailureRow.source)
