"""One indexing run: candidates through the stages, then the missing files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.indexing.items import IndexItem, IndexReport, IndexSource, Outcome, existing
from visavis.collections.indexing.stages import (
    BATCH,
    READ_BATCH,
    EncodeStage,
    Reader,
    Sorter,
    Writer,
    decode,
    sync_left,
    sync_payloads,
)
from visavis.collections.pipeline import Pipeline, Stage
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError
from visavis.pictures.thumbnails import save_thumbnail
from visavis.stores.base import Store

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

#: How many failures a report lists; the catalogue has them all.
_NAMED_FAILURES = 50
#: Files between two flushes: an embedded store with a long log opens slowly.
_CHECKPOINT = 5000
#: Seconds without events before a folder is indexed: a copy is then complete.
QUIET_SECONDS = 1.0
_KINDS = frozenset({"created", "modified", "moved", "deleted", "closed"})


@dataclass(frozen=True)
class Options:
    """Options of an indexing run.

    Attributes:
        workers: Decoding threads; reading has two of its own, encoding and storing one each.
        retry_failed: Retry unchanged files that failed before.
        follow_links: Whether links, and paths in a catalogue file, may lead out of the folder.
        texts: Whether to read the text in pictures, which needs the extra ``ocr``.
    """

    workers: int = 2
    retry_failed: bool = False
    follow_links: bool = False
    texts: bool = False


class Indexer:
    """Indexes candidates into a collection."""

    def __init__(
        self, catalogue: Catalogue, store: Store, thumbnails: Path, encoder: Callable[[], Encoder], options: Options
    ) -> None:
        """Prepare a run for one collection.

        Args:
            catalogue: Its catalogue.
            store: Its vector store.
            thumbnails: Its thumbnails folder.
            encoder: Loads the encoder; only called when there is something to encode.
            options: Options of the run.
        """
        self._catalogue = catalogue
        self._store = store
        self._thumbnails = thumbnails
        self._encoder = encoder
        self._options = options
        self._lock = Lock()

    def run(self, source: IndexSource, on_progress: Callable[[IndexReport], None] | None = None) -> IndexReport:
        """Index a source.

        Args:
            source: The source of candidates.
            on_progress: Called after each file, from any thread.
        """
        report = IndexReport(source.name)
        with _timed(report):
            run = ledger.begin_run(self._catalogue)
            sync_left(self._catalogue, self._store)
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
            if source.find_missing and not report.interrupted:
                report.missing = mark_missing_files(self._catalogue, self._store, source.find_missing(run))
                ledger.drop_old_failures(self._catalogue, source.name, run)
            self._store.flush()
        return report

    def _pipeline(self, run: int) -> Pipeline:
        writer = Writer(self._catalogue, self._store, partial(save_thumbnail, self._thumbnails), run)
        encode: list[EncodeStage] = []

        def encode_lazily(items: list[IndexItem]) -> list[IndexItem]:
            if not encode and any(work.opened and not work.known for work in items):
                encode.append(EncodeStage(self._encoder()))
            return encode[0](items) if encode else items

        return Pipeline(
            [
                Stage("read", Reader(self._catalogue).read, workers=2, batch=READ_BATCH),
                Stage("decode", decode, workers=self._options.workers),
                Stage("encode", encode_lazily, batch=BATCH),
                Stage("store", writer.write, batch=BATCH),
            ]
        )


def mark_missing_files(catalogue: Catalogue, store: Store, missing: Iterable[list[str]]) -> int:
    """Mark files as missing and hide pictures without any file; returns how many files."""
    count = 0
    for paths in missing:
        count += len(paths)
        sync_payloads(catalogue, store, ledger.mark_missing(catalogue, paths))
    return count


def count_outcome(report: IndexReport, path: str, outcome: Outcome, *, encoded: bool, reason: str) -> None:
    """Count the outcome of a file; the first failures are listed."""
    report.outcomes[outcome] += 1
    report.encoded += encoded
    if reason and len(report.failures) < _NAMED_FAILURES:
        report.failures.append((path, reason))


@contextmanager
def _timed(report: IndexReport) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        report.seconds = time.perf_counter() - started


def watch_folder(
    collection: StoredCollection,
    path: Path,
    ignore: Sequence[str] = (),
    options: Options | None = None,
    quiet: float = QUIET_SECONDS,
) -> Iterator[IndexReport]:
    """Index a folder again whenever its files have changed and events have stopped; yields the reports.

    Starts with a full run, for changes before the watch began. Each run scans the whole folder, which is cheap because
    unchanged files are not read; so no change is missed, even where the system
    dropped or merged events.
    """
    from watchdog.observers import Observer

    root = existing(path)
    if not root.is_dir():
        raise BadInputError(f"{root} is not a folder.", "Only folders can be watched.")
    changes: SimpleQueue[object] = SimpleQueue()
    observer = Observer()
    observer.schedule(_Listener(changes), str(root), recursive=True)
    observer.start()
    changes.put("the beginning")
    try:
        while True:
            _wait_for_change(changes, quiet)
            report = collection.index(root, ignore=ignore, options=options, wait=-1.0)
            if report.changed:
                yield report
    finally:
        observer.stop()
        observer.join()


class _Listener:
    """Queues every event; the next scan finds what changed."""

    def __init__(self, changes: SimpleQueue[object]) -> None:
        self._changes = changes

    def dispatch(self, event: Any) -> None:
        """Handle an event of the observer."""
        if event.event_type in _KINDS:
            self._changes.put(event)


def _wait_for_change(changes: SimpleQueue[object], quiet: float) -> None:
    changes.get()
    while True:
        try:
            changes.get(timeout=quiet)
        except Empty:
            return
