"""A collection as JSON lines: everything that is known of its pictures, for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from visavis.pictures.picture import Picture

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


def export_rows(collection: Collection, *, missing: bool = False, vectors: bool = False) -> Iterator[dict[str, object]]:
    """One object a picture, in the order of ids.

    Args:
        collection: Which.
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


def export_json_lines(collection: Collection, stream: TextIO, *, missing: bool = False, vectors: bool = False) -> int:
    """Write them; returns how many. The result can be indexed again as a catalogue file."""
    count = 0
    for row in export_rows(collection, missing=missing, vectors=vectors):
        stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        count += 1
    return count


def _row(picture: Picture) -> dict[str, object]:
    # What begins with an underscore is told for information; indexing the file works it out anew.
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
