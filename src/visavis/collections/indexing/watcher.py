"""Index a folder whenever its files change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from visavis.collections.indexing.indexer import Options
from visavis.collections.indexing.items import IndexReport, existing
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

#: Seconds without events before a folder is indexed: a copy is then complete.
QUIET_SECONDS = 1.0
_KINDS = frozenset({"created", "modified", "moved", "deleted", "closed"})


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
