"""The catalogue's tables. A change here needs a migration in ``migrations/versions``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from visavis.database import Json, Moment, now

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
