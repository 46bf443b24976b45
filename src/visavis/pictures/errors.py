"""Why a file is not a picture we can use: one named reason a file, so that a walk can go on and tell."""

from __future__ import annotations

from enum import StrEnum

from visavis.errors import BadInputError


class Reason(StrEnum):
    """What is wrong with a file, in one word that can be stored, counted and tested."""

    MISSING = "missing"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    NOT_AN_IMAGE = "not-an-image"
    MISLABELLED = "mislabelled"
    UNSUPPORTED = "unsupported"
    TRUNCATED = "truncated"
    DAMAGED = "damaged"
    TOO_LARGE = "too-large"


REMEDIES = {
    Reason.MISSING: "Check the path.",
    Reason.UNREADABLE: "Check that it is a file and that you may read it.",
    Reason.EMPTY: "Copy it again from where it came.",
    Reason.NOT_AN_IMAGE: "Give a JPEG, PNG, WebP, GIF, TIFF, BMP, AVIF, JPEG 2000 or HEIC file.",
    Reason.MISLABELLED: "Its name promises a picture: rename it, or fetch the picture again.",
    Reason.UNSUPPORTED: "Convert it to JPEG, PNG or WebP.",
    Reason.TRUNCATED: "Copy or download it again: its end is missing.",
    Reason.DAMAGED: "Copy it again, or open and save it anew in an image editor.",
    Reason.TOO_LARGE: "Scale it down, or raise the limit.",
}


class PictureError(BadInputError):
    """One file cannot be used as a picture.

    Attributes:
        reason: What is wrong, as one word.
        name: The file (or whatever the caller called the bytes).
    """

    def __init__(self, reason: Reason, name: str, detail: str, remedy: str | None = None) -> None:
        super().__init__(f"{name}: {detail}.", REMEDIES[reason] if remedy is None else remedy)
        self.reason = reason
        self.name = name
        self.detail = detail

    def __reduce__(self) -> tuple[type[PictureError], tuple[Reason, str, str, str]]:
        # The base class would be rebuilt from its message alone, and fail, on the way back from another process.
        return type(self), (self.reason, self.name, self.detail, self.remedy)
