"""Checksums of files: of weights, when they are loaded, against what the installer noted."""

from __future__ import annotations

import base64
import hashlib
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from visavis.errors import StorageError

REINSTALL = "Install visavis anew with: pip install --force-reinstall visavis"
_PACKAGE = "visavis"


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
