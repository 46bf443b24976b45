"""Writes of an indexing run to the catalogue. Each function is one idempotent transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from visavis.collections import descriptions
from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.database import EditRow, FailureRow, LocationRow, MetaRow, PictureRow
from visavis.collections.words import write_documents
from visavis.database import now, upsert
from visavis.pictures.picture import Attributes, Details, Origin
from visavis.types import batches


@dataclass(frozen=True)
class Stamp:
    """A file's size and time, to detect changes without reading it."""

    size: int
    mtime_ns: int


@dataclass(frozen=True)
class KnownFile:
    """The catalogue's record of a file.

    Attributes:
        stamp: Its size and time.
        picture_id: None for a file that failed.
        details: The digest of its captions and attributes.
        missing: Whether it is marked missing.
        described: Whether the row has the captions and attributes themselves; an older version wrote the digest alone.
        embedded: Whether the attributes in the picture itself are known.
    """

    stamp: Stamp
    picture_id: str | None = None
    details: str = ""
    missing: bool = False
    described: bool = True
    embedded: bool = True


@dataclass(frozen=True)
class KnownPicture:
    """The catalogue's record of a picture: whether it is missing, and whether its EXIF attributes are known."""

    missing: bool
    embedded: bool


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

    Attributes:
        path: The file or link.
        source: The folder or catalogue file that lists it.
        stamp: Its size and time.
        id: The picture's id.
        shape: None for a picture that the catalogue has.
        details: The captions and attributes of this file; those of the picture are merged from all its files.
        embedded: The attributes in the picture itself (EXIF); None where it was not decoded.
        stored: The details in the payload that was just written with the vectors, if any were.
        origin: The provenance of an edited picture.
    """

    path: str
    source: str
    stamp: Stamp
    id: str
    shape: Shape | None = None
    details: Details = field(default_factory=Details)
    embedded: Attributes | None = None
    stored: Details | None = None
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


def damaged_files(catalogue: Catalogue, ids: Sequence[str]) -> list[str]:
    """Return the files of these pictures whose captions and attributes do not have the digest beside them."""
    query = select(LocationRow.path, LocationRow.details, LocationRow.described)
    with catalogue.transaction() as session:
        rows = session.execute(query.where(LocationRow.picture_id.in_(ids), LocationRow.described.is_not(None)))
        return [path for path, details, described in rows if described and not _has_digest(described, details)]


def _has_digest(described: object, details: str) -> bool:
    try:
        return digest(descriptions.from_json(described)) == details
    except (TypeError, ValueError, LookupError):
        return False


def read_again(catalogue: Catalogue, paths: Sequence[str]) -> None:
    """Let the next indexing run read these files and what is written about them, though they have not changed."""
    with catalogue.transaction(writes=True) as session:
        session.execute(update(LocationRow).where(LocationRow.path.in_(paths)).values(mtime_ns=0, details="-"))


def known_files(catalogue: Catalogue, paths: Sequence[str]) -> dict[str, KnownFile]:
    """Return the catalogue's records of these files, the failed ones among them."""
    found: dict[str, KnownFile] = {}
    with catalogue.transaction() as session:
        for failed in session.scalars(select(FailureRow).where(FailureRow.path.in_(paths))):
            found[failed.path] = KnownFile(Stamp(failed.size, failed.mtime_ns))
        query = select(LocationRow, PictureRow.embedded).join(PictureRow, PictureRow.id == LocationRow.picture_id)
        for row, embedded in session.execute(query.where(LocationRow.path.in_(paths))):
            if row.path not in found or row.missing_since is None:
                found[row.path] = KnownFile(
                    stamp=Stamp(row.size, row.mtime_ns),
                    picture_id=row.picture_id,
                    details=row.details,
                    missing=row.missing_since is not None,
                    described=not row.details or row.described is not None,
                    embedded=embedded is not None,
                )
    return found


def known_pictures(catalogue: Catalogue, ids: Sequence[str]) -> dict[str, KnownPicture]:
    """Return what the catalogue knows of these pictures; unknown ones are left out."""
    with catalogue.transaction() as session:
        query = select(PictureRow.id, PictureRow.missing_since, PictureRow.embedded).where(PictureRow.id.in_(ids))
        return {
            id: KnownPicture(since is not None, embedded is not None) for id, since, embedded in session.execute(query)
        }


def record(catalogue: Catalogue, entries: Sequence[Entry], run: int, moved_from: Sequence[str] = ()) -> list[str]:
    """Write files and their pictures; returns the ids of pictures whose payload in the store is now due.

    Args:
        catalogue: The catalogue.
        entries: The files.
        run: The number of the run.
        moved_from: Former paths of these pictures, whose rows are deleted.
    """
    ids = {entry.id for entry in entries}
    with catalogue.transaction(writes=True) as session:
        paths = [entry.path for entry in entries]
        rows = session.execute(select(LocationRow.path, LocationRow.picture_id).where(LocationRow.path.in_(paths)))
        places = {path: id for path, id in rows}  # noqa: C416 - rows are no pairs for a type checker
        earlier = set(places.values())
        # Two workers may write copies of one picture: the second waits here, and then merges the first one's details.
        locked = select(PictureRow.id).where(PictureRow.id.in_(earlier | ids)).order_by(PictureRow.id).with_for_update()
        known = set(session.scalars(locked))
        _write_pictures(session, entries)
        upsert(session, LocationRow, [_location(entry, run) for entry in entries])
        session.execute(delete(LocationRow).where(LocationRow.path.in_(moved_from)))
        edits = [entry for entry in entries if entry.origin]
        upsert(session, EditRow, [_edit(entry.id, entry.origin) for entry in edits if entry.origin], keep=("made_at",))
        session.execute(delete(FailureRow).where(FailureRow.path.in_(paths)))
        stored = {entry.id: entry.stored for entry in entries if entry.stored is not None}
        # A killed worker may have written the vectors of such a copy, with a payload of this copy's details alone.
        copies = {entry.id for entry in entries if entry.id in known and places.get(entry.path) != entry.id}
        return _reconcile(session, earlier | ids, stored, copies)


