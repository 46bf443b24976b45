"""A picture as its collection knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: What an attribute of a picture may be; the same kinds that a store can filter on.
AttributeValue = str | int | float | bool | list[str]
Attributes = Mapping[str, AttributeValue]


@dataclass(frozen=True)
class Details:
    """The words and attributes that came with a picture."""

    captions: tuple[str, ...] = ()
    attributes: Attributes = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.captions or self.attributes)


@dataclass(frozen=True)
class Origin:
    """Where an edited picture came from: the picture it was made of, and the commands in order."""

    source_id: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """One picture of a collection.

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
