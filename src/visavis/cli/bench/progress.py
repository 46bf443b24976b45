"""Progress bars of benchmarks."""

from __future__ import annotations

import time
from typing import Self

from rich.progress import TaskID

from visavis.cli.output import progress_bar, stderr


class ProgressBars:
    """A progress bar for each kind of work, when standard error is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._progress = None if quiet or not stderr.is_terminal else progress_bar("")
        self._tasks: dict[str, TaskID] = {}
        self._started: dict[str, float] = {}

    def __enter__(self) -> Self:
        if self._progress:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress:
            self._progress.stop()

    def update(self, kind: str, done: int, total: int) -> None:
        """Show how far one kind of work is."""
        if not self._progress:
            return
        if kind not in self._tasks:
            self._tasks[kind] = self._progress.add_task(kind, total=total, rate="")
            self._started[kind] = time.monotonic()
        seconds = max(time.monotonic() - self._started[kind], 1e-3)
        self._progress.update(self._tasks[kind], completed=done, rate=f"{done / seconds:.1f}/s")
