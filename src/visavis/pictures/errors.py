"""Why a file cannot be used as a picture: one reason code a file, so that a scan can continue and report it."""

from __future__ import annotations

from enum import StrEnum

from visavis.errors import BadInputError


class FailureReason(StrEnum):
    """Reason codes, which can be stored, counted and tested."""

    MISSING = "missing"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    NOT_AN_IMAGE = "not-an-image"
    MISLABELLED = "mislabelled"
    UNSUPPORTED = "unsupported"
    TRUNCATED = "truncated"
    DAMAGED = "damaged"
    TOO_LARGE = "too-large"
    OUTSIDE = "outside"


REMEDIES = {
    FailureReason.MISSING: "Check the path.",
    FailureReason.UNREADABLE: "Check that it is a file and that you may read it.",
    FailureReason.EMPTY: "Copy it again from where it came.",
    FailureReason.NOT_AN_IMAGE: "Give a JPEG, PNG, WebP, GIF, TIFF, BMP, AVIF, JPEG 2000 or HEIC file.",
    FailureReason.MISLABELLED: "Its name promises a picture: rename it, or fetch the picture again.",
    FailureReason.UNSUPPORTED: "Convert it to JPEG, PNG or WebP.",
    FailureReason.TRUNCATED: "Copy or download it again: its end is missing.",
    FailureReason.DAMAGED: "Copy it again, or open and save it anew in an image editor.",
    FailureReason.TOO_LARGE: "Scale it down, or raise the limit.",
    FailureReason.OUTSIDE: "Index its own folder, or give --follow-links.",
}


class PictureError(BadInputError):
    """A file cannot be used as a picture.

    Attributes:
        reason: The reason code.
        name: The file, or the caller's name for the bytes.
    """

    def __init__(self, reason: FailureReason, name: str, detail: str, remedy: str | None = None) -> None:
        super().__init__(f"{name}: {detail}.", REMEDIES[reason] if remedy is None else remedy)
        self.reason = reason
        self.name = name
        self.detail = detail

    def __reduce__(self) -> tuple[type[PictureError], tuple[FailureReason, str, str, str]]:
        # Exceptions are pickled with their message alone, which would fail when a worker process returns one.
        return type(self), (self.reason, self.name, self.detail, self.remedy)
