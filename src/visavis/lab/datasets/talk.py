"""The corpus of talk: messages, each with its context and the commands that it means (JSON, one row a line)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError, VisavisError
from visavis.language.commands import Command, parse_command
from visavis.language.context import Context

_KEYS = {"context", "message", "commands", "clarify", "also", "writer"}


@dataclass(frozen=True)
class Row:
    """One message with its meaning.

    Attributes:
        message: What was said.
        context: What was true when it arrived.
        commands: What it means; none where the assistant must ask back.
        clarify: The question to ask back, or None.
        also: Other lists of commands that are just as right.
        writer: Who wrote the row.
    """

    message: str
    context: Context = field(default_factory=Context)
    commands: tuple[Command, ...] = ()
    clarify: str | None = None
    also: tuple[tuple[Command, ...], ...] = ()
    writer: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Row:
        """A row from plain JSON values."""
        unknown = set(value) - _KEYS
        if unknown:
            raise BadInputError(f"A row has no '{min(unknown)}'.", f"Use {', '.join(sorted(_KEYS))}.")
        commands = tuple(map(parse_command, value.get("commands") or ()))
        clarify = value.get("clarify")
        if bool(commands) == (clarify is not None):
            raise BadInputError("A row has either commands or a question to ask back.")
        return cls(
            message=str(value["message"]),
            context=Context.from_json(value.get("context") or {}),
            commands=commands,
            clarify=clarify,
            also=tuple(tuple(map(parse_command, lines)) for lines in value.get("also") or ()),
            writer=str(value.get("writer", "")),
        )


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file, in order.

    Raises:
        NotFoundError: There is no such file.
        BadInputError: A line is no row; the message says which.
    """
    for number, value in _values(path):
        try:
            yield Row.from_json(value)
        except (VisavisError, KeyError, TypeError, AttributeError) as error:
            said = error.message if isinstance(error, VisavisError) else repr(error)
            raise BadInputError(f"{path}:{number}: {said}", "See corpus/guide.md for the form of a row.") from error


def read_all(paths: Iterable[Path]) -> list[Row]:
    """The rows of several files."""
    return [row for path in paths for row in read_rows(path)]


def _values(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise NotFoundError(f"{path} does not exist.", "Give a file with one JSON row a line.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read: {error}.") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise BadInputError(f"{path}:{number} is no JSON: {error}.") from error
