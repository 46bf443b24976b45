"""Upgrade of a collection to another encoder, in place: new vectors for every picture.

The old vectors cannot be compared with new text vectors, so the store is recreated and filled. An interrupted upgrade
resumes with the pictures that have no vectors; a search meanwhile finds the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PIL import Image

from visavis.collections.indexing.stages import BATCH
from visavis.collections.payload import FieldIndexes, payload_of
from visavis.collections.pipeline import Pipeline, Stage
from visavis.collections.verification import open_unchanged
from visavis.encoders.base import Encoder
from visavis.errors import VisavisError
from visavis.pictures.picture import Picture
from visavis.pictures.reader import open_picture
from visavis.stores.base import StoredPoint

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
