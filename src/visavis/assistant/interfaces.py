"""What the assistant asks of those it works with, beside the parser, the retriever and the editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Turn
from visavis.language.context import Concept, Question
from visavis.stores.base import Hit


@dataclass(frozen=True)
class Moment:
    """The moment in which something might be asked: a ranking was made and the turn is not saved yet.

    Attributes:
        brief: The wishes after the message.
        ranked: The ranking, best first, as deep as the questioner wanted it.
        conversation: The turns before this one.
        message: What was just said.
        answered: The question that it answers, or None.
    """

    brief: Brief
    ranked: Sequence[Hit]
    conversation: Conversation
    message: str = ""
    answered: Question | None = None


#: Is shown a turn with its results and reasons as soon as it is saved, before the question is looked for.
Watch = Callable[[Turn], None]


class Questioner(Protocol):
    """Finds the one question worth asking."""

    @property
    def depth(self) -> int:
        """How many of the best pictures it wants to look at."""

    def ask(self, moment: Moment) -> Question | None:
        """The question, or None where none is worth the person's time. Deterministic, so that replays are."""


class Seer(Protocol):
    """Says what a picture shows."""

    def concepts(self, picture: str, message: str = "") -> tuple[Concept, ...]:
        """The things that the picture with this id shows; what the message names is looked for in any case."""
