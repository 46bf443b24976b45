"""The catalogue: the metadata of each picture, in SQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select
from sqlalchemy.orm import Session

from visavis.collections.database import (
    AttributeRow,
    CaptionRow,
    EditRow,
    FailureRow,
    LocationRow,
    MetaRow,
    PictureRow,
    open_database,
)
from visavis.collections.descriptions import from_json
from visavis.database import Transactions, damaged, upsert
from visavis.pictures.picture import Attributes, AttributeValue, Details, Origin, Picture
from visavis.stores.base import STATE, FieldKind, Store
from visavis.stores.filters import All, AnyOf, Equals, Filter, Not
from visavis.types import batches

#: How many rows one statement addresses at most; well below every engine's limit.
CHUNK = 500
#: The digits of ids, and a character that sorts after all of them.
_DIGITS = frozenset("0123456789abcdef")
_AFTER_DIGITS = "g"
#: One setting; made once, and run without the ORM, which takes several times as long.
_META = select(MetaRow.value).where(MetaRow.key == bindparam("wanted"))
#: One missing and one edited picture, if any; queried before every search.
_HIDDEN = select(
    select(PictureRow.id).where(PictureRow.missing_since.is_not(None)).limit(1).scalar_subquery(),
    select(EditRow.picture_id).limit(1).scalar_subquery(),
)


@dataclass(frozen=True)
class Failure:
    """A file that could not be indexed, and why."""

    path: str
    reason: str
    at: datetime


@dataclass(frozen=True)
class Counts:
    """The numbers of pictures and files by state."""

    pictures: int
    files: int
    missing: int
    edited: int
    failed: int


class Catalogue(Transactions):
    """Read access to a collection's metadata; :mod:`visavis.collections.ledger` writes it.

    Each method is one transaction, is thread-safe, and sees what other processes have committed.
    """

    def __init__(self, address: str | Path, schema: str) -> None:
        """Open the catalogue, creating or migrating its tables.

        Args:
            address: A file for SQLite, or a ``postgresql://`` URL.
            schema: The PostgreSQL schema of this collection.
        """
        super().__init__(open_database(address, schema), address)

    # -- key-value settings --------------------------------------------------------------------------

    def meta(self, key: str, default: Any = None) -> Any:
        """Read a setting of the collection."""
        with self.reading() as connection:
            row = connection.execute(_META, {"wanted": key}).first()
            return default if row is None else row[0]

    def set_meta(self, key: str, value: Any) -> None:
        """Write a setting of the collection."""
        with self.transaction(writes=True) as session:
            upsert(session, MetaRow, [{"key": key, "value": value}])

    def counts(self) -> Counts:
        """Count pictures and files by state."""
        with self.transaction() as session:

            def count(*conditions: ColumnElement[bool], of: Any = PictureRow) -> int:
                return session.scalar(select(func.count()).select_from(of).where(*conditions)) or 0

            return Counts(
                pictures=count(PictureRow.missing_since.is_(None)),
                files=count(LocationRow.missing_since.is_(None), of=LocationRow),
                missing=count(PictureRow.missing_since.is_not(None)),
                edited=count(of=EditRow),
                failed=count(of=FailureRow),
            )

    def count_present(self) -> int:
        """Count the pictures that are not missing."""
        with self.transaction() as session:
            present = select(func.count()).select_from(PictureRow).where(PictureRow.missing_since.is_(None))
            return session.scalar(present) or 0

    def visible(self, filter: Filter | None = None, *, with_edits: bool = False) -> Filter | None:
        """Add a condition that excludes missing pictures and, unless wanted, edited ones, where there are any."""
        with self.reading() as connection:
            missing, edited = connection.execute(_HIDDEN).one()
        hide = [MISSING] if missing is not None else []
        return visible(filter, hide=hide if edited is None or with_edits else [*hide, EDITED])

    def kin(self, ids: Collection[str]) -> frozenset[str]:
        """Return the sources of edited pictures, and every other edit of those sources; nothing for originals."""
        with self.transaction() as session:
            sources = set(session.scalars(select(EditRow.source_id).where(EditRow.picture_id.in_(ids))))
            made = session.scalars(select(EditRow.picture_id).where(EditRow.source_id.in_(sources))) if sources else ()
            return frozenset({*sources, *made})

    def attribute_names(self) -> list[tuple[str, int]]:
        """Return every attribute and how many pictures have it, most frequent first."""
        with self.transaction() as session:
            number = func.count().label("number")
            rows = session.execute(
                select(AttributeRow.name, number).group_by(AttributeRow.name).order_by(number.desc(), AttributeRow.name)
            )
            return [(name, many) for name, many in rows]

    def failures(self, limit: int | None = None) -> list[Failure]:
        """Return the files that could not be indexed, in the order of their names."""
        with self.transaction() as session:
            rows = session.scalars(select(FailureRow).order_by(FailureRow.path).limit(limit))
            return [Failure(row.path, row.reason, row.at) for row in rows]

    # -- pictures ----------------------------------------------------------------------------------

    def picture(self, id: str) -> Picture | None:
        """Return one picture, or None."""
        return self.pictures([id]).get(id)

    def pictures(self, ids: Sequence[str]) -> dict[str, Picture]:
        """Return the pictures that exist among these ids, in the order of the ids."""
        found: dict[str, Picture] = {}
        for chunk in batches(dict.fromkeys(ids), CHUNK):
            with self.transaction() as session:
                found |= _load(session, chunk)
        return {id: found[id] for id in dict.fromkeys(ids) if id in found}

    def described(self, ids: Sequence[str]) -> set[str]:
        """Return those of the pictures that a table or a file beside them gives attributes, not their files alone."""
        found: set[str] = set()
        for chunk in batches(dict.fromkeys(ids), CHUNK):
            with self.transaction() as session:
                rows = select(LocationRow.picture_id, LocationRow.described).where(LocationRow.picture_id.in_(chunk))
                found |= {id for id, told in session.execute(rows) if told and from_json(told).attributes}
        return found

    def ids_starting(self, prefix: str, limit: int = 2) -> list[str]:
        """Return ids with this prefix: a few letters are enough to name a picture."""
        if not set(prefix) <= _DIGITS:
            return []
        # A range instead of LIKE, for which SQLite scans every row: 44 ms among 300,000 pictures.
        begin_so = (PictureRow.id >= prefix, PictureRow.id < f"{prefix}{_AFTER_DIGITS}")
        with self.transaction() as session:
            return list(session.scalars(select(PictureRow.id).where(*begin_so).order_by(PictureRow.id).limit(limit)))

    def scroll(self, batch: int = CHUNK, *, missing: bool = True) -> Iterator[list[Picture]]:
        """Yield every picture in the order of ids, a batch at a time; later writes may or may not be included."""
        last = ""
        present = () if missing else (PictureRow.missing_since.is_(None),)
        while True:
            with self.transaction() as session:
                query = select(PictureRow.id).where(PictureRow.id > last, *present).order_by(PictureRow.id).limit(batch)
                ids = list(session.scalars(query))
                pictures = _load(session, ids)
            if not ids:
                return
            if len(pictures) < len(ids):
                raise damaged(self.address, "its index names rows that are not there")
            yield [pictures[id] for id in ids]
            last = ids[-1]


def _load(session: Session, ids: Sequence[str]) -> dict[str, Picture]:
    """Read pictures with their related rows, in one statement a table."""
    captions: dict[str, list[str]] = defaultdict(list)
    for caption in session.scalars(
        select(CaptionRow).where(CaptionRow.picture_id.in_(ids)).order_by(CaptionRow.picture_id, CaptionRow.position)
    ):
        captions[caption.picture_id].append(caption.text)
    attributes: dict[str, dict[str, AttributeValue]] = defaultdict(dict)
    for attribute in session.scalars(
        select(AttributeRow).where(AttributeRow.picture_id.in_(ids)).order_by(AttributeRow.name)
    ):
        attributes[attribute.picture_id][attribute.name] = attribute.value
    places: dict[str, list[LocationRow]] = defaultdict(list)
    for place in session.scalars(select(LocationRow).where(LocationRow.picture_id.in_(ids)).order_by(LocationRow.path)):
        places[place.picture_id].append(place)
    origins = {
        edit.picture_id: Origin(edit.source_id, tuple(edit.commands))
        for edit in session.scalars(select(EditRow).where(EditRow.picture_id.in_(ids)))
    }
    return {
        row.id: Picture(
            id=row.id,
            paths=_present_paths(places[row.id]),
            width=row.width,
            height=row.height,
            bytes=row.bytes,
            format=row.format,
            details=Details(tuple(captions[row.id]), attributes[row.id]),
            origin=origins.get(row.id),
            missing=row.missing_since is not None,
        )
        for row in session.scalars(select(PictureRow).where(PictureRow.id.in_(ids)))
    }


def _present_paths(places: Sequence[LocationRow]) -> tuple[str, ...]:
    present = tuple(place.path for place in places if place.missing_since is None)
    return present or tuple(place.path for place in places)


#: Reasons why a search excludes a picture by default.
MISSING = "missing"
EDITED = "edited"
#: Further attributes can be filtered without an index. For each new index the embedded
#: engine rewrites all of them: the first 32 took 10 s on a busy machine, 64 took 38.
MOST_FIELDS = 32


def payload_of(picture: Picture) -> dict[str, Any]:
    """Return the payload of a picture from its catalogue rows."""
    state = MISSING if picture.missing else EDITED if picture.origin else None
    return make_payload(picture.details, picture.width, picture.height, state)


def make_payload(details: Details, width: int, height: int, state: str | None = None) -> dict[str, Any]:
    """Build a payload; a user's attribute ``width`` or ``caption`` takes precedence over the built-in field."""
    payload: dict[str, Any] = {"width": width, "height": height}
    if details.captions:
        payload["caption"] = details.captions[0]
    payload |= details.attributes
    if state:
        payload[STATE] = state
    return payload


