"""Open a picture from a file or from bytes, within limits; every failure is a `PictureError`.

Files may lie in a hostile folder: ordinary files only, and none that a link leads to outside the folder.
"""

from __future__ import annotations

import errno
import os
import stat
from functools import partial
from io import BufferedReader
from pathlib import Path, PurePath

from PIL import Image

from visavis.pictures.decoder import (
    DEFAULT_LIMITS,
    DecodeLimits,
    DecodeTask,
    OpenedPicture,
    decode,
    heif_is_ready,
    no_room,
)
from visavis.pictures.decoder_process import shared_pool
from visavis.pictures.formats import PICTURE_SUFFIXES, has_odd_header, is_cut_short, picture_format, unsupported_format
from visavis.pictures.picture import FailureReason, PictureError

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


Source = Path | str | bytes
#: Formats whose decoders are large and whose headers tell little: always decoded in a child process. That of PPM is
#: in Python but for the commonest files, and takes minutes for a large one.
APART = frozenset({"TIFF", "JPEG2000", "AVIF", "HEIF", "PPM"})


def read_source(source: Source, limit: int, name: str | None = None) -> tuple[bytes, str]:
    """Return the bytes of a file (or the bytes given), and their name for errors."""
    if isinstance(source, bytes):
        label = name or "picture"
        _check_size(len(source), limit, label)
        return source, label
    label = name or os.fspath(source)
    try:
        return _read_file(Path(source), limit, label), label
    except PictureError:
        raise
    except FileNotFoundError as error:
        raise PictureError(FailureReason.MISSING, label, "there is no such file") from error
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        detail = (getattr(error, "strerror", None) or str(error)).lower()
        raise PictureError(FailureReason.UNREADABLE, label, f"it cannot be read ({detail})") from error


def _read_file(path: Path, limit: int, label: str) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # opening a pipe or a device could block
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not an ordinary file"
        raise PictureError(FailureReason.UNREADABLE, label, f"it is {what}")
    _check_size(status.st_size, limit, label)
    with open_regular(path) as file:
        data = file.read(limit + 1)
    _check_size(len(data), limit, label)  # it may have grown, and some file systems report no size
    return data


def _check_size(size: int, limit: int, label: str) -> None:
    if size > limit:
        detail = f"it has {size / 1e6:,.0f} MB, more than the {limit / 1e6:,.0f} MB allowed"
        raise PictureError(FailureReason.TOO_LARGE, label, detail)


def open_picture(
    source: Source,
    *,
    keep_alpha: bool = False,
    limits: DecodeLimits = DEFAULT_LIMITS,
    name: str | None = None,
    id: str | None = None,
    apart: bool = False,
) -> OpenedPicture:
    """Open a picture in full size.

    Args:
        source: A path, or the bytes of a file.
        keep_alpha: Return RGBA where there is transparency, for editing; otherwise composite on white.
        limits: The largest accepted file and picture.
        name: The name for errors, when it is not the path.
        id: The hash of its bytes, when already known.
        apart: Decode it in a child process whatever it is; otherwise only what may cost much.

    Raises:
        PictureError: With its reason; no other exception, whatever the file contains.
    """
    return _open(source, name, limits, shorter_side=None, keep_alpha=keep_alpha, id=id, apart=apart)


def open_scaled(
    source: Source,
    size: int,
    *,
    limits: DecodeLimits = DEFAULT_LIMITS,
    name: str | None = None,
    id: str | None = None,
    apart: bool = False,
) -> OpenedPicture:
    """Open a picture scaled to a shorter side of ``size`` pixels: the fast path for an encoder or a thumbnail.

    JPEG files are scaled by their decoder, which saves most of the work. A smaller picture is not enlarged.

    Raises:
        PictureError: As `open_picture`.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    return _open(source, name, limits, shorter_side=size, keep_alpha=False, id=id, apart=apart)


def _open(
    source: Source,
    name: str | None,
    limits: DecodeLimits,
    *,
    shorter_side: int | None,
    keep_alpha: bool,
    id: str | None,
    apart: bool,
) -> OpenedPicture:
    data, label = read_source(source, limits.file_bytes, name)
    kind = _recognise(data, label)
    task = DecodeTask(kind, label, shorter_side, keep_alpha, limits, id)
    in_child = partial(shared_pool().decode, data, task)
    try:
        apart = apart or kind in APART or has_odd_header(data, kind)
        return in_child() if apart else decode(data, task, heavy=in_child)
    except PictureError:
        raise
    except (Image.DecompressionBombError, MemoryError) as error:
        raise PictureError(FailureReason.TOO_LARGE, label, no_room(error)) from error
    except Exception as error:  # decoders may raise anything on damaged bytes
        if is_cut_short(data, kind):
            raise PictureError(FailureReason.TRUNCATED, label, f"the {kind} file is cut short") from error
        raise PictureError(FailureReason.DAMAGED, label, f"the {kind} file is damaged ({error})") from error


def _recognise(data: bytes, label: str) -> str:
    """Return the format by content; the error says what the file is instead."""
    if not data:
        raise PictureError(FailureReason.EMPTY, label, "the file is empty")
    kind = picture_format(data)
    if kind == "HEIF" and not heif_is_ready():
        remedy = "Install it with: pip install 'visavis[heic]'"
        raise PictureError(FailureReason.UNSUPPORTED, label, "HEIC pictures need the extra 'heic'", remedy)
    if kind:
        return kind
    if known := unsupported_format(data):
        raise PictureError(FailureReason.UNSUPPORTED, label, f"it is {known}, which is not supported")
    suffix = PurePath(label).suffix.lower()
    if suffix in PICTURE_SUFFIXES:
        raise PictureError(FailureReason.MISLABELLED, label, f"it is called {suffix}, but its content is not a picture")
    raise PictureError(FailureReason.NOT_AN_IMAGE, label, "it is not a picture")
