"""Files that are written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from visavis.errors import StorageError

#: Permissions in the home folder: pictures, conversations and keys are its owner's alone.
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
REINSTALL = "Install visavis anew with: pip install --force-reinstall visavis"
_PACKAGE = "visavis"


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


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal digits; empty where there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_intact(path: Path, sha256: str) -> bool:
    """Whether a file has this SHA-256; read once in a process, unless it is written anew. 45 MB take 60 ms."""
    if not path.is_file():
        return False
    status = path.stat()
    return _sha256_of(path, status.st_size, status.st_mtime_ns) == sha256


@lru_cache(maxsize=64)
def _sha256_of(path: Path, _size: int, _time: int) -> str:
    return sha256_of(path)


def check_installed(path: Path) -> None:
    """Check a file of the installed package against the checksum that the installer noted (``RECORD``).

    Files that no installer noted are not checked: those of a working copy, and weights trained elsewhere.

    Raises:
        StorageError: It is not what was installed.
    """
    expected = _installed().get(path.resolve())
    if expected is not None and not is_intact(path, expected):
        raise StorageError(f"The file {path} is damaged: it is not what was installed.", REINSTALL)


@cache
def _installed() -> dict[Path, str]:
    """The SHA-256 of every file of the package, as far as it was noted."""
    try:
        found = distribution(_PACKAGE)
    except PackageNotFoundError:
        return {}
    noted: dict[Path, str] = {}
    for file in found.files or ():
        if file.hash is not None and file.hash.mode == "sha256":
            value = base64.urlsafe_b64decode(file.hash.value + "=" * (-len(file.hash.value) % 4))
            noted[Path(str(found.locate_file(file))).resolve()] = value.hex()
    return noted
