"""Upgrade of a collection to another encoder, in place: new vectors for every picture.

The old vectors cannot be compared with new text vectors, so the store is recreated and filled. An interrupted upgrade
resumes with the pictures that have no vectors; a search meanwhile finds the others.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PIL import Image
from sqlalchemy import select

from visavis.collections import ledger
from visavis.collections.catalogue import FieldIndexes, payload_of
from visavis.collections.database import PictureRow
from visavis.collections.indexing.stages import BATCH, sync_payloads
from visavis.collections.pipeline import Pipeline, Stage
from visavis.collections.verification import open_unchanged
from visavis.encoders.base import Encoder
from visavis.errors import VisavisError
from visavis.pictures.derived import READ_SIZE, TEXT, TONES, check_installed, derivation, read_text, tones_of
from visavis.pictures.picture import Attributes, Picture
from visavis.pictures.reader import open_picture
from visavis.stores.base import StoredPoint
from visavis.types import batches

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

#: The catalogue's key for an upgrade in progress.
STATE_KEY = "upgrade"
_BATCH = 500
#: Pictures between two flushes: an embedded store with a long log opens slowly.
_CHECKPOINT = 5000
#: How many lost pictures a report lists.
_NAMED = 50


@dataclass
class UpgradeReport:
    """The result of an upgrade.

    Attributes:
        encoder: The collection's new encoder.
        pictures: The number of pictures.
        waiting: How many had no vectors at the start.
        encoded: How many were encoded.
        from_thumbnails: How many of these have no file any more.
        lost: How many have neither a file nor a thumbnail.
        lost_ids: Some of them.
        derived: How many gained a day from their file's name, or the names of their place.
        seconds: From start to end.
        interrupted: Whether the user stopped it; finished work is kept.
    """

    encoder: str
    pictures: int = 0
    waiting: int = 0
    encoded: int = 0
    from_thumbnails: int = 0
    lost: int = 0
    lost_ids: list[str] = field(default_factory=list)
    derived: int = 0
    seconds: float = 0.0
    interrupted: bool = False


@dataclass
class _Item:
    picture: Picture
    image: Image.Image | None = None
    small: bool = False


class Upgrade:
    """One run over a collection; the caller holds its lock."""

    def __init__(self, collection: StoredCollection, encoder: Encoder) -> None:
        self._collection = collection
        self._encoder = encoder
        self._report = UpgradeReport(encoder.name)

    def run(self, on_progress: Callable[[UpgradeReport], None] | None = None) -> UpgradeReport:
        """Encode every picture that has no vectors of this encoder."""
        started, report, collection = time.perf_counter(), self._report, self._collection
        counts = collection.catalogue.counts()
        report.pictures = counts.pictures + counts.missing
        report.waiting = report.pictures - collection.store.count()
        pipeline = Pipeline(
            [
                Stage("read", self._read, workers=2),
                Stage("encode", self._encode, batch=BATCH),
            ]
        )
        try:
            for place, _ in enumerate(pipeline.run(self._waiting()), 1):
                if on_progress:
                    on_progress(report)
                if place % _CHECKPOINT == 0:
                    collection.store.flush()
            collection.catalogue.set_meta(STATE_KEY, {})
        except KeyboardInterrupt:
            report.interrupted = True
        collection.store.flush()
        report.seconds = time.perf_counter() - started
        return report

    def _waiting(self) -> Iterator[_Item]:
        for pictures in self._collection.catalogue.scroll(_BATCH):
            there = self._collection.store.payloads([picture.id for picture in pictures])
            yield from (_Item(picture) for picture in pictures if picture.id not in there)

    def _read(self, items: list[_Item]) -> list[_Item]:
        for item in items:
            opened = open_unchanged(item.picture)
            item.image = opened.image if opened else self._thumbnail(item.picture.id)
            item.small = opened is None
        return items

    def _thumbnail(self, id: str) -> Image.Image | None:
        try:
            return open_picture(self._collection.thumbnail(id)).image
        except VisavisError:
            return None

    def _encode(self, items: list[_Item]) -> list[_Item]:
        report, collection = self._report, self._collection
        images = {item.picture.id: item.image for item in items if item.image is not None}
        if images:
            encoded = self._encoder.encode_pictures(list(images.values()))
            rows = dict(zip(images, zip(encoded.whole, encoded.regions, strict=True), strict=True))
            pictures = [item.picture for item in items if item.picture.id in rows]
            fields = FieldIndexes(collection.catalogue, collection.store)
            for picture in pictures:
                fields.ensure(picture.attributes)
            points = [StoredPoint(picture.id, *rows[picture.id], payload_of(picture)) for picture in pictures]
            collection.store.upsert(points)
        report.encoded += len(images)
        report.from_thumbnails += sum(item.small and item.image is not None for item in items)
        lost = [item.picture.id for item in items if item.image is None]
        report.lost += len(lost)
        report.lost_ids += lost[: max(0, _NAMED - len(report.lost_ids))]
        return items


def waiting(collection: StoredCollection) -> int:
    """Return how many pictures have no vectors yet in an unfinished upgrade; 0 where there is none."""
    if not collection.catalogue.meta(STATE_KEY):
        return 0
    counts = collection.catalogue.counts()
    return max(0, counts.pictures + counts.missing - collection.store.count())


if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

#: The catalogue's key for what was derived already.
_KEY = "derived"
_READ_AT_ONCE = 500
#: Pictures between two writes: what a killed run reads again at most.
_READ_BATCH = 16


def derive_all(collection: StoredCollection) -> int:
    """Merge the details of all pictures again, so that they gain what is derived now, from thumbnails and not files.

    The caller holds the collection's lock.

    Returns:
        How many pictures changed; 0 at once where all is derived already.
    """
    catalogue, state = collection.catalogue, derivation()
    if catalogue.meta(_KEY) == state:
        return 0
    changed = 0
    for pictures in catalogue.scroll(_READ_AT_ONCE):
        ids = [picture.id for picture in pictures]
        due = ledger.embed(catalogue, _measured_tones(collection, ids))
        due += [id for id in ledger.merge_details(catalogue, ids) if id not in due]
        sync_payloads(catalogue, collection.store, due)
        changed += len(due)
    if changed:
        ledger.begin_run(catalogue)  # so that what was read of the collection before is read again
        collection.store.flush()
    catalogue.set_meta(_KEY, state)
    return changed


def _measured_tones(collection: StoredCollection, ids: Sequence[str]) -> dict[str, Attributes]:
    """What is in pictures themselves, with the tones of those that turn out to be black and white."""
    with collection.catalogue.transaction() as session:
        query = select(PictureRow.id, PictureRow.embedded).where(PictureRow.id.in_(ids))
        known = {id: embedded for id, embedded in session.execute(query) if embedded is not None}
    found: dict[str, Attributes] = {}
    for id, embedded in known.items():
        if TONES in embedded:
            continue
        with contextlib.suppress(OSError), Image.open(collection.thumbnail(id)) as image:  # a lost one tells nothing
            if tones := tones_of(image):
                found[id] = {**embedded, **tones}
    return found


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
    return {**opened.attributes, **tones_of(opened.image), TEXT: read_text(opened.image)} if opened else None
