"""Commands about what the person wants to see."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from visavis.errors import BadInputError
from visavis.language.commands.base import (
    AtTurn,
    Command,
    PictureCommand,
    PictureRef,
    TextCommand,
    one_line,
    read_reference,
)
from visavis.language.relative import Change, relative_changes


@dataclass(frozen=True)
class Search(TextCommand):
    """Start over with a new description: ``search red dress``."""

    verb: ClassVar[str] = "search"


@dataclass(frozen=True)
class Refine(TextCommand):
    """Add a wish to those that hold already: ``refine in red``, ``refine longer sleeves``, ``refine less formal``."""

    verb: ClassVar[str] = "refine"

    @property
    def changes(self) -> tuple[Change, ...]:
        """Its relative wishes ("longer sleeves"), measured from the picture in hand; none if it is absolute."""
        return relative_changes(self.text)

    @property
    def relative(self) -> bool:
        """Whether it compares with what was shown instead of describing what to show."""
        return bool(self.changes)


@dataclass(frozen=True)
class Avoid(TextCommand):
    """Exclude something: ``avoid people``."""

    verb: ClassVar[str] = "avoid"


@dataclass(frozen=True)
class Forget(TextCommand):
    """Drop the wishes and filters about something: ``forget price``."""

    verb: ClassVar[str] = "forget"


@dataclass(frozen=True)
class Answer(TextCommand):
    """Reply to the question that was asked: ``answer yes``, ``answer a blue one``."""

    verb: ClassVar[str] = "answer"


@dataclass(frozen=True)
class Keep(Command):
    """Hold on to one aspect of an earlier turn or a picture: ``keep colour @2``, ``keep sleeves of #3``."""

    verb: ClassVar[str] = "keep"
    attribute: str
    source: PictureRef | AtTurn

    def __post_init__(self) -> None:
        object.__setattr__(self, "attribute", one_line(self.attribute, "attribute to keep"))

    def _arguments(self) -> str:
        link = "" if isinstance(self.source, AtTurn) else "of "
        return f"{self.attribute} {link}{self.source}"

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        found = re.fullmatch(r"(.+) (?:(@\d+)|of (#\d+|this))", text)
        if not found:
            raise BadInputError(
                f"'keep {text}' does not say of what.", "Write 'keep colour @2' or 'keep colour of #3'."
            )
        return cls(found[1], read_reference(found[2] or found[3]))


@dataclass(frozen=True)
class Like(PictureCommand):
    """More in the direction of a picture: ``like #4``."""

    verb: ClassVar[str] = "like"


@dataclass(frozen=True)
class Unlike(PictureCommand):
    """Away from a picture: ``unlike #4``."""

    verb: ClassVar[str] = "unlike"


@dataclass(frozen=True)
class Select(PictureCommand):
    """Take a picture in hand, to edit it or to talk about it: ``select #3``."""

    verb: ClassVar[str] = "select"
