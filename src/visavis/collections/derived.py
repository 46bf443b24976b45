"""Attributes that are added to pictures indexed before: derived ones, and the text that a picture shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sqlalchemy import select

from visavis.collections import ledger
from visavis.collections.indexing.writer import sync_payloads
from visavis.collections.pipeline import batches
from visavis.collections.tables import PictureRow
from visavis.collections.verification import open_unchanged
from visavis.pictures.derived import derivation
from visavis.pictures.picture import Attributes, Picture
from visavis.pictures.written_text import READ_SIZE, TEXT, check_installed, read_text

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

#: The catalogue's key for what was derived already.
_KEY = "derived"
_BATCH = 500
#: Pictures between two writes: what a killed run reads again at most.
_READ_BATCH = 16


def derive_all(collection: StoredCollection) -> int:
    """Merge the details of all pictures again, so that they gain what is derived now; files are not read.

    The caller holds the collection's lock.

    Returns:
        How many pictures changed; 0 at once where all is derived already.
    """
    catalogue, state = collection.catalogue, derivation()
    if catalogue.meta(_KEY) == state:
        return 0
    changed = 0
    for pictures in catalogue.scroll(_BATCH):
        due = ledger.merge_details(catalogue, [picture.id for picture in pictures])
        sync_payloads(catalogue, collection.store, due)
        changed += len(due)
    if changed:
        ledger.begin_run(catalogue)  # so that what was read of the collection before is read again
        collection.store.flush()
    catalogue.set_meta(_KEY, state)
    return changed


def read_texts(collection: StoredCollection, on_progress: Callable[[int], None] | None = None) -> int:
    """Read the text in pictures that were not read before; returns how many of them have any.

    What was read is kept beside the EXIF attributes, as an empty text where there was none, so that a run that is begun
    again goes on where it was. The word index takes it in like every other attribute. The caller holds the collection's
    lock.

    Args:
        collection: The collection.
        on_progress: Called with the number of pictures read.

    Raises:
        MissingExtraError: The extra ``ocr`` is not installed.
    """
    check_installed()
    done = with_text = 0
    for pictures in batches(_unread(collection), _READ_BATCH):
        read = {picture.id: found for picture in pictures if (found := _embedded(picture)) is not None}
        sync_payloads(collection.catalogue, collection.store, ledger.embed(collection.catalogue, read))
        done += len(pictures)
        with_text += sum(bool(found[TEXT]) for found in read.values())
        if on_progress:
            on_progress(done)
    if done:
        ledger.begin_run(collection.catalogue)  # so that what was read of the collection before is read again
        collection.store.flush()
    return with_text


def _unread(collection: StoredCollection) -> Iterator[Picture]:
    for pictures in collection.catalogue.scroll(missing=False):
        with collection.catalogue.transaction() as session:
            query = select(PictureRow.id, PictureRow.embedded).where(PictureRow.id.in_([one.id for one in pictures]))
            read = {id for id, embedded in session.execute(query) if embedded and TEXT in embedded}
        yield from (one for one in pictures if one.id not in read and one.origin is None)


def _embedded(picture: Picture) -> Attributes | None:
    """What is in the picture itself: EXIF and the text; None where no file has it."""
    opened = open_unchanged(picture, READ_SIZE)
    return {**opened.attributes, TEXT: read_text(opened.image)} if opened else None
