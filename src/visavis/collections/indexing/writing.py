"""The last stage: thumbnails, then vectors, then the catalogue.

The order is what makes a kill harmless. A picture counts as indexed only when the catalogue says so, and that is
written last: whatever a killed run left behind before that is written again, with the same name or id, by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.fields import FieldIndexes
from visavis.collections.indexing.work import Outcome, Work
from visavis.collections.payload import EDITED, make_payload, payload_of
from visavis.collections.sources.candidate import is_gone
from visavis.pictures.picture import Details, Origin
from visavis.stores.base import Point, Store


class Writer:
    """Writes what the stages before found."""

    def __init__(
        self, catalogue: Catalogue, store: Store, keep_thumbnail: Callable[[str, bytes], object], run: int
    ) -> None:
        """Write for one indexing run.

        Args:
            catalogue: Where the rows go.
            store: Where the vectors go.
            keep_thumbnail: Given an id and the small copy, puts it where it belongs.
            run: The number of the run.
        """
        self._catalogue = catalogue
        self._store = store
        self._keep_thumbnail = keep_thumbnail
        self._run = run
        self._fields = FieldIndexes(catalogue, store)

    def write(self, works: list[Work]) -> list[tuple[Work, Outcome]]:
        """Write a batch and say what became of each file."""
        outcomes = []
        for work in works:
            if work.reason:
                self._hide(self._fail(work))
                outcomes.append((work, Outcome.FAILED))
        good = list({work.candidate.path: work for work in works if not work.reason}.values())
        if good:
            known = ledger.known_pictures(self._catalogue, [work.id for work in good])
            self.write_new([work for work in good if work.whole is not None])
            self._refresh([work for work in good if work.whole is None])
            moved = self._moved_from([work for work in good if work.id in known])
            self._hide(ledger.record(self._catalogue, [_entry(work) for work in good], self._run))
            ledger.drop_files(self._catalogue, [path for paths in moved.values() for path in paths])
            outcomes += [(work, _outcome(work, known, moved)) for work in good]
        return outcomes

    def write_new(self, works: Sequence[Work], origin: Origin | None = None) -> None:
        """Thumbnails and vectors of new pictures."""
        points = {}
        for work in works:
            assert work.opened is not None
            assert work.whole is not None
            if work.thumbnail is not None:
                self._keep_thumbnail(work.id, work.thumbnail)
            details = details_of(work) or Details()
            self._fields.ensure(details.attributes)
            payload = make_payload(details, work.opened.width, work.opened.height, EDITED if origin else None)
            points[work.id] = Point(work.id, work.whole, work.regions, payload)
        if points:
            self._store.upsert(list(points.values()))

    def _refresh(self, works: Sequence[Work]) -> None:
        """Payloads of known pictures that have new words or are no longer missing."""
        changed = [work for work in works if work.missing or work.opened]
        pictures = self._catalogue.pictures([work.id for work in changed])
        for work in changed:
            picture = pictures[work.id]
            details = details_of(work) or picture.details
            self._fields.ensure(details.attributes)
            state = EDITED if picture.origin else None
            self._store.set_payload(work.id, make_payload(details, picture.width, picture.height, state))

    def _moved_from(self, works: Sequence[Work]) -> dict[str, list[str]]:
        """For each picture that is no longer at any place it was known at: those places."""
        pictures = self._catalogue.pictures([work.id for work in works])
        new = {work.candidate.path for work in works}
        moved = {}
        for id, picture in pictures.items():
            old = [path for path in picture.paths if path not in new]
            if old and all(is_gone(path) for path in old):
                moved[id] = old
        return moved

    def _fail(self, work: Work) -> list[str]:
        candidate = work.candidate
        return ledger.fail(self._catalogue, candidate.path, candidate.source, candidate.stamp, work.reason, self._run)

    def _hide(self, lost: Sequence[str]) -> None:
        hide_missing(self._catalogue, self._store, lost)


def hide_missing(catalogue: Catalogue, store: Store, ids: Sequence[str]) -> None:
    """Let searches leave out pictures that lost their last file; the catalogue, written before, has the last word."""
    for picture in catalogue.pictures(ids).values():
        if picture.missing:
            store.set_payload(picture.id, payload_of(picture))


def details_of(work: Work) -> Details | None:
    """What came with the file over what the camera wrote; None leaves what the catalogue has."""
    if work.opened is None:
        return None
    return work.candidate.details.over(Details((), work.opened.attributes))


def _entry(work: Work) -> ledger.Entry:
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


def _outcome(work: Work, known: dict[str, bool], moved: dict[str, list[str]]) -> Outcome:
    if work.replaces == work.id:
        return Outcome.UPDATED if work.opened else Outcome.UNCHANGED
    if work.id in moved:
        return Outcome.MOVED
    if known.get(work.id):
        return Outcome.RETURNED
    if work.replaces:
        return Outcome.CHANGED
    return Outcome.DUPLICATE if work.id in known else Outcome.ADDED
