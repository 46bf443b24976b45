"""The captions and attributes of a picture, merged from those of all its files.

The merge depends on the rows of the files alone, not on the order in which they were indexed: a run that was killed
and one that was not end with the same captions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from visavis.collections.database import AttributeRow, CaptionRow, LocationRow, PictureRow
from visavis.database import upsert
from visavis.pictures.derived import with_derived
from visavis.pictures.picture import AttributeValue, Details

#: The source of edited and uploaded pictures, where others have a folder.
OWN = "own"
#: Files of one picture that are merged: a placeholder may lie in a shop ten thousand times, each with its own row.
MOST_FILES = 50


def to_json(details: Details) -> list[Any]:
    """Return the form of details in the row of a file."""
    return [list(details.captions), dict(details.attributes)]


def from_json(value: Any) -> Details:
    """Return the details in the row of a file."""
    return Details(tuple(value[0]), value[1])


@dataclass(frozen=True)
class _FileDetails:
    """The details of one file, None where a row of an older version does not have them, and the file's name."""

    missing: bool
    details: Details | None
    name: str


def merged_details(session: Session, ids: Iterable[str]) -> dict[str, Details]:
    """Return the details that each picture should have; pictures without any file are left out.

    Files that exist come before missing ones, then the order of paths decides. Captions of missing files only count
    where no other file has any. The attributes in the picture itself (EXIF) are weaker, and what is derived of all
    these (days in file names, names of places) is the weakest.
    """
    wanted = list(ids)
    rows = session.execute(select(PictureRow.id, PictureRow.embedded).where(PictureRow.id.in_(wanted)))
    embedded = {id: attributes for id, attributes in rows}  # noqa: C416 - rows are no pairs for a type checker
    known = stored_details(session, embedded)
    return {
        id: with_derived(_merge(files, embedded[id], known[id]), (file.name for file in files))
        for id, files in _files_of(session, list(embedded)).items()
    }


def rewrite(session: Session, ids: Iterable[str]) -> tuple[dict[str, Details], set[str]]:
    """Merge the details of these pictures again and write those that differ; returns all, and which were written."""
    merged = merged_details(session, ids)
    known = stored_details(session, merged)
    changed = {id: details for id, details in merged.items() if details != known[id]}
    if changed:
        _write(session, changed)
    return merged, set(changed)


def stored_details(session: Session, ids: Iterable[str]) -> dict[str, Details]:
    """Return the details in the rows of these pictures."""
    wanted = list(ids)
    captions: dict[str, list[str]] = defaultdict(list)
    query = select(CaptionRow.picture_id, CaptionRow.text).where(CaptionRow.picture_id.in_(wanted))
    for id, text in session.execute(query.order_by(CaptionRow.picture_id, CaptionRow.position)):
        captions[id].append(text)
    attributes: dict[str, dict[str, AttributeValue]] = defaultdict(dict)
    rows = select(AttributeRow.picture_id, AttributeRow.name, AttributeRow.value)
    for id, name, value in session.execute(rows.where(AttributeRow.picture_id.in_(wanted))):
        attributes[id][name] = value
    return {id: Details(tuple(captions[id]), attributes[id]) for id in wanted}


def _files_of(session: Session, ids: Sequence[str]) -> dict[str, list[_FileDetails]]:
    """The files of each picture, at most the first `MOST_FILES`; one statement, since each costs more than its rows."""
    at = LocationRow
    order = (at.missing_since.is_not(None), at.details == "", at.path)
    place = func.row_number().over(partition_by=at.picture_id, order_by=order).label("place")
    columns = (at.picture_id, at.missing_since, at.details, at.described, at.path, at.source)
    ranked = select(*columns, place).where(at.picture_id.in_(ids)).subquery()
    first = select(ranked).where(ranked.c.place <= MOST_FILES).order_by(ranked.c.picture_id, ranked.c.place)
    found: dict[str, list[_FileDetails]] = defaultdict(list)
    for id, *file, _ in session.execute(first):
        found[id].append(_file_details(*file))
    return found


def _file_details(since: object, digest: str, described: Any, path: str, source: str) -> _FileDetails:
    details = from_json(described) if described else None if digest else Details()
    if source == OWN:  # its file is named by its id; an uploaded one has its name as the title
        path = f"{details.attributes.get('title', '')}.jpg" if details else ""
    return _FileDetails(since is not None, details, path)


def _merge(
    files: Sequence[_FileDetails], embedded: Mapping[str, AttributeValue] | None, known: Details
) -> Details:  # fmt: skip
    attributes: dict[str, AttributeValue] = {}
    captions: dict[bool, list[str]] = {False: [], True: []}
    for file in files:
        if file.details:
            attributes = {**file.details.attributes, **attributes}
            captions[file.missing] += file.details.captions
    merged = Details(tuple(dict.fromkeys(captions[False] or captions[True])), attributes)
    there = {name: value for name, value in (embedded or {}).items() if value != ""}  # read, and no text was there
    if embedded is None or any(file.details is None for file in files):
        # An older version wrote them: nothing that it knew may be lost.
        return merged.over(known).over(Details((), there))
    return merged.over(Details((), there))


def _write(session: Session, details: Mapping[str, Details]) -> None:
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
