"""CAISE records as samples, varied a little each time so that copying is learned and not the words themselves."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from visavis.errors import BadInputError
from visavis.lab.datasets.talk import Row
from visavis.lab.evaluation.caise import CaiseRecord, context_of, earlier_lines, read_records, written_form
from visavis.language.commands import parse_command
from visavis.language.context import Context
from visavis.language.lexicon import colours, things

_NAMES = ("red", "blue", "green", "yellow", "brown", "black", "white", "pink", "orange", "purple", "gray")
_COLOUR = re.compile(rf"\b({'|'.join(_NAMES)}|grey)\b")
_THINGS = tuple(sorted(things()))
_AMOUNTS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 12, 18, 22, 27, 33, 70, 80)


@dataclass(frozen=True)
class _Told:
    """What varies of a record."""

    record: CaiseRecord
    message: str
    context: Context
    command: str


def told_variants(record: CaiseRecord, count: int, seed: int) -> list[tuple[CaiseRecord, str, Context, str]]:
    """A record as it is, and variants of it: record, message, context and command of each."""
    chance = random.Random(seed)
    first = _Told(record, record.message, context_of(record), written_form(record.command))
    found = [first]
    for _ in range(count):
        told = first
        for change in (_other_colours, _other_thing, _other_number):
            if chance.random() < 0.5:
                told = change(told, chance)
        found.append(told)
    return [(told.record, told.message, told.context, told.command) for told in found]


def _other_colours(told: _Told, chance: random.Random) -> _Told:
    """Every colour exchanged for another one, wherever it is said or seen."""
    if told.command.startswith("adjust_color"):
        return told  # not every colour can be a tint
    shuffled = chance.sample(_NAMES, len(_NAMES))
    other = dict(zip(_NAMES, shuffled, strict=True))
    other["grey"] = other["gray"]

    def exchange(text: str) -> str:
        return _COLOUR.sub(lambda found: other[found[0]], text.lower())

    seen = tuple(
        replace(concept, attributes=tuple(map(exchange, concept.attributes))) for concept in told.context.concepts
    )
    return _Told(
        replace(told.record, commands=tuple(map(exchange, told.record.commands))),
        exchange(told.message),
        replace(told.context, concepts=seen),
        exchange(told.command),
    )


def _other_thing(told: _Told, chance: random.Random) -> _Told:
    """The thing that is searched for exchanged for another one, where the request names it."""
    words = told.command.split()
    if words[0] != "search":
        return told
    said = [
        word
        for word in words[1:]
        if word not in colours() and word != "color" and re.search(rf"\b{re.escape(word)}\b", told.message.lower())
    ]
    other = chance.choice(_THINGS).split()
    if not said or len(said) != len(other):
        return told
    message, command = told.message.lower(), told.command
    for old, new in zip(said, other, strict=True):
        message = re.sub(rf"\b{re.escape(old)}\b", new, message)
        command = re.sub(rf"\b{re.escape(old)}\b", new, command)
    return replace(told, message=message, command=command)


def _other_number(told: _Told, chance: random.Random) -> _Told:
    """The one number of a request exchanged for another one."""
    words = told.command.split()
    verb, last = words[0], words[-1]
    numbers = re.findall(r"\d+", told.message)
    if verb not in ("adjust_attr", "rotate") or len(numbers) != 1:
        return told
    old, value, new = int(numbers[0]), float(last), chance.choice(_AMOUNTS)
    if abs(value) == old:
        amount = new if value > 0 else -new
    elif verb == "rotate" and 360 - value == old:
        amount = 360 - new
    else:
        return told
    command = f"{told.command.rsplit(' ', 1)[0]} {amount}"
    return replace(told, message=told.message.replace(numbers[0], str(new)), command=command)


def caise_rows(
    folder: Path, split: str, variants: int, seed: int = 0, *, history: bool = True, concepts: bool = True
) -> Iterator[tuple[int, Row, Sequence[str]]]:
    """The rows of a split, each with its number and with lines from the conversation before.

    Args:
        folder: The folder of the CAISE files.
        split: ``train`` or ``valid``.
        variants: How many variants of each record, beside itself.
        seed: Another one gives other variants.
        history: Whether the conversation before is read (an ablation of the paper).
        concepts: Whether what the picture shows is read (another one).
    """
    for number, record in enumerate(read_records(folder, split)):
        for told, message, context, command in told_variants(record, variants, seed + number):
            try:
                commands = (parse_command(written_form(command)),)
            except BadInputError:
                continue  # a slip of the annotators that is no command
            kept = context if concepts else replace(context, concepts=())
            if not history:
                kept = Context(turns=kept.turns, shown=kept.shown, picture=kept.picture, concepts=kept.concepts)
            yield number, Row(message, kept, commands), earlier_lines(told) if history else ()
