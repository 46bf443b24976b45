"""Writes of an indexing run to the catalogue. Each function is one idempotent transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.pipeline import batches
from visavis.collections.tables import (
    AttributeRow,
    CaptionRow,
    EditRow,
    FailureRow,
    LocationRow,
    MetaRow,
    PictureRow,
    now,
)
from visavis.collections.upserts import upsert
from visavis.collections.words import write_documents
from visavis.pictures.picture import Details, Origin


@dataclass(frozen=True)
class Stamp:
    """A file's size and time, to detect changes without reading it."""

    size: int
    mtime_ns: int


@dataclass(frozen=True)
class KnownFile:
    """The catalogue's record of a file; ``picture_id`` is None for one that failed."""

    stamp: Stamp
    picture_id: str | None = None
    details: str = ""
    missing: bool = False


@dataclass(frozen=True)
class Shape:
    """The size and format of a decoded picture."""

    width: int
    height: int
    bytes: int
    format: str


@dataclass(frozen=True)
class Entry:
    """One file with a picture, ready for the catalogue.

    ``shape`` of None is for a picture that the catalogue has; ``details`` of None keeps its captions and
    attributes.
    """

    path: str
    source: str
    stamp: Stamp
    id: str
    shape: Shape | None
    details: Details | None
    digest: str = ""
    origin: Origin | None = None


