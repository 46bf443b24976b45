"""Telling by name, size and time which files have to be read at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from visavis.collections import ledger
from visavis.collections.batches import batches
from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.indexing.work import Outcome, Work
from visavis.collections.sources.candidate import Candidate


class Sorter:
    """Passes on the candidates that are new or may have changed, and notes the others as seen."""

    def __init__(
        self,
        catalogue: Catalogue,
        run: int,
        on_done: Callable[[str, Outcome], None],
        *,
        retry_failed: bool = False,
    ) -> None:
        """Sort for one indexing run.

        Args:
            catalogue: What is known.
            run: The number of the run.
            on_done: Told of each file that needs no work.
            retry_failed: Read files that failed before once more although they have not changed.
        """
        self._catalogue = catalogue
        self._run = run
        self._on_done = on_done
        self._retry_failed = retry_failed

    def sort(self, candidates: Iterable[Candidate]) -> Iterator[Work]:
        """The files that have to be read."""
        for chunk in batches(candidates, CHUNK):
            by_path = _merged(chunk)
            known = ledger.known_files(self._catalogue, list(by_path))
            quiet = [path for path, candidate in by_path.items() if self._is_unchanged(candidate, known.get(path))]
            ledger.see(self._catalogue, quiet, self._run)
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
        return known.details == ledger.digest(candidate.details)


def _merged(candidates: Iterable[Candidate]) -> dict[str, Candidate]:
    """One candidate a path: a table may have a row for each caption of a picture."""
    by_path: dict[str, Candidate] = {}
    for candidate in candidates:
        earlier = by_path.get(candidate.path)
        details = earlier.details.over(candidate.details) if earlier else candidate.details
        by_path[candidate.path] = replace(candidate, details=details)
    return by_path


def _work(candidate: Candidate, known: ledger.KnownFile | None) -> Work:
    work = Work(candidate, reason=candidate.problem)
    if known and known.picture_id and not known.missing:
        work.replaces = known.picture_id
        work.details_changed = known.details != ledger.digest(candidate.details)
    return work