def field_kind(value: AttributeValue) -> FieldKind:
    """Return the index kind for a value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "integer"
    return "float" if isinstance(value, float) else "keyword"


def visible(filter: Filter | None, *, hide: Iterable[str]) -> Filter | None:
    """Add a condition that excludes pictures in these states."""
    hidden = tuple(hide)
    if not hidden:
        return filter
    shown = Not(Equals(STATE, hidden[0]) if len(hidden) == 1 else AnyOf(STATE, hidden))
    return All((filter, shown)) if filter else shown


class FieldIndexes:
    """Records in the catalogue which fields have an index, and adds the missing ones."""

    def __init__(self, catalogue: Catalogue, store: Store) -> None:
        self._catalogue = catalogue
        self._store = store
        self._kinds: dict[str, FieldKind] = dict(catalogue.meta("fields", {}))
        if STATE not in self._kinds:
            self._add(STATE, "keyword")

    def ensure(self, attributes: Attributes) -> None:
        """Create indexes for these attributes."""
        for name, value in attributes.items():
            if name not in self._kinds and len(self._kinds) < MOST_FIELDS:
                self._add(name, field_kind(value))

    def _add(self, name: str, kind: FieldKind) -> None:
        self._store.index_field(name, kind)
        self._kinds[name] = kind
        self._catalogue.set_meta("fields", self._kinds)
