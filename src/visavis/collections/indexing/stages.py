"""The stages of an indexing run: select, read, decode, encode; write thumbnails, then vectors, then the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from visavis.collections import ledger
from visavis.collections.catalogue import CHUNK, Catalogue, FieldIndexes, make_payload, payload_of
from visavis.collections.indexing.items import IndexItem, Outcome
from visavis.collections.sources.candidates import Candidate, is_missing
from visavis.collections.sources.links import LinkError, fetch, is_link
from visavis.encoders.base import Encoder
from visavis.pictures.decoder import DEFAULT_LIMITS
from visavis.pictures.derived import tones_of, with_derived
from visavis.pictures.picture import Details, PictureError, content_id
from visavis.pictures.reader import open_scaled, read_source
from visavis.pictures.thumbnails import make_thumbnail
from visavis.stores.base import Store, StoredPoint
from visavis.types import batches

#: Shorter side of decoded pictures: enough for an encoder's input and for a thumbnail.
DECODED_SIZE = 256
#: Pictures in a batch of reads: one catalogue query costs the same for a few.
READ_BATCH = 8


class Reader:
    """Reads files, and detects by content which pictures the collection already has."""

    def __init__(self, catalogue: Catalogue, fetcher: Callable[[str], bytes] = fetch) -> None:
        self._catalogue = catalogue
        self._fetch = fetcher

    def read(self, items: list[IndexItem]) -> list[IndexItem]:
        """Read the bytes and the id of each; bytes are dropped where nothing has to be decoded."""
        same = ledger.known_pictures(self._catalogue, [work.id for work in items if work.unchanged])
        for work in items:
            if work.reason or (work.unchanged and work.id in same):
                continue
            try:
                work.data = self._bytes(work.candidate.path)
            except (PictureError, LinkError) as error:
                work.fail(str(error))
                continue
            work.id = content_id(work.data)
        known = same | ledger.known_pictures(self._catalogue, [work.id for work in items if work.data is not None])
        for work in items:
            work.known = work.id in known
            if work.known and (known[work.id].embedded or not _has_new_words(work)):
                work.data = None
        return items

    def _bytes(self, path: str) -> bytes:
        if is_link(path):
            return self._fetch(path)
        return read_source(Path(path), DEFAULT_LIMITS.file_bytes)[0]


def _has_new_words(work: IndexItem) -> bool:
    """Return whether the details changed; a copy without any does not change its picture's, an edited sidecar does."""
    return work.details_changed and (bool(work.candidate.details) or work.replaces == work.id)


def decode(items: list[IndexItem]) -> list[IndexItem]:
    """Decode each, and make thumbnails of the new ones."""
    for work in items:
        if work.data is None:
            continue
        try:
            work.opened = open_scaled(work.data, DECODED_SIZE, name=work.candidate.path)
        except PictureError as error:
            work.fail(str(error))
            continue
        work.data = None
        work.opened.attributes.update(tones_of(work.opened.image))
        if not work.known:
            work.thumbnail = small_copy(work.opened.image)
    return items


def small_copy(image: Image.Image) -> bytes:
    """Make a thumbnail of a picture decoded for the encoder, without scaling it again."""
    return make_thumbnail(image, longest=2 * DECODED_SIZE)


class Sorter:
    """Selects the candidates that are new or may have changed, and marks the others as seen."""

    def __init__(
        self,
        catalogue: Catalogue,
        run: int,
        on_done: Callable[[str, Outcome], None],
        *,
        retry_failed: bool = False,
    ) -> None:
        """Prepare the selection of one indexing run.

        Args:
            catalogue: The known files.
            run: The number of the run.
            on_done: Called for each file that needs no work.
            retry_failed: Retry unchanged files that failed before.
        """
        self._catalogue = catalogue
        self._run = run
        self._on_done = on_done
        self._retry_failed = retry_failed

    def sort(self, candidates: Iterable[Candidate]) -> Iterator[IndexItem]:
        """Yield the files that have to be read."""
        for chunk in batches(candidates, CHUNK):
            by_path = _merged(chunk)
            known = ledger.known_files(self._catalogue, list(by_path))
            quiet = [path for path, candidate in by_path.items() if self._is_unchanged(candidate, known.get(path))]
            ledger.mark_seen(self._catalogue, quiet, self._run)
            for path in quiet:
                self._on_done(path, Outcome.UNCHANGED if known[path].picture_id else Outcome.FAILED)
            for path in quiet:
                del by_path[path]
            for path, candidate in by_path.items():
                yield _work(candidate, known.get(path))

    def _is_unchanged(self, candidate: Candidate, known: ledger.KnownFile | None) -> bool:
        if candidate.problem or known is None or known.stamp != candidate.stamp or known.missing:
            return False
        if known.picture_id is None:
            return not self._retry_failed
        return known.described and known.details == ledger.digest(candidate.details)


def _merged(candidates: Iterable[Candidate]) -> dict[str, Candidate]:
    """Merge candidates by path: a table may have a row for each caption of a picture."""
    by_path: dict[str, Candidate] = {}
    for candidate in candidates:
        earlier = by_path.get(candidate.path)
        details = earlier.details.over(candidate.details) if earlier else candidate.details
        by_path[candidate.path] = replace(candidate, details=details)
    return by_path


def _work(candidate: Candidate, known: ledger.KnownFile | None) -> IndexItem:
    work = IndexItem(candidate, reason=candidate.problem)
    if known and known.picture_id and not known.missing:
        work.replaces = known.picture_id
        work.details_changed = known.details != ledger.digest(candidate.details)
        if known.stamp == candidate.stamp and not work.reason and (known.embedded or not work.details_changed):
            work.unchanged, work.id = True, known.picture_id
    return work


