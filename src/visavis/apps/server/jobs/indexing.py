"""Indexing a folder, with progress and a way to stop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from visavis.apps.server.library.library import Library
from visavis.collections.indexing.indexer import Options
from visavis.collections.indexing.work import Outcome, Report
from visavis.collections.sources.rows import is_catalogue_file, read_rows
from visavis.errors import VisavisError
from visavis.home import in_full
from visavis.pictures.walking import walk

#: How often progress is reckoned anew.
_EVERY_SECONDS = 0.5


@dataclass(frozen=True)
class Progress:
    """How far it is.

    Attributes:
        done: Files looked at.
        total: Files there are, once they are counted; None before.
        rate: Files a second.
        left_seconds: How long still; None while that is not known.
        failed: Files that could not be used.
    """

    done: int = 0
    total: int | None = None
    rate: float = 0.0
    left_seconds: float | None = None
    failed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return vars(self).copy()


class IndexJob:
    """One run over one folder.

    Args:
        library: The collections.
        collection: Which of them.
        folder: What to index.

    Attributes:
        progress: How far it is.
    """

    def __init__(self, library: Library, collection: str, folder: str) -> None:
        self.collection = collection
        self.folder = folder
        self.progress = Progress()
        self._library = library
        self._stop = Event()
        self._total: int | None = None
        self._started = time.monotonic()
        self._told = 0.0

    def stop(self) -> None:
        """Stop soon; what is done stays."""
        self._stop.set()

    def run(self) -> Report:
        """Index; returns when it is done or was stopped."""
        path = in_full(self.folder)
        Thread(target=self._count, args=(path,), name="visavis-count", daemon=True).start()
        with self._library.using(self.collection) as opened:
            report = opened.collection.index(path, options=Options(), on_progress=self._update)
            self._tell(report)
            opened.refresh()
        return report

    def _update(self, report: Report) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt  # what the indexer takes as "enough": it keeps what is done
        if time.monotonic() - self._told >= _EVERY_SECONDS:
            self._told = time.monotonic()
            self._tell(report)

    def _tell(self, report: Report) -> None:
        done = report.files
        rate = done / max(time.monotonic() - self._started, 1e-3)
        left = (self._total - done) / rate if self._total is not None and rate > 0 else None
        failed = report.outcomes[Outcome.FAILED]
        left = None if left is None else round(max(left, 0.0), 1)
        self.progress = Progress(done, self._total, round(rate, 2), left, failed)

    def _count(self, path: Path) -> None:
        total = 0
        try:
            table = path.is_file() and is_catalogue_file(path)
            for _ in read_rows(path, quiet=True) if table else walk(path, (), on_error=lambda _: None):
                total += 1
                if self._stop.is_set():
                    return
        except VisavisError:
            return  # indexing itself says what is wrong
        self._total = total
