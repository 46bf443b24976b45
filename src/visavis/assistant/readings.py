"""The readings of a message that could be meant in several ways: each is a button, a number, and commands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from visavis.language.commands import Command, parse_commands
from visavis.types import Question


@dataclass(frozen=True)
class OfferedReading:
    """One way to read a message.

    Attributes:
        label: In words.
        commands: What it would do.
        lines: The same in the text form.
    """

    label: str
    commands: tuple[Command, ...]
    lines: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"label": self.label, "commands": list(self.lines)}


def readings_of(question: Question | None) -> tuple[OfferedReading, ...]:
    """The readings that a question offers; none for a question of another kind.

    >>> asked = Question("Which of these?", (("take #2", "select #2"), ("more like #2", "like #2")))
    >>> [reading.label for reading in readings_of(asked)]
    ['take #2', 'more like #2']
    """
    if question is None or question.key or question.form or not all(line for _, line in question.options):
        return ()
    return tuple(OfferedReading(label, *_commands_of(line)) for label, line in question.options if line)


@lru_cache(maxsize=512)
def _commands_of(line: str) -> tuple[tuple[Command, ...], tuple[str, ...]]:
    """The commands of an option and their text form; a question is rendered several times while it waits."""
    commands = parse_commands(line)
    return commands, tuple(str(command) for command in commands)


def chosen_reading(question: Question | None, message: str) -> tuple[Command, ...]:
    """The commands of the reading that a message chooses by its number; none where it chooses none."""
    offered = readings_of(question)
    number = message.strip().rstrip(".)")
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= len(offered):
        return ()
    return offered[int(number) - 1].commands
