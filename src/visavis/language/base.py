"""What every parser does (a message and its context in, commands out), and parsers by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from visavis.errors import BadInputError
from visavis.language.commands import Clarify, Command
from visavis.language.context import Context

NO_CONTEXT = Context()


@dataclass(frozen=True)
class Reading:
    """One way to read a message.

    Attributes:
        commands: What it would ask for; empty where the parser would rather ask back.
        probability: How likely it is meant, 0..1.
    """

    commands: tuple[Command, ...]
    probability: float

    def lines(self) -> list[str]:
        """The text forms of the commands."""
        return [str(command) for command in self.commands]


@dataclass(frozen=True)
class Understanding:
    """What a message asks for.

    Attributes:
        commands: What to do, in order; empty when only a question back or a polite reply is due.
        confidence: How sure the parser is, 0..1.
        clarify: The question to ask back, when something that matters is unclear.
        reply: What to say when there is nothing to do.
        parser: Which parser understood it.
        alternatives: The likeliest readings, best first; none where there was nothing to weigh.
    """

    commands: tuple[Command, ...] = ()
    confidence: float = 0.0
    clarify: Clarify | None = None
    reply: str | None = None
    parser: str = ""
    alternatives: tuple[Reading, ...] = ()

    def lines(self) -> list[str]:
        """The text forms of the commands."""
        return [str(command) for command in self.commands]


class Parser(ABC):
    """Turns messages into commands. A parser never fails on a message: what it cannot read becomes small talk."""

    name: str

    @abstractmethod
    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        """What a message asks for, in its context."""


NAMES = ("network", "llm")


def open_parser(name: str = "network", weights: Path | None = None) -> Parser:
    """A parser by its name; nothing is loaded before it first reads something.

    Args:
        name: ``network`` or ``llm``.
        weights: Other weights of the network than those that ship.
    """
    from visavis.language.parser import NetworkParser

    if name == "network":
        return NetworkParser(weights)
    if name == "llm":
        from visavis.language.llm import LlmParser

        return LlmParser.from_settings(NetworkParser(weights))
    raise BadInputError(f"There is no parser '{name}'.", f"Use one of {', '.join(NAMES)}.")
