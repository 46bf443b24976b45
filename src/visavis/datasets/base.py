"""What the readers give: pictures with captions, or pictures with classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from visavis.errors import NotFoundError

Item = TypeVar("Item")


@dataclass(frozen=True)
class CaptionedPicture:
    """A picture and what people say about it."""

    path: Path
    captions: tuple[str, ...]


@dataclass(frozen=True)
class CaptionedSet:
    """Pictures with captions.

    Attributes:
        name: What to call the set in a report.
        pictures: In the order of the set's own file.
        absent: How many pictures the set names whose files are not here.
    """

    name: str
    pictures: tuple[CaptionedPicture, ...]
    absent: int = 0

    def limited(self, limit: int | None) -> CaptionedSet:
        """At most ``limit`` of its pictures, spread over the whole set."""
        return replace(self, pictures=spread(self.pictures, limit))


@dataclass(frozen=True)
class LabelledPicture:
    """A picture and the place of its class in the set's ``classes``."""

    path: Path
    label: int


@dataclass(frozen=True)
class LabelledSet:
    """Pictures sorted into named classes."""

    name: str
    classes: tuple[str, ...]
    pictures: tuple[LabelledPicture, ...]

    def limited(self, limit: int | None) -> LabelledSet:
        """At most ``limit`` of its pictures, spread over the whole set."""
        return replace(self, pictures=spread(self.pictures, limit))


def spread(items: Sequence[Item], limit: int | None) -> tuple[Item, ...]:
    """At most ``limit`` items at even distances.

    >>> spread("abcdefgh", 3)
    ('a', 'c', 'f')
    """
    if limit is None or limit >= len(items):
        return tuple(items)
    return tuple(items[place * len(items) // limit] for place in range(limit))


def captioned_set(name: str, pictures: Sequence[CaptionedPicture], where: Path) -> CaptionedSet:
    """A set of those pictures whose files are here.

    Raises:
        NotFoundError: None of them is; it says where they were looked for.
    """
    here = tuple(picture for picture in pictures if picture.path.is_file())
    if not here:
        example = f" (for example {pictures[0].path.name})" if pictures else ""
        raise NotFoundError(f"None of the {len(pictures)} pictures of {name} lies in {where}{example}.")
    return CaptionedSet(name, here, absent=len(pictures) - len(here))
