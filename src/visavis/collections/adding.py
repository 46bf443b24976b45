"""Taking in one picture at once, as editing does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.collections import ledger
from visavis.collections.fields import FieldIndexes
from visavis.collections.indexing.reading import DECODED_SIZE, small_copy
from visavis.collections.payload import EDITED, make_payload
from visavis.collections.sources.candidate import stamp_of
from visavis.errors import StorageError
from visavis.home import ensure_folder
from visavis.pictures.opening import OpenedPicture, open_scaled
from visavis.pictures.picture import Details, Origin, Picture
from visavis.pictures.thumbnails import save_thumbnail
from visavis.stores.base import Point

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: What such pictures have as their source, where others have a folder.
OWN = "own"


def add_picture(collection: Collection, data: bytes, origin: Origin | None, details: Details) -> Picture:
    """Write the file, the thumbnail, the vectors, then the rows: the order that makes a kill harmless."""
    opened = open_scaled(data, DECODED_SIZE)
    details = details.over(Details((), opened.attributes))
    known = collection.catalogue.picture(opened.id)
    if known and not known.missing:
        return known  # the same bytes are the same picture, whatever made them
    path = _save(collection.place.edits_folder, opened, data)
    save_thumbnail(collection.place.thumbnails_folder, opened.id, small_copy(opened.image))
    encoded = collection.encoder.encode_pictures([opened.image])
    FieldIndexes(collection.catalogue, collection.store).ensure(details.attributes)
    payload = make_payload(details, opened.width, opened.height, EDITED if origin else None)
    collection.store.upsert([Point(opened.id, encoded.whole[0], encoded.regions[0], payload)])
    shape = ledger.Shape(opened.width, opened.height, opened.bytes, opened.format)
    digest = ledger.digest(details)
    entry = ledger.Entry(str(path), OWN, stamp_of(path), opened.id, shape, details, digest, origin)
    ledger.record(collection.catalogue, [entry], run=0)
    return collection.picture(opened.id)


def _save(folder: Path, opened: OpenedPicture, data: bytes) -> Path:
    """The file under its id, so that the same picture twice is one file, and whole or not there."""
    ensure_folder(folder)
    path = folder / f"{opened.id}.{opened.format.lower()}"
    draft = folder / f".{opened.id}.{os.getpid()}"
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StorageError(
            f"The picture {path} cannot be written: {error.strerror or error}.", "Check its rights and free space."
        ) from error
    return path
