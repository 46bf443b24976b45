"""``visavis understand``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from visavis.apps.cli.output import JsonOption, print_json


class ParserName(StrEnum):
    """Which parser reads the message."""

    rules = "rules"
    learned = "learned"
    combined = "combined"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(understand)


def understand(
    message: Annotated[str, typer.Argument(help="What the person says.")],
    history: Annotated[
        Path | None, typer.Option("--history", help="The turns before it: a JSONL file, one object a turn.")
    ] = None,
    parser: Annotated[ParserName, typer.Option("--parser", help="Which parser reads it.")] = ParserName.combined,
    json: JsonOption = False,
) -> None:
    """Print the commands that a message asks for; nothing is searched or changed.

    Examples:
        visavis understand "find me a kid's umbrella"

        visavis understand "rotate it clockwise by 90 and add some contrast" --json

        visavis understand "a bit more" --history conversation.jsonl --json
    """
    from visavis.language.combined import PARSERS
    from visavis.language.context import Context
    from visavis.language.history import context_of_turns, read_history

    context = context_of_turns(read_history(history)) if history else Context()
    understanding = PARSERS[parser.value]().understand(message, context)
    answer: dict[str, Any] = {"commands": understanding.lines()}
    if understanding.reply:
        answer["reply"] = understanding.reply
    if understanding.clarify:
        answer["clarify"] = {
            "question": understanding.clarify.question,
            "options": dict(understanding.clarify.options),
        }
    if json:
        print_json(answer)
        return
    for line in answer["commands"]:
        typer.echo(line)
    if understanding.reply:
        typer.echo(f"({understanding.reply})")
    if understanding.clarify:
        typer.echo(f"? {understanding.clarify.question}")
        for label, command in understanding.clarify.options:
            typer.echo(f"  {label}" + (f": {command}" if command else ""))
