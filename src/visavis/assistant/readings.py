"""The readings of a message that could be meant in several ways: each is a button, a number, and commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from visavis.language.commands import Command, parse_commands
from visavis.types import Question


@dataclass(frozen=True)
class OfferedReading:
    """One way to read a message.

    Attributes:
        label: In words.
        commands: What it would do.
    """

    label: str
    commands: tuple[Command, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"label": self.label, "commands": [str(command) for command in self.commands]}


def readings_of(question: Question | None) -> tuple[OfferedReading, ...]:
    """The readings that a question offers; none for a question of another kind.

    >>> asked = Question("Which of these?", (("take #2", "select #2"), ("more like #2", "like #2")))
    >>> [reading.label for reading in readings_of(asked)]
    ['take #2', 'more like #2']
    """
    if question is None or question.key or question.form or not all(line for _, line in question.options):
        return ()
    return tuple(OfferedReading(label, parse_commands(line)) for label, line in question.options if line)


def chosen_reading(question: Question | None, message: str) -> tuple[Command, ...]:
    """The commands of the reading that a message chooses by its number; none where it chooses none."""
    offered = readings_of(question)
    number = message.strip().rstrip(".)")
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= len(offered):
        return ()
    return offered[int(number) - 1].commands
