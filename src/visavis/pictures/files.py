"""Open files of a folder that may be hostile: ordinary files only, and none that a link leads to outside the folder."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

#: What is said of a link that is not followed.
OUTSIDE = "a link out of the folder, which is not followed without --follow-links"


class OutsideError(OSError):
    """A symbolic link leads out of the folder being read."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(errno.EPERM, OUTSIDE, os.fspath(path))


def real_root(root: Path | str) -> str:
    """Return the real path of a folder, for `is_inside`."""
    return os.path.realpath(root)


def is_inside(path: Path | str, root: str) -> bool:
    """Return whether a path, with all links resolved, lies below a folder; ``root`` is from `real_root`."""
    real = os.path.realpath(path)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def open_regular(path: Path | str, root: str | None = None) -> BufferedReader:
    """Open an ordinary file for reading; a pipe or a device, which could block for ever, is refused.

    Args:
        path: The file.
        root: From `real_root`; a link that leads elsewhere is refused. None allows every link.

    Raises:
        OutsideError: The file is a link out of the root.
        OSError: It cannot be opened, or is no ordinary file.
    """
    # A pipe without a writer would block here, before its kind can be checked, but for O_NONBLOCK.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags) if root is None else _open_inside(path, flags | getattr(os, "O_NOFOLLOW", 0), root)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "Not an ordinary file", os.fspath(path))
    return os.fdopen(number, "rb")


def _open_inside(path: Path | str, flags: int, root: str) -> int:
    try:
        return os.open(path, flags)
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.EMLINK} or not os.path.islink(path):  # noqa: PTH114
            raise
    if not is_inside(path, root):
        raise OutsideError(path)
    return os.open(os.path.realpath(path), flags)
