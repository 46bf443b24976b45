"""The last stage: writes thumbnails, then vectors, then the catalogue.

This order makes a kill harmless. A picture counts as indexed only when the catalogue has its row, which is
written last: whatever a killed run wrote before is overwritten, under the same name or id, by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.fields import FieldIndexes
from visavis.collections.indexing.items import IndexItem, Outcome
from visavis.collections.payload import EDITED, make_payload, payload_of
from visavis.collections.sources.candidates import is_missing
from visavis.pictures.picture import Details, Origin
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
                self._hide(self._fail(work))
                outcomes.append((work, Outcome.FAILED))
        good = list({work.candidate.path: work for work in items if not work.reason}.values())
        if good:
            known = ledger.known_pictures(self._catalogue, [work.id for work in good])
            self.write_new([work for work in good if work.whole is not None])
            self._refresh([work for work in good if work.whole is None])
            moved = self._moved_from([work for work in good if work.id in known])
            self._hide(ledger.record(self._catalogue, [_entry(work) for work in good], self._run))
            ledger.drop_files(self._catalogue, [path for paths in moved.values() for path in paths])
            outcomes += [(work, _outcome(work, known, moved)) for work in good]
        return outcomes

    def write_new(self, items: Sequence[IndexItem], origin: Origin | None = None) -> None:
        """Write thumbnails and vectors of new pictures."""
        points = {}
        for work in items:
            assert work.opened is not None
            assert work.whole is not None
            if work.thumbnail is not None:
                self._keep_thumbnail(work.id, work.thumbnail)
            details = details_of(work) or Details()
            self._fields.ensure(details.attributes)
            payload = make_payload(details, work.opened.width, work.opened.height, EDITED if origin else None)
            points[work.id] = StoredPoint(work.id, work.whole, work.regions, payload)
        if points:
            self._store.upsert(list(points.values()))

    def _refresh(self, items: Sequence[IndexItem]) -> None:
        """Update payloads of known pictures that have new details or are no longer missing."""
        changed = [work for work in items if work.missing or work.opened]
        pictures = self._catalogue.pictures([work.id for work in changed])
        for work in changed:
            picture = pictures[work.id]
            details = details_of(work) or picture.details
            self._fields.ensure(details.attributes)
            state = EDITED if picture.origin else None
            self._store.set_payload(work.id, make_payload(details, picture.width, picture.height, state))

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

    def _hide(self, lost: Sequence[str]) -> None:
        hide_missing(self._catalogue, self._store, lost)


def hide_missing(catalogue: Catalogue, store: Store, ids: Sequence[str]) -> None:
    """Hide pictures without any file from searches; the catalogue, written before, is authoritative."""
    for picture in catalogue.pictures(ids).values():
        if picture.missing:
            store.set_payload(picture.id, payload_of(picture))


def details_of(work: IndexItem) -> Details | None:
    """Merge the file's details with EXIF; None keeps those in the catalogue."""
    if work.opened is None:
        return None
    return work.candidate.details.over(Details((), work.opened.attributes))


def _entry(work: IndexItem) -> ledger.Entry:
    candidate, opened = work.candidate, work.opened
    return ledger.Entry(
        path=candidate.path,
        source=candidate.source,
        stamp=candidate.stamp,
        id=work.id,
        shape=ledger.Shape(opened.width, opened.height, opened.bytes, opened.format) if opened else None,
        details=details_of(work),
        digest=ledger.digest(candidate.details),
    )


def _outcome(work: IndexItem, known: dict[str, bool], moved: dict[str, list[str]]) -> Outcome:
    if work.replaces == work.id:
        return Outcome.UPDATED if work.opened else Outcome.UNCHANGED
    if work.id in moved:
        return Outcome.MOVED
    if known.get(work.id):
        return Outcome.RETURNED
    if work.replaces:
        return Outcome.CHANGED
    return Outcome.DUPLICATE if work.id in known else Outcome.ADDED
