"""The bytes of a picture, read once and within a limit."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from visavis.pictures.errors import PictureError, Reason

Source = Path | str | bytes


def read_source(source: Source, limit: int, name: str | None = None) -> tuple[bytes, str]:
    """The bytes of a file (or the bytes given), and what to call them in an error."""
    if isinstance(source, bytes):
        called = name or "picture"
        _check_size(len(source), limit, called)
        return source, called
    called = name or os.fspath(source)
    try:
        return _read_file(Path(source), limit, called), called
    except PictureError:
        raise
    except FileNotFoundError as error:
        raise PictureError(Reason.MISSING, called, "there is no such file") from error
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        detail = (getattr(error, "strerror", None) or str(error)).lower()
        raise PictureError(Reason.UNREADABLE, called, f"it cannot be read ({detail})") from error


def _read_file(path: Path, limit: int, called: str) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # opening a pipe or a device could wait for ever
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not an ordinary file"
        raise PictureError(Reason.UNREADABLE, called, f"it is {what}")
    _check_size(status.st_size, limit, called)
    with path.open("rb", buffering=0) as file:
        data = file.readall()
    _check_size(len(data), limit, called)  # it may have grown, and some file systems report no size
    return data


def _check_size(size: int, limit: int, called: str) -> None:
    if size > limit:
        detail = f"it has {size / 1e6:,.0f} MB, more than the {limit / 1e6:,.0f} MB allowed"
        raise PictureError(Reason.TOO_LARGE, called, detail)
