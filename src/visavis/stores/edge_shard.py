"""The engine's shard in a folder, with its indexes: created, opened and closed without losing acknowledged writes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import qdrant_edge as engine
from filelock import FileLock, Timeout

from visavis.errors import NotFoundError, StorageError
from visavis.files import PRIVATE_FILE, PRIVATE_FOLDER
from visavis.home import ensure_folder
from visavis.stores.edge_translation import (
    LEAST_FREE_BYTES,
    LEAST_FREE_BYTES_TO_OPEN,
    PLAIN_UP_TO_POINTS,
    busy_error,
    check_free_space,
    engine_errors,
    shard_config,
)
from visavis.stores.format_file import StoreFormat, read_format, write_format

FILE_NAME = "lock"


class StoreLock:
    """The lock of an open store, held even while the engine's own lock passes to a child process."""

    def __init__(self, folder: Path, wait: float = 0.0) -> None:
        """Acquire the lock.

        Args:
            folder: The store's folder; it exists.
            wait: Seconds to wait for another process.

        Raises:
            BusyError: Another process holds it.
            StorageError: The folder is not writable.
        """
        self._folder = folder
        self._holder = folder / "holder"
        # Not thread-local: a thread may close a store that another has opened.
        self._lock = FileLock(folder / FILE_NAME, thread_local=False, mode=PRIVATE_FILE)
        try:
            self._lock.acquire(timeout=max(wait, 0.0), poll_interval=0.05)
        except Timeout:
            raise busy_error(folder, self._holder_number()) from None
        except OSError as error:
            raise StorageError(
                f"The store in {folder} cannot be written: {error.strerror or error}.",
                "Give yourself the right to write there, or choose another home with --home or VISAVIS_HOME.",
            ) from error
        with contextlib.suppress(OSError):  # only for the error message of other processes
            self._holder.write_text(str(os.getpid()), encoding="ascii")

    def release(self) -> None:
        """Release the lock; the system does so too when the process ends."""
        with contextlib.suppress(OSError):
            self._holder.unlink()
        self._lock.release()

    def _holder_number(self) -> int | None:
        try:
            return int(self._holder.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None


class Shard:
    """One open shard, locked to this process; its threads take turns."""

    def __init__(self, folder: Path, new: StoreFormat | None, wait: float) -> None:
        """Open the shard in a folder, or create it when there is none and a format is given.

        Args:
            folder: The store's folder.
            new: The format of a new shard; None only opens.
            wait: Seconds to wait for another process that has it open.

        Raises:
            NotFoundError: There is none and no format to create one.
            BusyError: Another process has it open.
            StorageError: It cannot be read or written, or is damaged.
        """
        self.folder = folder
        self._files = folder / "shard"
        self._write_lock = threading.RLock()  # lock order: this one before `_engine_lock`
        self._engine_lock = threading.RLock()
        self._engine: Any = None
        self._closed = False
        if new is None and read_format(folder) is None:
            raise NotFoundError(f"There is no store in {folder}.", "Index some pictures first.")
        self._lock = StoreLock(ensure_folder(folder, private=True), wait)
        try:
            self.format = self._open(read_format(folder), new)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, found: StoreFormat | None, new: StoreFormat | None) -> StoreFormat:
        if found is None and new is not None:
            self._make(new)
            return new
        if found is None:
            raise NotFoundError(f"There is no store in {self.folder}.")
        if new is not None:
            found.check_dimension(new.dimension, self.folder)
        self._load()
        return found

    def _make(self, new: StoreFormat) -> None:
        check_free_space(self.folder)
        with engine_errors(self.folder, "making it"):
            # Files without a format file are from a process that was killed during creation, before any write.
            if self._files.exists():
                shutil.rmtree(self._files)
            self._files.mkdir(mode=PRIVATE_FOLDER)
            self._engine = engine.EdgeShard.create(str(self._files), shard_config(new))
            self._engine.flush()
            write_format(self.folder, new)

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
        threading.Thread(target=read_ahead, args=(self._files,), daemon=True).start()

    @contextmanager
    def use(self, doing: str) -> Iterator[Any]:
        """Acquire the engine's shard for this thread.

        Raises:
            StorageError: It is closed, or the engine failed.
        """
        with self._engine_lock:
            if self._engine is None:
                raise StorageError(f"The store in {self.folder} is closed.", "Open it again.")
            with engine_errors(self.folder, doing):
                yield self._engine

    @contextmanager
    def write(self, doing: str, size: int = 0, *, least_free: int = LEAST_FREE_BYTES) -> Iterator[Any]:
        """Acquire the shard to write about ``size`` bytes; refused when the disk is nearly full."""
        with self._write_lock:
            check_free_space(self.folder, least_free + size)
            with self.use(doing) as shard:
                yield shard

    def save_format(self, changed: StoreFormat) -> None:
        """Save a changed format."""
        with engine_errors(self.folder, "writing its format"):
            write_format(self.folder, changed)
        self.format = changed

    def build(self) -> None:
        """Build the search index. Meanwhile reads continue, writes wait, and Ctrl-C is safe."""
        with self._write_lock:
            with self.write("flushing", least_free=0) as shard:
                shard.flush()  # the write-ahead log may be larger than the points
            with self.write("building the index", bytes_on_disk(self._files)) as shard:  # the build rewrites all of it
                if shard.info().points_count <= PLAIN_UP_TO_POINTS:
                    shard.optimize()
                    return
            # The engine holds the GIL while it builds: no other thread, no progress bar, no Ctrl-C for minutes.
            # So a child process builds while this one keeps the store's lock.
            with build_in_child(self._files) as child, self._closed_for_child():
                child.run()

    @contextmanager
    def _closed_for_child(self) -> Iterator[None]:
        """Close the shard for a child process; this one reads from a view, or waits where there can be none."""
        with ExitStack() as stack:
            stack.enter_context(self._engine_lock)
            with engine_errors(self.folder, "handing it over"):
                self._engine.close()
                self._engine = None
                view = open_view(self._files, self.folder / "view")
            if view:
                self._engine = view.shard
                stack.pop_all().close()  # other threads may read
            try:
                yield
            finally:
                with self._engine_lock:
                    self._engine = None
                    if view:
                        view.close()
                    self._load()

    def close(self) -> None:
        """Flush and release the lock; a second close does nothing."""
        with self._write_lock, self._engine_lock:
            if self._closed:
                return
            self._closed = True
            shard, self._engine = self._engine, None
            try:
                if shard is not None:  # None where reopening failed after a child process
                    with engine_errors(self.folder, "closing it"):
                        shard.flush()
                        shard.close()
            finally:
                self._lock.release()


