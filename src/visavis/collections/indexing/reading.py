"""The first two stages: the bytes of a file, then its pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PIL import Image

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.indexing.work import Work
from visavis.collections.sources.links import LinkError, fetch, is_link
from visavis.pictures.errors import PictureError
from visavis.pictures.opening import DEFAULT_LIMITS, open_scaled
from visavis.pictures.picture import content_id
from visavis.pictures.source import read_source
from visavis.pictures.thumbnails import make_thumbnail

#: Shorter side that pictures are decoded to: enough for an encoder's input and for a thumbnail.
DECODED_SIZE = 256
#: Pictures are read by so many, because asking the catalogue costs the same for one as for a few.
READ_BATCH = 8


class Reader:
    """Reads files, and knows by their content which pictures the collection already has."""

    def __init__(self, catalogue: Catalogue, fetcher: Callable[[str], bytes] = fetch) -> None:
        self._catalogue = catalogue
        self._fetch = fetcher

    def read(self, works: list[Work]) -> list[Work]:
        """The bytes and the id of each; bytes are dropped where nothing has to be decoded."""
        for work in works:
            if work.reason:
                continue
            try:
                work.data = self._bytes(work.candidate.path)
            except (PictureError, LinkError) as error:
                work.fail(str(error))
                continue
            work.id = content_id(work.data)
        known = ledger.known_pictures(self._catalogue, [work.id for work in works if work.id])
        for work in works:
            work.known = work.id in known
            work.missing = known.get(work.id, False)
            if work.known and not _has_new_words(work):
                work.data = None
        return works

    def _bytes(self, path: str) -> bytes:
        if is_link(path):
            return self._fetch(path)
        return read_source(Path(path), DEFAULT_LIMITS.file_bytes)[0]


def _has_new_words(work: Work) -> bool:
    """A copy without words says nothing about its picture; a file whose words were taken away does."""
    return work.details_changed and (bool(work.candidate.details) or work.replaces == work.id)


def decode(works: list[Work]) -> list[Work]:
    """The pixels of each, and a thumbnail of those that are new."""
    for work in works:
        if work.data is None:
            continue
        try:
            work.opened = open_scaled(work.data, DECODED_SIZE, name=work.candidate.path)
        except PictureError as error:
            work.fail(str(error))
            continue
        work.data = None
        if not work.known:
            work.thumbnail = small_copy(work.opened.image)
    return works


def small_copy(image: Image.Image) -> bytes:
    """The thumbnail of a picture that was decoded for the encoder: as it is, which saves scaling it once more."""
    return make_thumbnail(image, longest=2 * DECODED_SIZE)
