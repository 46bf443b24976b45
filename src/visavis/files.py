"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from visavis.errors import StorageError

#: Permissions in the home folder: pictures, conversations and keys are its owner's alone.
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


@contextmanager
def replacing(path: Path, *, parents: bool = False, durable: bool = False, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path`` that takes its place when the block ends.

    A reader sees the old file or the new one. When the block fails, or the process is killed, the old one stays.

    Args:
        path: The file to write or to replace.
        parents: Whether to create missing folders; those of a private file are private too.
        durable: Whether it must survive a power failure: flushes the file and its folder to the disk.
        mode: The permissions of the file, less the umask.

    Raises:
        StorageError: It cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        if parents:
            make_folders(path.parent, PRIVATE_FOLDER if mode == PRIVATE_FILE else 0o777)
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode), "wb") as file:
                yield file
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(path)
            if durable:
                _sync_folder(path.parent)
        except BaseException:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    except StorageError:
        raise
    except OSError as error:
        raise StorageError(
            f"The file {path} cannot be written: {error.strerror or error}.",
            "Check that its folder exists, its rights and the free space.",
        ) from error


def replace_bytes(
    path: Path, data: bytes, *, parents: bool = False, durable: bool = False, mode: int = 0o666
) -> None:  # fmt: skip
    """Write a file whole or not at all; see :func:`replacing`."""
    with replacing(path, parents=parents, durable=durable, mode=mode) as file:
        file.write(data)


def make_folders(folder: Path, mode: int = 0o777) -> None:
    """Create a folder and every missing one above it with these permissions (less the umask)."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=mode, exist_ok=True)


_BINARY = getattr(os, "O_BINARY", 0)  # Windows would translate line ends


def _sync_folder(folder: Path) -> None:
    """Flush the entry of a renamed file; systems that cannot open a folder do not need it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
