"""The last stage: writes thumbnails, then vectors, then the catalogue.

This order makes a kill harmless. A picture counts as indexed only when the catalogue has its row, which is
written last: whatever a killed run wrote before is overwritten, under the same name or id, by the next. Where a row
changes what the store already has (another copy with a caption, a missing file), the same transaction marks the
picture's payload as due, and the mark goes when the store has it: the next run does what a killed one left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.indexing.items import IndexItem, Outcome
from visavis.collections.payload import FieldIndexes, make_payload, payload_of
from visavis.collections.sources.candidates import is_missing
from visavis.pictures.derived import with_derived
from visavis.pictures.picture import Details
from visavis.stores.base import Store, StoredPoint


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
