"""The record of a picture, whichever files contain it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b, file_digest
from io import BufferedReader

from visavis.errors import BadInputError

#: The types of an attribute's value; the same that a store can filter on.
AttributeValue = str | int | float | bool | list[str]
Attributes = Mapping[str, AttributeValue]


def content_id(data: bytes | bytearray | memoryview) -> str:
    """Return a picture's id: 128 bits of the hash of its bytes, as 32 hexadecimal digits (so it is a UUID too)."""
    return blake2b(data, digest_size=16).hexdigest()


def content_id_of(file: BufferedReader) -> str:
    """Return the id of a picture whose file is open, a part of which is in memory at a time."""
    return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()


@dataclass(frozen=True)
class Details:
    """The captions and attributes of a picture; its title, if any, is the attribute ``title``."""

    captions: tuple[str, ...] = ()
    attributes: Attributes = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.captions or self.attributes)

    def over(self, other: Details) -> Details:
        """Merge with other details: these captions come first, these attributes take precedence."""
        captions = tuple(dict.fromkeys((*self.captions, *other.captions)))
        return Details(captions, {**other.attributes, **self.attributes})


@dataclass(frozen=True)
class Origin:
    """The provenance of an edited picture: its source picture, and the commands in order."""

    source_id: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """One image, identified by its content.

    Attributes:
        id: The first 128 bits of the hash of its bytes, in hexadecimal.
        paths: Every file with this content (more than one: duplicates); for a missing one, its last path.
        width: In pixels, upright.
        height: In pixels, upright.
        bytes: Size of the file.
        format: "JPEG", "PNG", ...
        details: Its captions and attributes.
        origin: Set for an edited picture.
        missing: Whether no file has this content any more.
    """

    id: str
    paths: tuple[str, ...]
    width: int
    height: int
    bytes: int
    format: str
    details: Details = field(default_factory=Details)
    origin: Origin | None = None
    missing: bool = False

    @property
    def path(self) -> str:
        """The first path, in the order of names."""
        return self.paths[0] if self.paths else ""

    @property
    def title(self) -> str:
        """The title, or an empty text."""
        return str(self.details.attributes.get("title", ""))

    @property
    def caption(self) -> str:
        """The first caption, or an empty text."""
        return self.details.captions[0] if self.details.captions else ""

    @property
    def captions(self) -> tuple[str, ...]:
        """Every caption."""
        return self.details.captions

    @property
    def attributes(self) -> Attributes:
        """Every attribute."""
        return self.details.attributes


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
