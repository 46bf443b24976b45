"""Open a picture from a file or from bytes; or a named error that says what is wrong with it."""

from __future__ import annotations

from pathlib import PurePath

from PIL import Image

from visavis.pictures.decoding import DEFAULT_LIMITS, Limits, OpenedPicture, decode, heif_is_ready
from visavis.pictures.errors import PictureError, Reason
from visavis.pictures.formats import PICTURE_SUFFIXES, is_cut_short, picture_format, unsupported_format
from visavis.pictures.source import Source, read_source

__all__ = ["DEFAULT_LIMITS", "Limits", "OpenedPicture", "open_picture", "open_scaled"]


def open_picture(
    source: Source,
    *,
    keep_alpha: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    id: str | None = None,
) -> OpenedPicture:
    """Open a picture in full size.

    Args:
        source: A path, or the bytes of a file.
        keep_alpha: Return RGBA where there is transparency, for editing; otherwise it is laid on white.
        limits: What is too large.
        name: What to call it in an error, when it is not the path.
        id: The hash of its bytes, when it is known already.

    Raises:
        PictureError: With its reason, and nothing else whatever the file holds.
    """
    return _open(source, name, limits, shorter_side=None, keep_alpha=keep_alpha, id=id)


def open_scaled(
    source: Source,
    size: int,
    *,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    id: str | None = None,
) -> OpenedPicture:
    """Open a picture so that its shorter side has ``size`` pixels: the fast way to an encoder or a thumbnail.

    JPEG files are scaled by their decoder, which saves most of the work. A smaller picture is not enlarged.

    Raises:
        PictureError: As `open_picture`.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    return _open(source, name, limits, shorter_side=size, keep_alpha=False, id=id)


def _open(
    source: Source, name: str | None, limits: Limits, *, shorter_side: int | None, keep_alpha: bool, id: str | None
) -> OpenedPicture:
    data, called = read_source(source, limits.file_bytes, name)
    kind = _recognise(data, called)
    try:
        return decode(data, kind, called, shorter_side=shorter_side, keep_alpha=keep_alpha, limits=limits, id=id)
    except PictureError:
        raise
    except (Image.DecompressionBombError, MemoryError) as error:
        raise PictureError(Reason.TOO_LARGE, called, f"it is too large to decode ({error})") from error
    except Exception as error:  # decoders of damaged bytes raise whatever they stumble over
        if is_cut_short(data, kind):
            raise PictureError(Reason.TRUNCATED, called, f"the {kind} file is cut short") from error
        raise PictureError(Reason.DAMAGED, called, f"the {kind} file is damaged ({error})") from error


def _recognise(data: bytes, called: str) -> str:
    """The format by content; an error that says what the file is instead."""
    if not data:
        raise PictureError(Reason.EMPTY, called, "the file is empty")
    kind = picture_format(data)
    if kind == "HEIF" and not heif_is_ready():
        remedy = "Install it with: pip install 'visavis[heic]'"
        raise PictureError(Reason.UNSUPPORTED, called, "HEIC pictures need the extra 'heic'", remedy)
    if kind:
        return kind
    if known := unsupported_format(data):
        raise PictureError(Reason.UNSUPPORTED, called, f"it is {known}, which is not supported")
    suffix = PurePath(called).suffix.lower()
    if suffix in PICTURE_SUFFIXES:
        raise PictureError(Reason.MISLABELLED, called, f"it is called {suffix}, but its content is not a picture")
    raise PictureError(Reason.NOT_AN_IMAGE, called, "it is not a picture")