#: Pictures in a batch of the encoder: enough to fill its threads, small enough for its memory.
BATCH = 16


class EncodeStage:
    """Encodes the pictures of a batch that need it."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def __call__(self, items: list[IndexItem]) -> list[IndexItem]:
        """Add vectors; failed and known items pass through."""
        new = [(work, work.opened.image) for work in items if work.opened and not work.known]
        if new:
            encoded = self._encoder.encode_pictures([image for _, image in new])
            for place, (work, _) in enumerate(new):
                work.whole, work.regions = encoded.whole[place], encoded.regions[place]
        return items


class Writer:
    """Writes the results of the stages before."""

    def __init__(
        self, catalogue: Catalogue, store: Store, keep_thumbnail: Callable[[str, bytes], object], run: int
    ) -> None:
        """Prepare the writes of one indexing run.

        Args:
            catalogue: The catalogue for the rows.
            store: The store for the vectors.
            keep_thumbnail: Saves a thumbnail, given an id and its bytes.
            run: The number of the run.
        """
        self._catalogue = catalogue
        self._store = store
        self._keep_thumbnail = keep_thumbnail
        self._run = run
        self._fields = FieldIndexes(catalogue, store)

    def write(self, items: list[IndexItem]) -> list[tuple[IndexItem, Outcome]]:
        """Write a batch and return the outcome of each file."""
        outcomes = []
        for work in items:
            if work.reason:
                self._sync(self._fail(work))
                outcomes.append((work, Outcome.FAILED))
        good = list({work.candidate.path: work for work in items if not work.reason}.values())
        if good:
            known = ledger.known_pictures(self._catalogue, [work.id for work in good])
            stored = self.write_new([work for work in good if work.whole is not None and work.id not in known])
            moved = self._moved_from([work for work in good if work.id in known])
            entries = [_entry(work, stored.get(work.id)) for work in good]
            former = [path for paths in moved.values() for path in paths]
            self._sync(ledger.record(self._catalogue, entries, self._run, former))
            outcomes += [(work, _outcome(work, known, moved)) for work in good]
        return outcomes

    def write_new(self, items: Sequence[IndexItem]) -> dict[str, Details]:
        """Write thumbnails and vectors of new pictures; returns the details in their payloads."""
        points = {}
        stored = {}
        for work in items:
            assert work.opened is not None
            assert work.whole is not None
            if work.thumbnail is not None:
                self._keep_thumbnail(work.id, work.thumbnail)
            candidate = work.candidate
            details = with_derived(candidate.details.over(Details((), work.opened.attributes)), [candidate.path])
            self._fields.ensure(details.attributes)
            payload = make_payload(details, work.opened.width, work.opened.height)
            points[work.id] = StoredPoint(work.id, work.whole, work.regions, payload)
            stored[work.id] = details
        if points:
            self._store.upsert(list(points.values()))
        return stored

    def _moved_from(self, items: Sequence[IndexItem]) -> dict[str, list[str]]:
        """Return the former paths of each picture that exists at none of them."""
        pictures = self._catalogue.pictures([work.id for work in items])
        new = {work.candidate.path for work in items}
        moved = {}
        for id, picture in pictures.items():
            old = [path for path in picture.paths if path not in new]
            if old and all(is_missing(path) for path in old):
                moved[id] = old
        return moved

    def _fail(self, work: IndexItem) -> list[str]:
        candidate = work.candidate
        return ledger.fail(self._catalogue, candidate.path, candidate.source, candidate.stamp, work.reason, self._run)

    def _sync(self, due: Sequence[str]) -> None:
        sync_payloads(self._catalogue, self._store, due, self._fields)


def sync_payloads(
    catalogue: Catalogue, store: Store, due: Sequence[str], fields: FieldIndexes | None = None
) -> None:  # fmt: skip
    """Bring the payloads of these pictures up to date; the catalogue, written before, is authoritative."""
    if not due:
        return
    fields = fields or FieldIndexes(catalogue, store)
    for picture in catalogue.pictures(due).values():
        fields.ensure(picture.attributes)
        store.set_payload(picture.id, payload_of(picture))
    ledger.payloads_written(catalogue, due)


def sync_left(catalogue: Catalogue, store: Store) -> None:
    """Bring those payloads up to date that a killed process left behind."""
    while due := ledger.payloads_due(catalogue):
        sync_payloads(catalogue, store, due)


def _entry(work: IndexItem, stored: Details | None) -> ledger.Entry:
    candidate, opened = work.candidate, work.opened
    return ledger.Entry(
        path=candidate.path,
        source=candidate.source,
        stamp=candidate.stamp,
        id=work.id,
        shape=ledger.Shape(opened.width, opened.height, opened.bytes, opened.format) if opened else None,
        details=candidate.details,
        embedded=opened.attributes if opened else None,
        stored=stored,
    )


def _outcome(work: IndexItem, known: dict[str, ledger.KnownPicture], moved: dict[str, list[str]]) -> Outcome:
    if work.replaces == work.id:
        return Outcome.UPDATED if work.details_changed else Outcome.UNCHANGED
    if work.id in moved:
        return Outcome.MOVED
    if work.id in known and known[work.id].missing:
        return Outcome.RETURNED
    if work.replaces:
        return Outcome.CHANGED
    return Outcome.DUPLICATE if work.id in known else Outcome.ADDED
