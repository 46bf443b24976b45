"""Indexing what changes, as it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from visavis.collections.indexing.indexer import Options
from visavis.collections.indexing.runs import existing
from visavis.collections.indexing.work import Report
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: A folder counts as quiet when nothing has happened in it for this long: a copy is then complete.
QUIET_SECONDS = 1.0
_KINDS = frozenset({"created", "modified", "moved", "deleted", "closed"})


def watch_folder(
    collection: Collection,
    path: Path,
    ignore: Sequence[str] = (),
    options: Options | None = None,
    quiet: float = QUIET_SECONDS,
) -> Iterator[Report]:
    """Index a folder again whenever something in it has changed and it is quiet again; yields what was done.

    Begins with a run of its own: what changed before the system began to report changes is not missed either. Each
    time the whole folder is gone through, which costs little because unchanged files are not read; in return nothing
    can be missed, however many changes the system has dropped or merged.
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
    """Puts every change into a queue; what it was is found out by looking."""

    def __init__(self, changes: SimpleQueue[object]) -> None:
        self._changes = changes

    def dispatch(self, event: Any) -> None:
        """Called by the observer for each event."""
        if event.event_type in _KINDS:
            self._changes.put(event)


def _wait_for_change(changes: SimpleQueue[object], quiet: float) -> None:
    changes.get()
    while True:
        try:
            changes.get(timeout=quiet)
        except Empty:
            return
