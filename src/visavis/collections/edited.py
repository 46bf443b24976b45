"""Edited and uploaded pictures: adds them, and finds files without a row that a killed process left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.collections import ledger
from visavis.collections.catalogue import EDITED, FieldIndexes, make_payload
from visavis.collections.descriptions import OWN
from visavis.collections.indexing.stages import DECODED_SIZE, small_copy, sync_payloads
from visavis.collections.sources.candidates import stamp_of
from visavis.files import PRIVATE_FILE, replace_bytes
from visavis.pictures.decoder import OpenedPicture
from visavis.pictures.derived import tones_of, with_derived
from visavis.pictures.picture import Details, Origin, Picture
from visavis.pictures.reader import open_scaled
from visavis.pictures.thumbnails import save_thumbnail
from visavis.stores.base import StoredPoint
from visavis.types import batches

if TYPE_CHECKING:
    from visavis.collections.catalogue import Catalogue
    from visavis.collections.collection import StoredCollection


def add_picture(collection: StoredCollection, data: bytes, origin: Origin | None, details: Details) -> Picture:
    """Write the file, the thumbnail, the vectors, then the rows: an order in which a kill is harmless."""
    opened = open_scaled(data, DECODED_SIZE)
    opened.attributes.update(tones_of(opened.image))
    name = f"{details.attributes.get('title', '')}.jpg"  # an uploaded file's name is its title
    written = with_derived(details.over(Details((), opened.attributes)), [name])
    known = collection.catalogue.picture(opened.id)
    if known and not known.missing:
        return known  # the same bytes are the same picture
    path = _save(collection.place.edits_folder, opened, data)
    save_thumbnail(collection.place.thumbnails_folder, opened.id, small_copy(opened.image))
    encoded = collection.encoder.encode_pictures([opened.image])
    fields = FieldIndexes(collection.catalogue, collection.store)
    fields.ensure(written.attributes)
    payload = make_payload(written, opened.width, opened.height, EDITED if origin else None)
    collection.store.upsert([StoredPoint(opened.id, encoded.whole[0], encoded.regions[0], payload)])
    shape = ledger.Shape(opened.width, opened.height, opened.bytes, opened.format)
    entry = ledger.Entry(
        str(path), OWN, stamp_of(path), opened.id, shape, details, opened.attributes, written, origin
    )  # fmt: skip
    sync_payloads(collection.catalogue, collection.store, ledger.record(collection.catalogue, [entry], run=0), fields)
    return collection.picture(opened.id)


def _save(folder: Path, opened: OpenedPicture, data: bytes) -> Path:
    """Write the file under its id, so that duplicates are one file, and flush it before its row is written."""
    path = folder / f"{opened.id}.{opened.format.lower()}"
    replace_bytes(path, data, parents=True, durable=True, mode=PRIVATE_FILE)
    return path


#: Seconds; a younger file may belong to an edit in progress, whose row is not yet written.
_MIN_AGE_SECONDS = 600.0
_BATCH = 500


def orphaned_files(folder: Path, catalogue: Catalogue) -> Iterator[Path]:
    """Yield temporary files, and files without a row, that no edit is writing any more.

    Args:
        folder: The collection's own folder of edited pictures; nothing else is scanned.
        catalogue: The catalogue with the rows.
    """
    try:
        old = [
            path
            for path in folder.iterdir()
            if path.is_file() and time.time() - path.stat().st_mtime > _MIN_AGE_SECONDS
        ]
    except OSError:  # no edits yet, or a file that was just removed
        return
    for paths in batches(sorted(old), _BATCH):
        known = ledger.known_pictures(catalogue, [path.stem for path in paths])
        yield from (path for path in paths if path.stem not in known)
