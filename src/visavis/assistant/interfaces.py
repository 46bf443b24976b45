"""What the assistant asks of those it works with, beside the parser, the retriever and the editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.language.commands import Command
from visavis.language.context import Concept, Question
from visavis.retrieval.base import Result
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


@dataclass(frozen=True)
class Glimpse:
    """What is known so far of a turn in the making. It is not saved yet, so it may still come to nothing.

    Attributes:
        number: The number that the turn will have.
        message: What was said.
        commands: What was understood.
        brief: The wishes.
        results: What will be shown.
        explained: Whether the results have their reasons already.
    """

    number: int
    message: str
    commands: tuple[Command, ...]
    brief: Brief
    results: tuple[Result, ...]
    explained: bool


#: Is told of a turn in the making: its results as soon as they are ranked, then again with their reasons.
Watch = Callable[[Glimpse], None]


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
