"""A context from a written conversation: one JSON object a turn, as ``visavis chat --script`` prints them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.language.commands import Command, Edit, Reset, Search, Select, Undo, parse_command
from visavis.language.context import Context

#: Keys of a turn that go into the context as they are.
_GIVEN = ("columns", "question", "attributes", "concepts")


def read_history(path: Path) -> list[dict[str, Any]]:
    """The turns of a JSONL file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise NotFoundError(f"{path} does not exist.", "Give a file with one JSON object a turn.") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text: {error}.") from error
    turns = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            turn = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadInputError(f"{path}, line {number}, is no JSON: {error}.") from error
        if not isinstance(turn, dict):
            raise BadInputError(
                f"{path}, line {number}, is no JSON object.", 'Write {"message": ..., "commands": [...]}.'
            )
        turns.append(turn)
    return turns


def context_of_turns(turns: Iterable[Mapping[str, Any]]) -> Context:
    """What a parser has to know after these turns.

    Each turn may have ``commands`` (text forms), ``results`` (a list) or ``shown`` (a number), and ``columns``,
    ``question``, ``attributes`` and ``concepts`` as in a context; of these the last one given counts.
    """
    known: dict[str, Any] = {}
    count, edits, in_hand, topic = 0, list[str](), False, ""
    for turn in turns:
        count += 1
        known["question"] = None
        known |= {key: turn[key] for key in _GIVEN if key in turn}
        if "results" in turn or "shown" in turn:
            known["shown"] = int(turn["shown"]) if "shown" in turn else len(turn["results"])
        for command in _commands(turn):
            if isinstance(command, Search | Reset):
                edits, in_hand = [], False
                topic = command.text if isinstance(command, Search) else ""
            elif isinstance(command, Select):
                edits, in_hand = [], True
            elif isinstance(command, Edit):
                edits.append(str(command))
                in_hand = True
            elif isinstance(command, Undo):
                edits = edits[: -command.steps]
    return Context.from_json({**known, "turns": count, "edits": edits, "picture": in_hand, "topic": topic})


def _commands(turn: Mapping[str, Any]) -> list[Command]:
    lines = turn.get("commands", [])
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise BadInputError(f"The commands of a turn must be a list of lines, but are {lines!r}.")
    return [parse_command(line) for line in lines]
