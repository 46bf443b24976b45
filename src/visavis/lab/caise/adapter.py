"""CAISE records as messages in context, and what was read as CAISE commands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from visavis.errors import BadInputError
from visavis.lab.caise.records import CaiseRecord
from visavis.language.base import Reading
from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Command,
    Edit,
    ImageCutout,
    Refine,
    Rotate,
    Search,
    parse_command,
)
from visavis.language.context import Context
from visavis.language.parser import NetworkParser
from visavis.types import Concept

#: The paper's measure does not look at how strongly a colour tints.
STRENGTH = 0.3
#: The annotators search for the thing itself.
_PRAISE = re.compile(r"\b(?:nice|beautiful|good|cute|delicious|fancy|lovely|(?:pair|bunch) of)\s+(?=\w)")


def _concept(pair: str) -> Concept:
    attribute, _, noun = pair.partition(" ")
    return Concept(noun or attribute, (attribute,) if noun else ())


def _command(line: str) -> Command | None:
    words = line.split()
    if words and words[0] == "adjust_attr" and len(words) == 3:
        line = f"adjust_attr {words[1]} {float(words[2]):g}" if re.fullmatch(r"[-+]?\d+(?:\.\d+)?", words[2]) else line
    try:
        return parse_command(line.lower())
    except BadInputError:
        return None


def context_of(record: CaiseRecord) -> Context:
    """The context of a record: the edits since the last search, and what the last picture shows."""
    edits: list[Edit] = []
    for command in map(_command, record.commands):
        if isinstance(command, Edit):
            edits.append(command)
        elif isinstance(command, Search):
            edits = []
    concepts = record.concepts[-1] if record.concepts else ()
    searches = [line for line in record.commands if line.lower().startswith("search ")]
    return Context(
        turns=len(record.commands),
        shown=1 if record.commands else 0,
        columns=1,
        picture=bool(record.commands),
        topic=searches[-1][len("search ") :].lower() if searches else "",
        edits=tuple(edits),
        concepts=tuple(map(_concept, concepts)),
    )


def earlier_lines(record: CaiseRecord) -> list[str]:
    """What the parser is told of the conversation before: the last commands, and what was said last."""
    said = [f"assistant {u.text}" for u in record.request if u.speaker == "assistant"][-1:]
    return [*(command.lower() for command in record.commands[-2:]), *said]


def caise_command(commands: Sequence[Command]) -> str:
    """The one command that CAISE expects: the last that it has a name for, about the whole picture."""
    for command in reversed(commands):
        if isinstance(command, Search | Refine):
            return f"search {_PRAISE.sub('', command.text)}"
        if isinstance(command, AdjustColor):
            return f"adjust_color {command.name} {command.strength:g}"
        if isinstance(command, AdjustAttr) and command.name in ("brightness", "contrast"):
            return f"adjust_attr {command.name} {command.amount:g}"
        if isinstance(command, Rotate):
            return f"rotate {command.degrees:g}"
        if isinstance(command, ImageCutout):
            return "image_cutout"
    return ""


def written_form(command: str) -> str:
    """A command of the data as the parser writes it: lower case, plain numbers, one strength for colours."""
    words = command.lower().replace("'", "").split()
    if words[0] == "adjust_color":
        return f"adjust_color {words[1]} {STRENGTH:g}"
    if words[0] in ("adjust_attr", "rotate"):
        words[-1] = f"{float(words[-1]):g}"
    return " ".join(words)


def predict(parser: NetworkParser, record: CaiseRecord) -> tuple[str, float]:
    """A parser's command for a record, and how sure it is; CAISE expects one where we would ask back."""
    readings: Sequence[Reading] = parser.readings(record.message, context_of(record), earlier_lines(record))
    for reading in readings:
        if command := caise_command(reading.commands):
            return command, reading.probability
    return "", readings[0].probability
