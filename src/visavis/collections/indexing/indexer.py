"""One indexing run: candidates through the stages, then what is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.indexing.encoding import BATCH, EncodeStage
from visavis.collections.indexing.reading import Reader, decode
from visavis.collections.indexing.sorting import Sorter
from visavis.collections.indexing.work import Outcome, Report, Work
from visavis.collections.indexing.writing import Writer, hide_missing
from visavis.collections.pipeline import Pipeline, Stage
from visavis.collections.sources.candidate import Candidate, is_gone
from visavis.encoders.base import Encoder
from visavis.stores.base import Store

#: How many failures a report names; the catalogue has them all.
_NAMED_FAILURES = 50
#: Files between two flushes: an embedded store opens slowly when its log has grown long.
_CHECKPOINT = 5000


@dataclass(frozen=True)
class Options:
    """How to index.

    Attributes:
        workers: Threads that decode; reading has two of its own, encoding and storing one each.
        retry_failed: Try files again that failed before and have not changed.
    """

    workers: int = 2
    retry_failed: bool = False


class Indexer:
    """Brings candidates into a collection."""

    def __init__(
        self, catalogue: Catalogue, store: Store, thumbnails: Path, encoder: Callable[[], Encoder], options: Options
    ) -> None:
        """Work for one collection.

        Args:
            catalogue: Its rows.
            store: Its vectors.
            thumbnails: The folder of its small copies.
            encoder: Loads the encoder; only called when there is something to encode.
            options: How to index.
        """
        self._catalogue = catalogue
        self._store = store
        self._thumbnails = thumbnails
        self._encoder = encoder
        self._options = options
        self._lock = Lock()

    def run(
        self,
        candidates: Iterable[Candidate],
        source: str,
        *,
        gone: Callable[[int], Iterable[list[str]]] | None = None,
        on_progress: Callable[[Report], None] | None = None,
    ) -> Report:
        """Index the candidates.

        Args:
            candidates: Where pictures may be.
            source: What to call it all in the report.
            gone: Given the number of the run, yields the files that are no longer there.
            on_progress: Called after each file, from whichever thread.
        """
        report = Report(source)
        with _timed(report):
            run = ledger.begin_run(self._catalogue)
            pipeline = self._pipeline(run)

            def note(path: str, outcome: Outcome, work: Work | None = None) -> None:
                with self._lock:
                    _count(report, path, outcome, work)
                if on_progress:
                    on_progress(report)

            sorter = Sorter(self._catalogue, run, note, retry_failed=self._options.retry_failed)
            since_flush = 0
            try:
                for work, outcome in pipeline.run(sorter.sort(candidates)):
                    note(work.candidate.path, outcome, work)
                    since_flush += 1
                    if since_flush >= _CHECKPOINT:
                        self._store.flush()
                        since_flush = 0
            except KeyboardInterrupt:
                report.interrupted = True
            report.stages = pipeline.times()
            if gone and not report.interrupted:
                report.missing = self._mark_gone(gone(run))
                ledger.drop_old_failures(self._catalogue, source, run)
            self._store.flush()
        return report

    def _pipeline(self, run: int) -> Pipeline:
        writer = Writer(self._catalogue, self._store, self._thumbnails, run)
        encode: list[EncodeStage] = []

        def encode_lazily(works: list[Work]) -> list[Work]:
            if not encode and any(work.opened and not work.known for work in works):
                encode.append(EncodeStage(self._encoder()))
            return encode[0](works) if encode else works

        return Pipeline(
            [
                Stage("read", Reader(self._catalogue).read, workers=2),
                Stage("decode", decode, workers=self._options.workers),
                Stage("encode", encode_lazily, batch=BATCH),
                Stage("store", writer.write, batch=BATCH),
            ]
        )

    def _mark_gone(self, gone: Iterable[list[str]]) -> int:
        count = 0
        for paths in gone:
            count += len(paths)
            hide_missing(self._catalogue, self._store, ledger.mark_missing(self._catalogue, paths))
        return count


def gone_below(catalogue: Catalogue, root: Path) -> Callable[[int], Iterator[list[str]]]:
    """Files below a folder that a run did not see and that do not exist: ignored ones exist, and stay."""

    def find(run: int) -> Iterator[list[str]]:
        for paths in ledger.unseen(catalogue, run, below=str(root)):
            if lost := [path for path in paths if is_gone(path)]:
                yield lost

    return find


def gone_from(catalogue: Catalogue, table: Path) -> Callable[[int], Iterator[list[str]]]:
    """Files that a catalogue file no longer lists."""
    return lambda run: ledger.unseen(catalogue, run, source=str(table))


def _count(report: Report, path: str, outcome: Outcome, work: Work | None) -> None:
    report.outcomes[outcome] += 1
    if work and work.whole is not None:
        report.encoded += 1
    if work and work.reason and len(report.failures) < _NAMED_FAILURES:
        report.failures.append((path, work.reason))


@contextmanager
def _timed(report: Report) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        report.seconds = time.perf_counter() - started