def digest(details: Details) -> str:
    """Return a short digest of captions and attributes, to detect changes; empty for none."""
    if not details:
        return ""
    text = json.dumps([details.captions, dict(details.attributes)], sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def begin_run(catalogue: Catalogue) -> int:
    """Start an indexing run and return its number."""
    with catalogue.transaction(writes=True) as session:
        row = session.get(MetaRow, "run", with_for_update=True)
        run = (row.value if row else 0) + 1
        upsert(session, MetaRow, [{"key": "run", "value": run}])
        return int(run)


def known_files(catalogue: Catalogue, paths: Sequence[str]) -> dict[str, KnownFile]:
    """Return the catalogue's records of these files, the failed ones among them."""
    found: dict[str, KnownFile] = {}
    with catalogue.transaction() as session:
        for failed in session.scalars(select(FailureRow).where(FailureRow.path.in_(paths))):
            found[failed.path] = KnownFile(Stamp(failed.size, failed.mtime_ns))
        for row in session.scalars(select(LocationRow).where(LocationRow.path.in_(paths))):
            if row.path not in found or row.missing_since is None:
                stamp = Stamp(row.size, row.mtime_ns)
                found[row.path] = KnownFile(stamp, row.picture_id, row.details, row.missing_since is not None)
    return found


def known_pictures(catalogue: Catalogue, ids: Sequence[str]) -> dict[str, bool]:
    """Return which of these pictures the catalogue has, and whether each is missing."""
    with catalogue.transaction() as session:
        rows = session.execute(select(PictureRow.id, PictureRow.missing_since).where(PictureRow.id.in_(ids)))
        return {id: since is not None for id, since in rows}


def record(catalogue: Catalogue, entries: Sequence[Entry], run: int) -> list[str]:
    """Write files and their pictures; returns the ids of pictures that lost their last file."""
    with catalogue.transaction(writes=True) as session:
        paths = [entry.path for entry in entries]
        earlier = set(session.scalars(select(LocationRow.picture_id).where(LocationRow.path.in_(paths))))
        _write_pictures(session, entries)
        upsert(session, LocationRow, [_location(entry, run) for entry in entries])
        _write_details(session, [entry for entry in entries if entry.details is not None])
        edits = [entry for entry in entries if entry.origin]
        upsert(session, EditRow, [_edit(entry.id, entry.origin) for entry in edits if entry.origin], keep=("made_at",))
        session.execute(delete(FailureRow).where(FailureRow.path.in_(paths)))
        changed = earlier | {entry.id for entry in entries}
        write_documents(session, changed)
        return _update_missing(session, changed)


def mark_seen(catalogue: Catalogue, paths: Sequence[str], run: int) -> None:
    """Mark files as seen unchanged in a run."""
    with catalogue.transaction(writes=True) as session:
        for table in (LocationRow, FailureRow):
            session.execute(update(table).where(table.path.in_(paths)).values(run=run))


def fail(catalogue: Catalogue, path: str, source: str, stamp: Stamp, reason: str, run: int) -> list[str]:
    """Record that a file could not be indexed; returns the ids of pictures that lost their last file."""
    row = {
        "path": path, "source": source, "reason": reason, "size": stamp.size, "mtime_ns": stamp.mtime_ns,
        "run": run, "at": now(),
    }  # fmt: skip
    with catalogue.transaction(writes=True) as session:
        upsert(session, FailureRow, [row])
    return mark_missing(catalogue, [path])


def unseen(catalogue: Catalogue, run: int, *, below: str = "", source: str = "") -> Iterator[list[str]]:
    """Yield files that this run did not see and that are not marked missing yet, a chunk at a time.

    Args:
        catalogue: The catalogue.
        run: The run that should have seen them.
        below: Only files below this folder.
        source: Only files found through this catalogue file.
    """
    where = (
        LocationRow.path.startswith(below.rstrip("/\\") + _separator(below), autoescape=True)
        if below
        else (LocationRow.source == source)
    )
    last = ""
    while True:
        with catalogue.transaction() as session:
            query = select(LocationRow.path).where(
                where, LocationRow.run != run, LocationRow.missing_since.is_(None), LocationRow.path > last
            )
            paths = list(session.scalars(query.order_by(LocationRow.path).limit(CHUNK)))
        if not paths:
            return
        yield paths
        last = paths[-1]


def mark_missing(catalogue: Catalogue, paths: Iterable[str]) -> list[str]:
    """Mark files as missing; returns the ids of pictures that lost their last file."""
    lost: list[str] = []
    for chunk in batches(paths, CHUNK):
        with catalogue.transaction(writes=True) as session:
            present = (LocationRow.path.in_(chunk), LocationRow.missing_since.is_(None))
            ids = set(session.scalars(select(LocationRow.picture_id).where(*present)))
            session.execute(update(LocationRow).where(*present).values(missing_since=now()))
            lost += _update_missing(session, ids)
    return lost


def drop_files(catalogue: Catalogue, paths: Sequence[str]) -> None:
    """Delete the rows of files whose picture was moved and is known at its new path."""
    with catalogue.transaction(writes=True) as session:
        among = LocationRow.path.in_(paths)
        ids = set(session.scalars(select(LocationRow.picture_id).where(among)))
        session.execute(delete(LocationRow).where(among))
        write_documents(session, ids)


def drop_old_failures(catalogue: Catalogue, source: str, run: int) -> None:
    """Delete failures that a complete run over their source did not meet again."""
    with catalogue.transaction(writes=True) as session:
        session.execute(delete(FailureRow).where(FailureRow.source == source, FailureRow.run != run))


def forget(catalogue: Catalogue, ids: Iterable[str]) -> None:
    """Delete pictures with all their rows."""
    for chunk in batches(ids, CHUNK):
        with catalogue.transaction(writes=True) as session:
            session.execute(delete(PictureRow).where(PictureRow.id.in_(chunk)))


def _separator(folder: str) -> str:
    return "\\" if "\\" in folder and "/" not in folder else "/"


def _write_pictures(session: Session, entries: Sequence[Entry]) -> None:
    rows = [{"id": entry.id, **asdict(entry.shape), "added_at": now()} for entry in entries if entry.shape]
    upsert(session, PictureRow, rows, keep=("added_at",))


def _location(entry: Entry, run: int) -> dict[str, object]:
    return {
        "path": entry.path, "picture_id": entry.id, "source": entry.source, "size": entry.stamp.size,
        "mtime_ns": entry.stamp.mtime_ns, "details": entry.digest, "run": run, "missing_since": None,
    }  # fmt: skip


def _edit(id: str, origin: Origin) -> dict[str, object]:
    return {"picture_id": id, "source_id": origin.source_id, "commands": list(origin.commands), "made_at": now()}


def _write_details(session: Session, entries: Sequence[Entry]) -> None:
    details = {entry.id: entry.details for entry in entries if entry.details is not None}
    for table in (CaptionRow, AttributeRow):
        session.execute(delete(table).where(table.picture_id.in_(details)))
    captions = [
        {"picture_id": id, "position": position, "text": text}
        for id, detail in details.items()
        for position, text in enumerate(detail.captions)
    ]
    attributes = [
        {"picture_id": id, "name": name, "value": value}
        for id, detail in details.items()
        for name, value in detail.attributes.items()
    ]
    upsert(session, CaptionRow, captions)
    upsert(session, AttributeRow, attributes)


def _update_missing(session: Session, ids: Iterable[str]) -> list[str]:
    """Update ``missing_since`` of pictures from their files; returns those that became missing."""
    lost: list[str] = []
    has_file = exists().where(LocationRow.picture_id == PictureRow.id, LocationRow.missing_since.is_(None))
    for chunk in batches(ids, CHUNK):
        among = PictureRow.id.in_(chunk)
        back = update(PictureRow).where(among, PictureRow.missing_since.is_not(None), has_file)
        session.execute(back.values(missing_since=None), execution_options={"synchronize_session": False})
        absent = update(PictureRow).where(among, PictureRow.missing_since.is_(None), ~has_file)
        rows = session.scalars(
            absent.values(missing_since=now()).returning(PictureRow.id),
            execution_options={"synchronize_session": False},
        )
        lost += rows
    return lost
