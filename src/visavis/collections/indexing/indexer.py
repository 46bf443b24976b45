"""One indexing run: candidates through the stages, then what is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.indexing.encoding import BATCH, EncodeStage
from visavis.collections.indexing.reading import READ_BATCH, Reader, decode
from visavis.collections.indexing.runs import Source
from visavis.collections.indexing.sorting import Sorter
from visavis.collections.indexing.work import Outcome, Report, Work
from visavis.collections.indexing.writing import Writer, hide_missing
from visavis.collections.pipeline import Pipeline, Stage
from visavis.encoders.base import Encoder
from visavis.pictures.thumbnails import save_thumbnail
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

    def run(self, source: Source, on_progress: Callable[[Report], None] | None = None) -> Report:
        """Index a source.

        Args:
            source: What to go through.
            on_progress: Called after each file, from whichever thread.
        """
        report = Report(source.name)
        with _timed(report):
            run = ledger.begin_run(self._catalogue)
            pipeline = self._pipeline(run)

            def note(path: str, outcome: Outcome, *, encoded: bool = False, reason: str = "") -> None:
                with self._lock:
                    count_outcome(report, path, outcome, encoded=encoded, reason=reason)
                if on_progress:
                    on_progress(report)

            sorter = Sorter(self._catalogue, run, note, retry_failed=self._options.retry_failed)
            since_flush = 0
            try:
                for work, outcome in pipeline.run(sorter.sort(source.candidates)):
                    note(work.candidate.path, outcome, encoded=work.whole is not None, reason=work.reason)
                    since_flush += 1
                    if since_flush >= _CHECKPOINT:
                        self._store.flush()
                        since_flush = 0
            except KeyboardInterrupt:
                report.interrupted = True
            report.stages = pipeline.times()
            if source.gone and not report.interrupted:
                report.missing = mark_gone(self._catalogue, self._store, source.gone(run))
                ledger.drop_old_failures(self._catalogue, source.name, run)
            self._store.flush()
        return report

    def _pipeline(self, run: int) -> Pipeline:
        writer = Writer(self._catalogue, self._store, partial(save_thumbnail, self._thumbnails), run)
        encode: list[EncodeStage] = []

        def encode_lazily(works: list[Work]) -> list[Work]:
            if not encode and any(work.opened and not work.known for work in works):
                encode.append(EncodeStage(self._encoder()))
            return encode[0](works) if encode else works

        return Pipeline(
            [
                Stage("read", Reader(self._catalogue).read, workers=2, batch=READ_BATCH),
                Stage("decode", decode, workers=self._options.workers),
                Stage("encode", encode_lazily, batch=BATCH),
                Stage("store", writer.write, batch=BATCH),
            ]
        )


def mark_gone(catalogue: Catalogue, store: Store, gone: Iterable[list[str]]) -> int:
    """Mark files as gone and hide the pictures that lost their last one; returns how many files."""
    count = 0
    for paths in gone:
        count += len(paths)
        hide_missing(catalogue, store, ledger.mark_missing(catalogue, paths))
    return count


def count_outcome(report: Report, path: str, outcome: Outcome, *, encoded: bool, reason: str) -> None:
    """Count what became of a file; a failure is named while there are few."""
    report.outcomes[outcome] += 1
    report.encoded += encoded
    if reason and len(report.failures) < _NAMED_FAILURES:
        report.failures.append((path, reason))


@contextmanager
def _timed(report: Report) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        report.seconds = time.perf_counter() - started