def remove_store(folder: Path) -> None:
    """Remove a store with everything in it; a missing folder is skipped.

    Raises:
        BusyError: Another process has it open.
        StorageError: It cannot be removed.
    """
    if not folder.exists():
        return
    lock = StoreLock(folder)
    try:
        with engine_errors(folder, "removing it"):
            shutil.rmtree(folder)
    finally:
        lock.release()


def bytes_on_disk(folder: Path) -> int:
    """Return the disk usage of a folder; sparse files count with their allocated blocks."""
    total = 0
    for file in folder.rglob("*"):
        with suppress(OSError):  # deleted meanwhile by the engine
            total += file.stat().st_blocks * 512
    return total


#: The most payloads that are read ahead, in bytes, and how many the system reads for one call.
_AHEAD, _AT_ONCE = 2**28, 2**17


def read_ahead(files: Path) -> None:
    """Have the system read the payloads of a shard into its file cache.

    The engine drops them from that cache when it closes a shard, and then reads each from the disk when it is first
    asked for: 20 to 40 microseconds each, a hundred of them in every turn.
    """
    left = _AHEAD
    if not hasattr(os, "posix_fadvise"):  # macOS
        return
    for file in sorted(files.glob("segments/*/payload_storage/page_*.dat")):
        with suppress(OSError), file.open("rb") as payloads:  # it only saves time; the engine may remove a segment
            size = min(left, os.fstat(payloads.fileno()).st_blocks * 512)  # behind that there is nothing
            for start in range(0, size, _AT_ONCE):
                os.posix_fadvise(payloads.fileno(), start, _AT_ONCE, os.POSIX_FADV_WILLNEED)
            left -= size


_GO = "go"
_PR_SET_PDEATHSIG = 1


class IndexBuilder:
    """A started child process that waits for the signal to build."""

    def __init__(self, process: subprocess.Popen[str], files: Path) -> None:
        self._process = process
        self._files = files

    def run(self) -> None:
        """Build the index, and wait.

        Raises:
            StorageError: The build failed.
        """
        _, complaint = self._process.communicate(_GO)
        if self._process.returncode:
            reason = complaint.strip().splitlines()[-1] if complaint.strip() else f"status {self._process.returncode}"
            raise StorageError(
                f"The search index in {self._files.parent} could not be built: {reason}.",
                "Nothing is lost, searching is only slower; free memory and disk space and try again.",
            )


@contextmanager
def build_in_child(files: Path) -> Iterator[IndexBuilder]:
    """Start the child before the shard is closed, so that the store is closed only during the build."""
    process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
        [sys.executable, "-P", "-m", __name__, str(files)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield IndexBuilder(process, files)
    finally:
        # On an error or Ctrl-C: a partial build is discarded at the next open, the points stay.
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stderr):
            if pipe:
                with suppress(OSError):
                    pipe.close()


def main(files: str) -> None:
    """Run in the child process."""
    import qdrant_edge as engine

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    if sys.platform == "linux":  # do not outlive the parent: it holds the store's lock
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if sys.stdin.read() != _GO:
        return
    shard = engine.EdgeShard.load(files)
    shard.optimize()
    shard.flush()
    shard.close()


#: The engine rewrites these in place whenever it opens a shard, so a view gets copies.
_COPIED = ("id_tracker.", "mutable_id_tracker.")


class ShardView:
    """A shard opened a second time, read-only."""

    def __init__(self, folder: Path, shard: Any) -> None:
        self._folder = folder
        self.shard = shard

    def close(self) -> None:
        """Release the view; its files are hard links to the shard's."""
        self.shard.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def open_view(files: Path, folder: Path) -> ShardView | None:
    """Open a view on the files of a closed shard; None where the file system has no hard links."""
    remove_view(folder)
    try:
        _link(files, folder)
    except OSError:
        remove_view(folder)
        return None
    return ShardView(folder, engine.EdgeShard.load(str(folder)))


def remove_view(folder: Path) -> None:
    """Remove a view that a killed process left."""
    shutil.rmtree(folder, ignore_errors=True)


def _link(files: Path, folder: Path) -> None:
    folder.mkdir()
    for source in sorted(files.rglob("*")):
        inside = source.relative_to(files)
        if inside.parts[0] == "wal":  # its content is in the segments since the flush before
            continue
        target = folder / inside
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif source.suffix == ".json" or source.name.startswith(_COPIED):
            shutil.copy2(source, target)
        else:
            os.link(source, target)


if __name__ == "__main__":
    main(sys.argv[1])
