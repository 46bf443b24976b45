"""What one rule sees, and what it gives back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from visavis.language.commands import Command, Edit
from visavis.language.context import Context
from visavis.language.conventions import Conventions

_HELD = re.compile(r"«(\d+)»")


@dataclass(frozen=True)
class Scene:
    """A clause with everything that bears on it.

    Attributes:
        text: The clause in lower case with its spelling put right; quoted passages stand as ``«0»``.
        quotes: The quoted passages as they were written.
        context: The conversation.
        conventions: The amounts for what is left unsaid.
        before: The commands already read from the same message.
        message: The whole message in the same form as the clause.
        earlier: The clauses of the message before this one.
        written: The whole message as it was typed.
    """

    text: str
    quotes: tuple[str, ...]
    context: Context
    conventions: Conventions
    before: tuple[Command, ...] = ()
    message: str = ""
    earlier: str = ""
    written: str = ""

    def quote_in(self, text: str) -> str | None:
        """The first quoted passage that a text refers to."""
        found = _HELD.search(text)
        return self.quotes[int(found[1])] if found and int(found[1]) < len(self.quotes) else None

    def unquoted(self, text: str) -> str:
        """A text with its quoted passages back in place."""
        return _HELD.sub(lambda found: self.quotes[int(found[1])], text)

    def as_written(self, text: str) -> str:
        """A passage of the clause with the capitals it was typed with, where it can be found again."""
        found = re.search(r"\s+".join(map(re.escape, text.split())), self.written, re.IGNORECASE)
        return found[0] if found else text

    def with_text(self, text: str) -> Scene:
        """The same scene for another clause."""
        return replace(self, text=text)

    @property
    def last_edit(self) -> Edit | None:
        """The edit that "again" and "a bit more" refer to."""
        for command in reversed((*self.context.edits, *self.before)):
            if isinstance(command, Edit):
                return command
        return None

    @property
    def in_hand(self) -> bool:
        """Whether talk of "it" is about one picture: it is in hand, or the conversation has only begun."""
        return self.context.picture or self.context.turns == 0 or any(isinstance(c, Edit) for c in self.before)


@dataclass(frozen=True)
class Reading:
    """What a rule made of a clause.

    Attributes:
        commands: The commands, in order; a ``Clarify`` among them is a question back.
        confidence: How sure the rule is, 0..1.
        rest: What it left over, to be read as a clause of its own.
        rest_first: Whether that clause comes before these commands.
        follows: Whether it is about the edit before; two such remarks in a row are one, and it amends one just said.
    """

    commands: tuple[Command, ...]
    confidence: float = 0.9
    rest: str = ""
    rest_first: bool = False
    follows: bool = False


Rule = Callable[[Scene], Reading | None]


def read(*commands: Command, confidence: float = 0.9, rest: str = "") -> Reading:
    """A reading of these commands."""
    return Reading(commands, confidence, rest)
