"""The engine's shard in a folder: made, opened and closed without ever losing what was acknowledged."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import qdrant_edge as engine

from visavis.errors import NotFoundError, StorageError
from visavis.home import ensure_folder
from visavis.stores.edge_building import build_in_child
from visavis.stores.edge_config import PLAIN_UP_TO_POINTS, shard_config
from visavis.stores.edge_errors import LEAST_FREE_BYTES, LEAST_FREE_BYTES_TO_OPEN, check_free_space, engine_errors
from visavis.stores.edge_lock import StoreLock
from visavis.stores.edge_view import open_view, remove_view
from visavis.stores.format_file import StoreFormat, read_format, write_format


class Shard:
    """One open shard, locked to this process; its threads take turns."""

    def __init__(self, folder: Path, wanted: StoreFormat | None, wait: float) -> None:
        """Open the shard in a folder, or make it when there is none and it is known how.

        Args:
            folder: Where it lies.
            wanted: What to make it like; None only opens.
            wait: Seconds to wait for another process that has it open.

        Raises:
            NotFoundError: There is none and none is wanted.
            BusyError: Another process has it open.
            StorageError: It cannot be read or written, or is damaged.
        """
        self.folder = folder
        self._files = folder / "shard"
        self._writing = threading.RLock()  # taken before the other one, never after
        self._turn = threading.RLock()
        self._engine: Any = None
        self._closed = False
        if wanted is None and read_format(folder) is None:
            raise NotFoundError(f"There is no store in {folder}.", "Index some pictures first.")
        self._lock = StoreLock(ensure_folder(folder), wait)
        try:
            self.format = self._open(read_format(folder), wanted)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, found: StoreFormat | None, wanted: StoreFormat | None) -> StoreFormat:
        if found is None and wanted is not None:
            self._make(wanted)
            return wanted
        if found is None:
            raise NotFoundError(f"There is no store in {self.folder}.")
        if wanted is not None:
            found.check_dimension(wanted.dimension, self.folder)
        self._load()
        return found

    def _make(self, wanted: StoreFormat) -> None:
        check_free_space(self.folder)
        with engine_errors(self.folder, "making it"):
            # Files without a format file are what a process left that was killed here before it had stored anything.
            if self._files.exists():
                shutil.rmtree(self._files)
            self._files.mkdir()
            self._engine = engine.EdgeShard.create(str(self._files), shard_config(wanted))
            self._engine.flush()
            write_format(self.folder, wanted)

    def _load(self) -> None:
        if not (self._files / "edge_config.json").is_file():
            raise StorageError(
                f"The store in {self.folder} has lost its files.",
                "Restore the folder from a backup, or remove it and index the pictures again.",
            )
        check_free_space(self.folder, LEAST_FREE_BYTES_TO_OPEN)
        with engine_errors(self.folder, "opening it"):
            remove_view(self.folder / "view")
            self._engine = engine.EdgeShard.load(str(self._files))

    @contextmanager
    def use(self, doing: str) -> Iterator[Any]:
        """The engine's shard, for this thread alone.

        Raises:
            StorageError: It is closed, or the engine failed.
        """
        with self._turn:
            if self._engine is None:
                raise StorageError(f"The store in {self.folder} is closed.", "Open it again.")
            with engine_errors(self.folder, doing):
                yield self._engine

    @contextmanager
    def write(self, doing: str, size: int = 0, *, least_free: int = LEAST_FREE_BYTES) -> Iterator[Any]:
        """The same, for writing about so many bytes; refused when the disk is nearly full."""
        with self._writing:
            check_free_space(self.folder, least_free + size)
            with self.use(doing) as shard:
                yield shard

    def keep_format(self, changed: StoreFormat) -> None:
        """Write down a changed format."""
        with engine_errors(self.folder, "writing its format"):
            write_format(self.folder, changed)
        self.format = changed

    def build(self) -> None:
        """Build the search index over everything. Meanwhile reading goes on, writing waits, Ctrl-C does no harm."""
        with self._writing:
            with self.write("flushing", least_free=0) as shard:
                shard.flush()  # the log of what was written may take more room than the pictures
            with self.write("building the index", bytes_on_disk(self._files)) as shard:  # it is all written anew
                if shard.info().points_count <= PLAIN_UP_TO_POINTS:
                    shard.optimize()
                    return
            # The engine holds Python's lock while it builds: no other thread, no progress bar, no Ctrl-C for
            # minutes. So a child process does it while this one keeps the store's lock.
            with build_in_child(self._files) as child, self._away():
                child.run()

    @contextmanager
    def _away(self) -> Iterator[None]:
        """The shard belongs to another process; this one reads from a view, or waits where there can be none."""
        with ExitStack() as waiting:
            waiting.enter_context(self._turn)
            with engine_errors(self.folder, "handing it over"):
                self._engine.close()
                self._engine = None
                view = open_view(self._files, self.folder / "view")
            if view:
                self._engine = view.shard
                waiting.pop_all().close()  # others may read
            try:
                yield
            finally:
                with self._turn:
                    self._engine = None
                    if view:
                        view.close()
                    self._load()

    def close(self) -> None:
        """Flush and let go; a second close does nothing."""
        with self._writing, self._turn:
            if self._closed:
                return
            self._closed = True
            shard, self._engine = self._engine, None
            try:
                if shard is not None:  # None where it could not be opened again after another process had it
                    with engine_errors(self.folder, "closing it"):
                        shard.flush()
                        shard.close()
            finally:
                self._lock.release()


def bytes_on_disk(folder: Path) -> int:
    """What a folder takes; sparse files count with what they really take."""
    total = 0
    for file in folder.rglob("*"):
        with suppress(OSError):  # gone meanwhile: the engine tidies up
            total += file.stat().st_blocks * 512
    return total
