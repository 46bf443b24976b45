"""A picture: what is known of one image, whichever file it lies in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

#: What an attribute of a picture may be; the same kinds that a store can filter on.
AttributeValue = str | int | float | bool | list[str]
Attributes = Mapping[str, AttributeValue]


def content_id(data: bytes | bytearray | memoryview) -> str:
    """The id of a picture: 128 bits of the hash of its file's bytes, as 32 hexadecimal digits (so it is a UUID too)."""
    return blake2b(data, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Details:
    """The words and attributes that came with a picture; its title, where it has one, is the attribute ``title``."""

    captions: tuple[str, ...] = ()
    attributes: Attributes = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.captions or self.attributes)

    def over(self, other: Details) -> Details:
        """These details laid over others: this one's captions first, its attributes win."""
        captions = tuple(dict.fromkeys((*self.captions, *other.captions)))
        return Details(captions, {**other.attributes, **self.attributes})


@dataclass(frozen=True)
class Origin:
    """Where an edited picture came from: the picture it was made of, and the commands in order."""

    source_id: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """One image, known by its content.

    Attributes:
        id: The first 128 bits of the hash of its bytes, in hexadecimal.
        paths: Every file that holds it now (more than one: duplicates); for a missing one, where it last lay.
        width: In pixels, upright.
        height: In pixels, upright.
        bytes: Size of the file.
        format: "JPEG", "PNG", ...
        details: Its captions and attributes.
        origin: Set for an edited picture.
        missing: Whether no file holds it any more.
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
        """The file to show: the first, in the order of their names."""
        return self.paths[0] if self.paths else ""

    @property
    def title(self) -> str:
        """Its title, or an empty text."""
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
