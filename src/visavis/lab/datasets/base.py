"""Data sets of pictures with captions, with classes, or of a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from visavis.errors import NotFoundError

Item = TypeVar("Item")


@dataclass(frozen=True)
class CaptionedPicture:
    """A picture and its captions."""

    path: Path
    captions: tuple[str, ...]


@dataclass(frozen=True)
class CaptionedSet:
    """Pictures with captions.

    Attributes:
        name: The set's name in a report.
        pictures: In the order of the set's own file.
        absent: How many pictures of the set have no file here.
    """

    name: str
    pictures: tuple[CaptionedPicture, ...]
    absent: int = 0

    def limited(self, limit: int | None) -> CaptionedSet:
        """Return at most ``limit`` of its pictures, spread over the whole set."""
        return replace(self, pictures=spread(self.pictures, limit))


@dataclass(frozen=True)
class ProtocolPicture:
    """A picture of a benchmark's gallery.

    Attributes:
        id: Its id in results: the name of its file, COCO's number or a product's.
        path: Its file.
        captions: Its captions.
        attributes: Its attributes in the catalogue.
        split: Its split; empty where the set has none.
        also: Another name that its file may have.
    """

    id: str
    path: Path
    captions: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    split: str = ""
    also: str = ""

    def is_target(self, split: str) -> bool:
        """Return whether it may be a target: it is of this split, or of a set without splits."""
        return self.split in ("", split)


@dataclass(frozen=True)
class LabelledPicture:
    """A picture and the index of its class in the set's ``classes``."""

    path: Path
    label: int


@dataclass(frozen=True)
class LabelledSet:
    """Pictures with class labels."""

    name: str
    classes: tuple[str, ...]
    pictures: tuple[LabelledPicture, ...]

    def limited(self, limit: int | None) -> LabelledSet:
        """Return at most ``limit`` of its pictures, spread over the whole set."""
        return replace(self, pictures=spread(self.pictures, limit))


def spread(items: Sequence[Item], limit: int | None) -> tuple[Item, ...]:
    """Return at most ``limit`` items at even distances.

    >>> spread("abcdefgh", 3)
    ('a', 'c', 'f')
    """
    if limit is None or limit >= len(items):
        return tuple(items)
    return tuple(items[place * len(items) // limit] for place in range(limit))


def captioned_set(name: str, pictures: Sequence[CaptionedPicture], where: Path) -> CaptionedSet:
    """Create a set of the pictures whose files exist.

    Raises:
        NotFoundError: None of them does; the message has the folder.
    """
    here = tuple(picture for picture in pictures if picture.path.is_file())
    if not here:
        example = f" (for example {pictures[0].path.name})" if pictures else ""
        raise NotFoundError(f"None of the {len(pictures)} pictures of {name} lies in {where}{example}.")
    return CaptionedSet(name, here, absent=len(pictures) - len(here))
