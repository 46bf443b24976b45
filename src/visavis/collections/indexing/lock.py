"""The indexing lock of a collection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from visavis.errors import BusyError, StorageError
from visavis.files import PRIVATE_FILE


@contextmanager
def index_lock(
    file: Path, name: str, *, wait: float = 0.0, on_wait: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Hold the indexing lock; the system releases it when the process ends.

    Args:
        file: The lock file.
        name: The collection's name, for messages.
        wait: Seconds to wait for another indexer; negative for no limit.
        on_wait: Called once with a message, before waiting.

    Raises:
        BusyError: Another process indexes this collection.
    """
    lock = FileLock(file, mode=PRIVATE_FILE)
    try:
        _acquire(lock, file, name, wait, on_wait)
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        raise StorageError(
            f"{file} cannot be written: {error.strerror or error}.", "Check the rights of the home folder."
        ) from error
    holder = _holder_file(file)
    try:
        with contextlib.suppress(OSError):  # only for messages
            holder.touch(mode=PRIVATE_FILE)
            holder.write_text(str(os.getpid()))
        yield
    finally:
        with contextlib.suppress(OSError):
            holder.unlink()
        lock.release()


def _acquire(lock: FileLock, file: Path, name: str, wait: float, on_wait: Callable[[str], None] | None) -> None:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        message = f"Process {_holder(file)} is indexing the collection '{name}'."
        if on_wait and wait:
            on_wait(f"{message} Waiting for it.")
        try:
            lock.acquire(timeout=wait, poll_interval=0.2)
        except Timeout:
            raise BusyError(message, "Try again when it is done, or use --wait.") from None


def _holder_file(file: Path) -> Path:
    return file.with_suffix(".holder")


def _holder(file: Path) -> str:
    try:
        return _holder_file(file).read_text().strip() or "another"
    except OSError:
        return "another"
