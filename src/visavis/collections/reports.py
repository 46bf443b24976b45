"""Statistics of a collection for a listing, and its pictures as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from visavis.collections.places import Place, names
from visavis.errors import VisavisError
from visavis.pictures.picture import Picture

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection


def describe(collection: StoredCollection) -> dict[str, Any]:
    """Return all statistics, those of the vectors included; opens the store."""
    made_with = collection.catalogue.meta("encoder")
    return {
        "name": collection.name,
        "folder": str(collection.place.folder),
        **asdict(collection.catalogue.counts()),
        "encoder": made_with["name"] if made_with else None,
        "dimension": made_with["dimension"] if made_with else None,
        "waiting": collection.waiting(),
        "attributes": dict(collection.catalogue.attribute_names()),
        "catalogue": _without_password(collection.settings.catalogue) or str(collection.place.catalogue_file),
        "store": asdict(collection.store.info()) if made_with else None,
        "thumbnail_bytes": folder_bytes(collection.place.thumbnails_folder),
        "disk_bytes": folder_bytes(collection.place.folder),
    }


def list_collections(home: Path | str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the statistics of each collection; one that cannot be opened has an error instead."""
    from visavis.collections.catalogue import Catalogue
    from visavis.collections.database import schema_name

    for name in names(home):
        place = Place.of(name, home)
        try:
            settings = place.settings()
            catalogue = Catalogue(settings.catalogue or place.catalogue_file, schema_name(name))
            with closing(catalogue):
                made_with = catalogue.meta("encoder")
                told = {**asdict(catalogue.counts()), "encoder": made_with["name"] if made_with else None}
            yield {"name": name, **told}
        except VisavisError as error:
            yield {"name": name, "error": str(error)}


def folder_bytes(folder: Path) -> int:
    """Return the disk usage of a folder."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_blocks * 512  # blocks, not lengths: logs are sparse files
        except OSError:  # another process has just replaced the file
            continue
    return total


def _without_password(url: str | None) -> str | None:
    if url is None:
        return None
    from sqlalchemy import make_url

    return make_url(url).render_as_string()


def export_rows(
    collection: StoredCollection, *, missing: bool = False, vectors: bool = False
) -> Iterator[dict[str, object]]:
    """Yield one object a picture, in the order of ids.

    Args:
        collection: The collection.
        missing: Whether pictures without a file are included.
        vectors: Whether the whole vector is included.
    """
    for pictures in collection.catalogue.scroll(missing=missing):
        found = collection.store.vectors([picture.id for picture in pictures]) if vectors else {}
        for picture in pictures:
            row = _row(picture)
            if picture.id in found:
                row["_vector"] = [round(float(value), 6) for value in found[picture.id]]
            yield row


def export_json_lines(
    collection: StoredCollection, stream: TextIO, *, missing: bool = False, vectors: bool = False
) -> int:
    """Write the rows; returns how many. The result can be indexed as a catalogue file."""
    count = 0
    for row in export_rows(collection, missing=missing, vectors=vectors):
        stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        count += 1
    return count


def _row(picture: Picture) -> dict[str, object]:
    # Fields with an underscore are informative; indexing the file computes them again.
    row: dict[str, object] = {
        "path": picture.path,
        "captions": list(picture.captions),
        "attributes": dict(picture.attributes),
        "_picture": {
            "id": picture.id,
            "paths": list(picture.paths),
            "width": picture.width,
            "height": picture.height,
            "bytes": picture.bytes,
            "format": picture.format,
            "missing": picture.missing,
        },
    }
    if picture.origin:
        row["_origin"] = {"source": picture.origin.source_id, "commands": list(picture.origin.commands)}
    return row
