"""The progress bar of indexing: how many of how many, how fast, how long still."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

from visavis.apps.cli.output import progress_bar, stderr
from visavis.collections.indexing.work import Report
from visavis.collections.sources.rows import is_catalogue_file, read_rows
from visavis.errors import VisavisError
from visavis.pictures.walking import walk


class IndexProgress:
    """A bar that starts without a total; a thread counts the files meanwhile."""

    def __init__(self, path: Path, ignore: Sequence[str], *, quiet: bool) -> None:
        self._path = path
        self._ignore = ignore
        self._bar = None if quiet or not stderr.is_terminal else progress_bar("files")
        self._task = self._bar.add_task("indexing", total=None, rate="") if self._bar else None
        self._started = time.monotonic()
        self._stop = Event()

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
            Thread(target=self._count, name="visavis-count", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._bar:
            self._bar.stop()

    def update(self, report: Report) -> None:
        """Show how far it is."""
        if self._bar and self._task is not None:
            rate = report.encoded / max(time.monotonic() - self._started, 1e-3)
            self._bar.update(self._task, completed=report.files, rate=f"{rate:.1f} encoded/s")

    def _count(self) -> None:
        total = 0
        try:
            table = self._path.is_file() and is_catalogue_file(self._path)
            for _ in read_rows(self._path) if table else walk(self._path, self._ignore, on_error=lambda _: None):
                total += 1
                if self._stop.is_set():
                    return
        except VisavisError:
            return  # indexing itself will say what is wrong
        if self._bar and self._task is not None:
            self._bar.update(self._task, total=total)
