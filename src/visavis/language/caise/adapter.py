"""CAISE records as messages in context, and understandings as CAISE commands."""

from __future__ import annotations

import re

from visavis.errors import BadInputError
from visavis.language.base import Parser, Understanding
from visavis.language.caise.records import Record
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
from visavis.language.context import Concept, Context
from visavis.language.conventions import Conventions
from visavis.language.learned import LearnedParser
from visavis.language.tokens import Encoded, decode_target, encode_input

#: What the annotators did when nothing was said: a turn without direction is anticlockwise, "a little" is 10 or 20.
#: The annotators ask for some colours more than for others, and no colour goes unanswered.
_PRIOR = {"red": 0.8, "orange": 0.0, "green": 0.2, "blue": 0.3, "skyblue": -0.4, "purple": -0.4, "brown": 0.4}
_PRIOR |= {"yellow": 0.5, "pink": 0.2, "black": -0.2, "white": -0.6, "grey": -0.6}
CAISE_CONVENTIONS = Conventions(
    ask_direction=False,
    turn=10,
    small_turn=10,
    step=20,
    small_step=20,
    big_step=40,
    again_is_same=True,
    replaces=False,
    colour_prior=_PRIOR,
)


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


def context_of(record: Record) -> Context:
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


def caise_command(understanding: Understanding) -> str:
    """The one command that CAISE expects: the last that it has a name for, about the whole picture."""
    for command in reversed(understanding.commands):
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


def predict(parser: Parser, record: Record) -> tuple[str, float]:
    """A parser's command for a record, and how sure it is."""
    understanding = parser.understand(record.message, context_of(record))
    return caise_command(understanding), understanding.confidence


def written_form(command: str) -> str:
    """A command of the data as the learned parser writes it: lower case, plain numbers, one strength for colours."""
    words = command.lower().replace("'", "").split()
    if words[0] == "adjust_color":
        return f"adjust_color {words[1]} {CAISE_CONVENTIONS.strength:g}"
    if words[0] in ("adjust_attr", "rotate"):
        words[-1] = f"{float(words[-1]):g}"
    return " ".join(words)


def encode_record(record: Record, context: Context | None = None, message: str | None = None) -> Encoded:
    """A record as the learned parser reads it: with the last commands and the assistant's reply."""
    said = [utterance.text for utterance in record.request if utterance.speaker == "assistant"][-1:]
    earlier = [*(command.lower() for command in record.commands[-2:]), *(f"assistant {text}" for text in said)]
    return encode_input(
        record.message if message is None else message, context_of(record) if context is None else context, earlier
    )


def predict_learned(parser: LearnedParser, record: Record) -> tuple[str, float]:
    """The learned parser's command for a record, and how sure it is."""
    written = parser.write(encode_record(record))
    lines = decode_target(written.pieces)
    return (lines[0] if lines else ""), written.confidence