def embed(catalogue: Catalogue, found: Mapping[str, Attributes]) -> list[str]:
    """Write the attributes in pictures themselves, by id; returns those whose payload in the store is now due."""
    with catalogue.transaction(writes=True) as session:
        for id, attributes in found.items():
            session.execute(update(PictureRow).where(PictureRow.id == id).values(embedded=dict(attributes)))
        return _reconcile(session, found)


def mark_seen(catalogue: Catalogue, paths: Sequence[str], run: int) -> None:
    """Mark files as seen unchanged in a run."""
    with catalogue.transaction(writes=True) as session:
        for table in (LocationRow, FailureRow):
            session.execute(update(table).where(table.path.in_(paths)).values(run=run))


def fail(catalogue: Catalogue, path: str, source: str, stamp: Stamp, reason: str, run: int) -> list[str]:
    """Record that a file could not be indexed; returns the ids of pictures whose payload is now due."""
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
    """Mark files as missing; returns the ids of pictures whose payload in the store is now due."""
    due: list[str] = []
    for chunk in batches(paths, CHUNK):
        with catalogue.transaction(writes=True) as session:
            present = (LocationRow.path.in_(chunk), LocationRow.missing_since.is_(None))
            ids = set(session.scalars(select(LocationRow.picture_id).where(*present)))
            session.execute(update(LocationRow).where(*present).values(missing_since=now()))
            due += _reconcile(session, ids)
    return due


def merge_details(catalogue: Catalogue, ids: Sequence[str]) -> list[str]:
    """Merge the details of these pictures from their files again; returns those whose payload is now due."""
    with catalogue.transaction(writes=True) as session:
        return _reconcile(session, ids)


def payloads_due(catalogue: Catalogue) -> list[str]:
    """Return some pictures whose payload in the store is older than the catalogue; a killed process left them."""
    with catalogue.transaction() as session:
        query = select(PictureRow.id).where(PictureRow.payload_due.is_not(None)).order_by(PictureRow.id)
        return list(session.scalars(query.limit(CHUNK)))


def payloads_written(catalogue: Catalogue, ids: Sequence[str]) -> None:
    """Note that the store has the payload of these pictures."""
    with catalogue.transaction(writes=True) as session:
        session.execute(update(PictureRow).where(PictureRow.id.in_(ids)).values(payload_due=None))


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
    rows = [
        {"id": entry.id, **asdict(entry.shape), "added_at": now(), "embedded": dict(entry.embedded or {})}
        for entry in entries
        if entry.shape
    ]
    upsert(session, PictureRow, rows, keep=("added_at",))


def _location(entry: Entry, run: int) -> dict[str, object]:
    return {
        "path": entry.path, "picture_id": entry.id, "source": entry.source, "size": entry.stamp.size,
        "mtime_ns": entry.stamp.mtime_ns, "details": digest(entry.details), "run": run, "missing_since": None,
        "described": descriptions.to_json(entry.details) if entry.details else None,
    }  # fmt: skip


def _edit(id: str, origin: Origin) -> dict[str, object]:
    return {"picture_id": id, "source_id": origin.source_id, "commands": list(origin.commands), "made_at": now()}


def _reconcile(
    session: Session, ids: Iterable[str], stored: Mapping[str, Details] | None = None, copies: Collection[str] = ()
) -> list[str]:
    """Update pictures after a change of their files; returns those whose payload in the store is due.

    Args:
        session: The transaction of the change.
        ids: The pictures.
        stored: Details in the payloads that were just written.
        copies: Known pictures with a new file, whose payload may have been overwritten.
    """
    due: list[str] = []
    written = stored or {}
    for chunk in batches(sorted(ids), CHUNK):
        merged, changed = descriptions.rewrite(session, chunk)
        write_documents(session, chunk)
        outdated = {id for id in chunk if id in copies or (id in changed and id not in written)}
        outdated |= {id for id, details in merged.items() if id in written and written[id] != details}
        outdated.update(_update_missing(session, chunk))
        marked = update(PictureRow).where(PictureRow.id.in_(outdated)).values(payload_due=now())
        session.execute(marked, execution_options={"synchronize_session": False})
        due += sorted(outdated)
    return due


def _update_missing(session: Session, ids: Iterable[str]) -> list[str]:
    """Update ``missing_since`` of pictures from their files; returns those that changed."""
    updated: list[str] = []
    has_file = exists().where(LocationRow.picture_id == PictureRow.id, LocationRow.missing_since.is_(None))
    among = PictureRow.id.in_(list(ids))
    back = (among, PictureRow.missing_since.is_not(None), has_file)
    absent = (among, PictureRow.missing_since.is_(None), ~has_file)
    for where, since in ((back, None), (absent, now())):
        changed = update(PictureRow).where(*where).values(missing_since=since).returning(PictureRow.id)
        updated += session.scalars(changed, execution_options={"synchronize_session": False})
    return updated
