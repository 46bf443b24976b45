"""Translate the embedded engine's errors: it raises plain exceptions, and panics when files are damaged."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from visavis.errors import BusyError, StorageError, VisavisError

#: The engine maps its files into memory, so a disk that fills up kills the process (SIGBUS) instead of giving an
#: error. Writing stops below the first threshold, opening and deleting, which need little, below the second.
LEAST_FREE_BYTES = 256 * 1024 * 1024
LEAST_FREE_BYTES_TO_OPEN = 64 * 1024 * 1024

_BUSY_SIGNS = ("WouldBlock", "Resource temporarily unavailable")
_FULL_SIGNS = ("No space left", "StorageFull", "os error 28", "File too large", "os error 27", "Disk quota")
_READ_ONLY_SIGNS = ("Read-only file system", "Permission denied", "os error 30", "os error 13")


@contextmanager
def engine_errors(folder: Path, doing: str) -> Iterator[None]:
    """Convert what the engine raises to a :class:`StorageError` (or :class:`BusyError`) about this folder."""
    try:
        yield
    except VisavisError:
        raise
    except OSError as error:
        raise storage_error(folder, doing, str(error.strerror or error)) from error
    except Exception as error:
        raise storage_error(folder, doing, str(error)) from error
    except BaseException as error:
        # A Rust panic is not an Exception; Ctrl-C and an exit are not panics.
        if type(error).__name__ != "PanicException":
            raise
        raise storage_error(folder, doing, f"damaged files ({str(error)[:200]})") from error


def storage_error(folder: Path, doing: str, reason: str) -> VisavisError:
    """Return the error for a reason in the engine's own words."""
    if any(sign in reason for sign in _BUSY_SIGNS):
        return busy_error(folder)
    if any(sign in reason for sign in _FULL_SIGNS):
        return StorageError(f"The store in {folder} is out of room while {doing}: {reason}.", "Free some disk space.")
    if any(sign in reason for sign in _READ_ONLY_SIGNS):
        return StorageError(
            f"The store in {folder} cannot be written: {reason}.",
            "Give yourself the right to write there, or choose another home with --home or VISAVIS_HOME.",
        )
    return StorageError(
        f"The store in {folder} failed while {doing}: {reason}.",
        "If this stays so, its files are damaged: restore the folder from a backup or index the pictures again.",
    )


def busy_error(folder: Path, holder: int | None = None) -> BusyError:
    """Return the error for a store that is open already, in another process (with this pid) or in this one."""
    if holder == os.getpid():
        return BusyError(f"The store in {folder} is already open in this process.", "Use the one that is open.")
    return BusyError(
        f"The store in {folder} is in use by another process{f' ({holder})' if holder else ''}.",
        "Close it there first, or keep the vectors on a Qdrant server when several processes need them.",
    )


def check_free_space(folder: Path, needed: int = LEAST_FREE_BYTES) -> None:
    """Raise an error when the disk is nearly full.

    Args:
        folder: A folder on that disk.
        needed: How many bytes must be free.

    Raises:
        StorageError: Less is free than the engine needs.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise StorageError(f"The folder {folder} has gone.", "Bring the disk back that it lies on.") from error
        raise
    if free < needed:
        raise StorageError(
            f"The disk of {folder} is nearly full: {free // 2**20} MB are free.",
            f"Free some space: at least {needed // 2**20} MB are needed.",
        )
