"""The context that a parser reads beside the message, and whether a message refers to the picture in hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from visavis.errors import BadInputError, NotFoundError
from visavis.language.commands import (
    Answer,
    Avoid,
    Command,
    Edit,
    Filter,
    Like,
    Refine,
    Reset,
    Search,
    Select,
    Undo,
    Unlike,
    parse_command,
    parse_commands,
)
from visavis.types import Concept, Question

#: Keys of a turn that go into the context as they are.
_GIVEN = ("columns", "question", "attributes", "concepts")


@dataclass(frozen=True)
class NumberRange:
    """The smallest and the largest value of a numeric attribute in the collection."""

    low: float
    high: float


Attribute = tuple[str, ...] | NumberRange
_NOTHING: Mapping[str, Attribute] = MappingProxyType({})


@dataclass(frozen=True)
class Context:
    """The conversation as far as understanding a message depends on it.

    Attributes:
        turns: How many turns there were.
        shown: How many pictures the last turn shows.
        columns: In how many columns they are shown; 0 where that is not known.
        picture: Whether one picture is in hand: selected, or just edited.
        topic: The description that the present results answer.
        topics: The topics of the last turns, the present one last; none where they are not known.
        question: The question that waits for an answer.
        attributes: The collection's attributes: the values of each, or the range of a numeric one.
        edits: The edits made to the picture in hand, oldest first.
        concepts: What the picture in hand shows.
        begins: Whether nothing was said before, so that there is nothing to go back to or to point at; where no turns
            are stated otherwise, any may have happened.
        recent: How many of the edits the last message made, so that an undo takes back just these; 0 where it takes
            back anything else.
    """

    turns: int = 0
    shown: int = 0
    columns: int = 0
    picture: bool = False
    topic: str = ""
    topics: tuple[str, ...] = ()
    question: Question | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=lambda: _NOTHING)
    edits: tuple[Edit, ...] = ()
    concepts: tuple[Concept, ...] = ()
    recent: int = 1
    begins: bool = False

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """A context from plain JSON values; unknown keys are refused, so that a misspelt key is noticed."""
        unknown = set(value) - set(cls.__dataclass_fields__)
        if unknown:
            raise BadInputError(f"A context has no '{min(unknown)}'.", f"Use {', '.join(cls.__dataclass_fields__)}.")
        try:
            return cls(**{name: _READERS.get(name, _plain)(item) for name, item in value.items()})
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise BadInputError(
                f"The context is not understood: {error}.", "See docs/language.md for its form."
            ) from error


def refusals(question: Question) -> tuple[str, ...]:
    """The commands that say "none of these" to a question; none where an option cannot be refused."""
    filters: dict[str, Filter] = {}
    refused: list[Command] = []
    for command in (one for _, line in question.options if line for one in parse_commands(line)):
        match command:
            case Refine():
                refused.append(Avoid(command.text))
            case Like():
                refused.append(Unlike(command.picture))
            case Filter(comparison="="):
                values = filters[command.field].values if command.field in filters else ()
                filters[command.field] = Filter(command.field, "!=", (*values, *command.values))
    return tuple(str(command) for command in (*refused, *filters.values()))


def is_answer(commands: Iterable[Command], question: Question) -> bool:
    """Whether commands answer a question: one that it offers or that refuses all, an answer, a description."""
    lines = [line for _, line in question.options if line]
    offered = {str(command) for line in (*lines, *refusals(question)) for command in parse_commands(line)}
    is_open = question.form == "open"
    return any(
        isinstance(command, Answer) or str(command) in offered or (is_open and isinstance(command, Refine | Avoid))
        for command in commands
    )


def _plain(value: Any) -> Any:
    return value


def _read_question(value: Any) -> Question | None:
    if value is None or isinstance(value, str):
        return Question(value) if value else None
    return Question(value["text"], tuple(dict(value.get("options", {})).items()))


def _read_attributes(value: Any) -> Mapping[str, Attribute]:
    return MappingProxyType(
        {
            name: NumberRange(float(item["min"]), float(item["max"]))
            if isinstance(item, Mapping)
            else tuple(map(str, item))
            for name, item in value.items()
        }
    )


def _read_edits(value: Any) -> tuple[Command, ...]:
    return tuple(command for command in map(parse_command, value) if isinstance(command, Edit))


def _read_concepts(value: Any) -> tuple[Concept, ...]:
    return tuple(Concept.from_json(item) for item in value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "topics": tuple,
    "question": _read_question,
    "attributes": _read_attributes,
    "edits": _read_edits,
    "concepts": _read_concepts,
}


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
            elif isinstance(command, Refine | Filter):
                told = command.in_words if isinstance(command, Filter) else command.text
                topic = ", ".join(filter(None, (topic, told)))
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


_THING = r"(?:what's (?:that|this)|object|thing|item|stuff|product|accessory|accessories|article|gadget)s?"
_LEANS = re.compile(
    rf"\b{_THING}\b|\b(?:colou?r|shade|tone|hue)s?\b.*\b(?:of|as|on|with|to|from)\b|"
    r"\b(?:match\w*|goes? with)\b.*\b(?:the|her|his|their|that)\b|\b(?:same|similar)\b.*\b(?:colou?r|shade|tone|hue)\b|"
    r"\bwhat (?:the|she|he|they|is)\b|\b(?:wear|hold|carry)(?:s|ing)\b|\b(?:worn|held)\b",
    re.IGNORECASE,
)
_STOP = frozenset(
    (
        "the a an of in on at to by with which that is are was were be it its this these those and or her his "
        "their she he they above image picture photo side left right top bottom middle center corner one first "
        "second third same seen shown kept placed wearing holding worn hold wears having has have from front back "
        "behind near next lying sitting standing colour color colored coloured shade tone most extreme upper lower "
        "small big whole complete entire there here"
    ).split()
)


#: Plurals of nouns in -f; "waves" and "gloves" are none.
_VES = frozenset("calves halves hooves leaves loaves scarves sheaves shelves thieves wolves themselves".split())
#: Nouns in -oe.
_OES = frozenset("shoes toes canoes oboes hoes".split())


def singular(noun: str) -> str:
    """A noun in the singular, near enough for comparing."""
    noun = re.sub(r"'s$|s'$|'$", "", noun)
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun in _VES:
        return noun[:-3] + "f"
    if noun.endswith(("ches", "shes", "sses", "xes", "oes")) and noun not in _OES:
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us")) and len(noun) > 3 else noun


@lru_cache(maxsize=256)
def values_named(text: str, values: tuple[str, ...]) -> frozenset[str]:
    """The values of an attribute that are what a text names: those that end in its last word, up to a preposition.

    >>> sorted(values_named("red ties for men", ("Ties", "Dresses", "Bow ties")))
    ['Bow ties', 'Ties']
    """
    words = re.findall(r"[^\W_]+", re.split(r"\b(?:for|with|in|of)\b", text.lower())[0])
    named = singular(words[-1]) if words else ""
    return frozenset(value for value in values if named and value and singular(value.lower().split()[-1]) == named)


def nouns_in(phrase: str) -> list[str]:
    """The words of a phrase that can name a thing, the head of the phrase first.

    "the girl's jacket" has the head "jacket", "cap of the bottle" has "cap", "wine kept in the glass" has "wine".
    """
    phrase = re.sub(r"[^a-z' -]", " ", phrase.lower())
    parts = re.split(
        r"\b(?:of|in|on|at|which|that|who|worn|kept|seen|from|with|near|next|behind|under|inside|beside|"
        r"besides|the \w+ is|is|are|wearing|holding)\b",
        phrase,
    )
    ordered: list[str] = []
    for part in parts:
        words = [word for word in part.split() if word not in _STOP and word.strip("'")]
        ordered.extend(reversed(words))
    return list(dict.fromkeys(ordered))


def leans_on_picture(message: str) -> bool:
    """Whether a message may be about things in a picture, so that it is worth looking at it.

    >>> leans_on_picture("a towel in the colour of the girl's jacket"), leans_on_picture("in red")
    (True, False)
    """
    return _LEANS.search(message) is not None
