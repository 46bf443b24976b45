"""Scripts: messages from a file, one JSON object a line in, one out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from visavis.assistant import Assistant
from visavis.assistant.reply_json import reply_json
from visavis.conversation.conversation import Conversation
from visavis.errors import BadInputError

#: Standard input instead of a file.
STANDARD_INPUT = "-"
_HELP = 'Each line is an object such as {"message": "a red dress"} or {"changes": ["off 1.1"]}.'


def play(
    assistant: Assistant, conversation: Conversation, script: str, retriever: str | None = None
) -> Iterator[dict[str, Any]]:
    """Send the messages of a script, one after the other, and yield each turn as JSON."""
    for number, line in _lines(script):
        entry = _read(line, f"{script}, line {number}")
        if isinstance(entry, str):
            turn = assistant.reply(conversation, entry, retriever=retriever)
            retriever = None  # chosen; a change of the script may choose another
        else:
            turn = assistant.revise(conversation, *entry)
        yield reply_json(turn, assistant.collection)


def _lines(script: str) -> Iterator[tuple[int, str]]:
    try:
        if script == STANDARD_INPUT:
            yield from _of(sys.stdin)
        else:
            with Path(script).open(encoding="utf-8") as file:
                yield from _of(file)
    except UnicodeDecodeError as error:
        raise BadInputError(f"The script {script} is no UTF-8 text: {error.reason}.", _HELP) from error
    except OSError as error:
        raise BadInputError(f"The script {script} cannot be read: {error.strerror}.", "Check the path.") from error


def _of(file: IO[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            yield number, line


def _read(line: str, where: str) -> str | list[str]:
    """A message, or changes to wishes."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{where} is not JSON.", _HELP) from error
    match value:
        case {"message": str(message)}:
            return message
        case {"changes": [*changes]} if changes and all(isinstance(one, str) for one in changes):
            return [str(one) for one in changes]
        case _:
            raise BadInputError(f"{where} has no message.", _HELP)
