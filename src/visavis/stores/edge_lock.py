"""One process a store: the lock that says who has it open."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from filelock import FileLock, Timeout

from visavis.errors import StorageError
from visavis.stores.edge_errors import busy_error

FILE_NAME = "lock"


class StoreLock:
    """Held while a store is open, even while the engine's own lock changes hands to a helper process."""

    def __init__(self, folder: Path, wait: float = 0.0) -> None:
        """Take the lock.

        Args:
            folder: The store's folder; it exists.
            wait: Seconds to wait for another process.

        Raises:
            BusyError: Another process has it.
            StorageError: The folder cannot be written.
        """
        self._folder = folder
        self._holder = folder / "holder"
        # A thread may close a store that another has opened.
        self._lock = FileLock(folder / FILE_NAME, thread_local=False)
        try:
            self._lock.acquire(timeout=max(wait, 0.0), poll_interval=0.05)
        except Timeout:
            raise busy_error(folder, self._holder_number()) from None
        except OSError as error:
            raise StorageError(
                f"The store in {folder} cannot be written: {error.strerror or error}.",
                "Give yourself the right to write there, or choose another home with --home or VISAVIS_HOME.",
            ) from error
        with contextlib.suppress(OSError):  # only for the message to others
            self._holder.write_text(str(os.getpid()), encoding="ascii")

    def release(self) -> None:
        """Let go; the system does it too when the process ends, however it ends."""
        with contextlib.suppress(OSError):
            self._holder.unlink()
        self._lock.release()

    def _holder_number(self) -> int | None:
        try:
            return int(self._holder.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None
