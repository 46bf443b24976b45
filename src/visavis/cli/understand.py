"""``visavis understand``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from visavis.cli.output import JsonOption, ParserWeightsOption, print_json


class ParserName(StrEnum):
    """Which parser reads the message."""

    network = "network"
    llm = "llm"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(understand)


def understand(
    message: Annotated[str, Argument(help="What the person says.")],
    history: Annotated[
        Path | None, Option("--history", help="The turns before it: a JSONL file, one object a turn.")
    ] = None,
    parser: Annotated[ParserName, Option("--parser", help="Which parser reads it.")] = ParserName.network,
    weights: ParserWeightsOption = None,
    json: JsonOption = False,
) -> None:
    """Print the commands that a message asks for; nothing is searched or changed.

    Where it is not sure, it asks, and shows the likeliest readings.

    Examples:
        visavis understand "find me a kid's umbrella"

        visavis understand "rotate it clockwise by 90 and add some contrast" --json

        visavis understand "a bit more" --history conversation.jsonl --json
    """
    from visavis.language.base import open_parser
    from visavis.language.context import Context, context_of_turns, read_history

    context = context_of_turns(read_history(history)) if history else Context()
    understanding = open_parser(parser.value, weights).understand(message, context)
    answer: dict[str, Any] = {"commands": understanding.lines(), "confidence": round(understanding.confidence, 4)}
    if understanding.alternatives:
        answer["alternatives"] = [
            {"commands": reading.lines(), "probability": round(reading.probability, 4)}
            for reading in understanding.alternatives
        ]
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
