"""From a message to commands: context, readings, new searches, times as days."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from visavis.assistant.draft import TurnDraft
from visavis.assistant.earlier import as_earlier
from visavis.assistant.inquiries import INQUIRIES
from visavis.conversation.brief import NOTHING, Brief
from visavis.conversation.fold import Situation, fold
from visavis.conversation.history import parser_context
from visavis.language import whereabouts
from visavis.language.base import Parser, Understanding
from visavis.language.commands import (
    Clarify,
    Command,
    Filter,
    Refine,
    Reset,
    Search,
    Sort,
    parse_commands,
)
from visavis.language.commands.wishes import TIMES
from visavis.language.context import Attribute, NumberRange, leans_on_picture, singular
from visavis.language.dates import TimeRange, days_text
from visavis.language.english import LITTLE_WORDS, content_words
from visavis.language.grounding import absence_in, without
from visavis.questions.attributes import interest
from visavis.search.taken import YEAR, days_meant, years_between
from visavis.types import Question

if TYPE_CHECKING:
    from visavis.assistant.draft import CollectionView
    from visavis.assistant.inquiries import Seer
    from visavis.assistant.retrieval import ConversationSearch

#: How a noun phrase begins that introduces something new; what follows "something with" is new even as one word.
_INTRODUCED = re.compile(
    r"(?:(?P<any>(?:now |and now )?(?:something|anything|photos|pictures|pics|images|shots)"
    r"(?: (?:with|of|showing|like))? )"
    r"(?:an? |some |the )?|(?:an?|some|two|three|four|five|several) (?!(?:bit|little|lot|few)\b))(?!.*\bones?$)",
    re.IGNORECASE,
)
#: A single word ("a hat") is said of a scene as often as for itself.
_LEAST_WORDS = 2
#: Longer messages are not read: they are pasted by accident rather than written.
LONGEST_MESSAGE = 4000
#: How much of a longer one is saved.
_KEPT = 200
#: Everything that moves the cursor, rings a bell or cannot be written to a database; line breaks and tabs may stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: Years that stand for a time where pictures tell no more than their year: so many at most are listed.
_MOST_YEARS = 40
#: The bound of years that each comparison sets.
_BOUNDS = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}


class MessageReader:
    """Understands the messages of conversations about one collection.

    Args:
        view: The collection's attributes.
        parser: Understands a message in its context.
        seer: Says what the picture shows that a message talks of.
        ranking: Counts the pictures that match, and tells how well those that were shown fit a description.
    """

    def __init__(self, view: CollectionView, parser: Parser, seer: Seer, ranking: ConversationSearch) -> None:
        self._view, self._parser, self._seer, self._ranking = view, parser, seer, ranking

    def read(self, draft: TurnDraft, message: str, state: str, columns: int) -> Understanding:
        """Understand a message, of which control characters were taken out.

        Args:
            draft: The turn that it becomes, as it is before the message.
            message: What is said.
            state: The state of the collection.
            columns: In how many columns pictures are shown.
        """
        last, conversation = draft.before, draft.conversation
        if chosen := chosen_reading(last.question, message):
            return Understanding(chosen, 1.0)
        attributes = self._view.attributes(state)
        picture = last.reference if leans_on_picture(message) else None
        concepts = self._seer.concepts(picture, message) if picture else ()
        context = parser_context(conversation, attributes, columns, concepts)
        understood = settled_inquiry(whereabouts.understand(self._parser, message, context))
        understood = with_topic(as_absence(understood, message, attributes), last.brief)
        situation = draft.situation(self._view.value_of)
        understood = as_new_search(understood, message, last.brief, situation, self._ranking.exact_matches)
        understood = as_other_kind(understood, last.brief, attributes)
        rest = partial(whereabouts.understand, self._parser, context=context)
        return as_earlier(understood, message, conversation, self._ranking.fits, rest)


def as_understood(commands: Sequence[Command]) -> Understanding:
    """Commands as if they had been understood, what has to be asked back set apart."""
    clarify = next((command for command in commands if isinstance(command, Clarify)), None)
    return Understanding(tuple(one for one in commands if not isinstance(one, Clarify)), 1.0, clarify)


def default_parser() -> Parser:
    """The parser that understands most."""
    from visavis.language.parser import NetworkParser

    return NetworkParser()


def readable(message: str) -> str:
    """A message without control characters and halves of characters; the rest as it was typed."""
    return _CONTROL.sub(" ", message[: LONGEST_MESSAGE + 1]).strip()


def too_long(message: str) -> tuple[str, str] | None:
    """For a message that is too long to be read: what to save of it, and what to say. None for all others."""
    if len(message) <= LONGEST_MESSAGE:
        return None
    told = f"That message has {len(message):,} characters; I read at most {LONGEST_MESSAGE:,}. Say it in fewer words."
    return f"{readable(message[:_KEPT])}...", told


def as_new_search(
    understood: Understanding, message: str, brief: Brief, situation: Situation, matches: Callable[[Brief], int | None]
) -> Understanding:
    """The understanding, as a new search where the message describes another picture than the brief.

    That is so where a whole noun phrase shares no word with what is wanted, and either the parser was in doubt whether
    it starts anew, or no picture fits both while some fit the phrase alone.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
        situation: The moment in which it was said.
        matches: Counts the pictures that match a brief; None where that is not known.
    """
    said = message.strip().rstrip(".!")
    begins = _INTRODUCED.match(said)
    if begins is None:
        return understood
    wanted = brief.of("want", "relative")
    described = content_words(said[begins.end("any") :] if begins["any"] else said)
    if not wanted or len(described) < (1 if begins["any"] else _LEAST_WORDS):
        return understood
    if any(described & content_words(wish.text) for wish in wanted):
        return understood
    found = next((text for way in _ways(understood) if (text := _whole(way, described)) is not None), None)
    if found is None:
        return _conditions_alone(understood, brief, situation, matches) if begins["any"] else understood
    search = Search(found)
    if understood.clarify is None and not _apart(search, brief, situation, matches):
        return understood
    return replace(understood, commands=(search,), clarify=None)


#: What people say around a wish that says all: "no, colour photos please".
_AROUND = re.compile(
    r"^(?:(?:no|and|but|also|please|ok|okay|there (?:should|must) be|i (?:only )?want|show(?: me)?|make it)\b[, ]*)+"
    r"|[, ]+(?:please|thanks|thank you)$",
    re.IGNORECASE,
)
#: What stands for the topic in a wish about it.
_PRONOUN = re.compile(r"\b(?:of )?(?:it|them)\b(?!'s)", re.IGNORECASE)
#: A longer topic is a sentence, which does not fit into another one.
_LONGEST_TOPIC = 3


def settled_inquiry(understood: Understanding) -> Understanding:
    """The understanding, without a question that offers only one answer to a question: it changes nothing."""
    ways = _ways(understood) if understood.clarify is not None else []
    if len(ways) != 1 or not all(isinstance(command, INQUIRIES) for command in ways[0]):
        return understood
    return replace(understood, commands=ways[0], clarify=None)


def as_absence(understood: Understanding, message: str, attributes: Mapping[str, Attribute]) -> Understanding:
    """The understanding, as an exclusion where a message says only that nobody, or nothing without colours, is wanted.

    Args:
        understood: What the parser understood.
        message: What was said.
        attributes: The attributes of the collection.
    """
    said = message.strip().rstrip(".!")
    absence = absence_in(said) or absence_in(_AROUND.sub("", said))
    if absence is None or content_words(_AROUND.sub("", absence[0])) - LITTLE_WORDS - {"should", "must", "no"}:
        return understood
    return replace(understood, commands=(without(absence[1], attributes),), clarify=None)


def with_topic(understood: Understanding, brief: Brief) -> Understanding:
    """The understanding, with the topic in place of "it" and "them": "two of them" are two giraffes.

    Args:
        understood: What the parser understood.
        brief: The wishes before it.
    """
    wants = brief.of("want")
    topic = wants[0].text if wants else ""
    if not 0 < len(topic.split()) <= _LONGEST_TOPIC:
        return understood
    made = tuple(
        replace(command, text=_PRONOUN.sub(topic, command.text))
        if isinstance(command, Refine) and not command.relative and _PRONOUN.search(command.text)
        else command
        for command in understood.commands
    )
    return replace(understood, commands=made)


def _conditions_alone(
    understood: Understanding, brief: Brief, situation: Situation, matches: Callable[[Brief], int | None]
) -> Understanding:
    """The understanding, without the wishes before it where only conditions were said that nothing wanted passes."""
    conditions = understood.commands
    if not conditions or not all(isinstance(command, Filter) for command in conditions):
        return understood
    both, alone = brief, NOTHING
    for command in conditions:
        both, alone = fold(both, command, situation), fold(alone, command, situation)
    return replace(understood, commands=(Reset(), *conditions)) if matches(both) == 0 and matches(alone) else understood


def as_other_kind(understood: Understanding, brief: Brief, attributes: Mapping[str, Attribute]) -> Understanding:
    """The understanding, as a new search where a thing is named that is of another kind than the one wanted.

    What is a dress is no tie: "ties", said of dresses, asks for something else.

    Args:
        understood: What the parser understood.
        brief: The wishes before it.
        attributes: The attributes of the collection, with their values.
    """
    wanted = next((wish.text for wish in brief.of("want")), "")
    first = understood.commands[0] if understood.commands else None
    if not wanted or not isinstance(first, Refine | Filter):
        return understood
    for name, values in attributes.items():
        if isinstance(values, NumberRange) or interest(name) != 0:
            continue
        if isinstance(first, Refine):
            kinds = _kinds(first.text, values)
        else:
            said = first.values if first.field == name and first.comparison == "=" else ()
            kinds = {value for value in said if isinstance(value, str)}
        before = _kinds(wanted, values)
        if kinds and before and not kinds & before:
            text = first.text if isinstance(first, Refine) else " or ".join(sorted(kinds)).lower()
            return replace(understood, commands=(Search(text), *understood.commands[1:]))
    return understood


def _kinds(text: str, values: Sequence[str]) -> set[str]:
    """The values of an attribute that are what a text names: those that end in its last word, up to a preposition."""
    said = [singular(word) for word in re.findall(r"[^\W_]+", re.split(r"\b(?:for|with|in|of)\b", text.lower())[0])]
    return {value for value in values if said and value and singular(value.lower().split()[-1]) == said[-1]}


def _ways(understood: Understanding) -> list[tuple[Command, ...]]:
    """What was understood, or what is asked about."""
    if understood.clarify is None:
        return [understood.commands]
    return [parse_commands(line) for _, line in understood.clarify.options if line]


def _whole(commands: tuple[Command, ...], described: frozenset[str]) -> str | None:
    """The text of a reading that takes the whole message as one description; None for another reading."""
    if len(commands) == 1 and isinstance(command := commands[0], Refine | Search):
        return command.text if content_words(command.text) == described else None
    return None


def _apart(search: Search, brief: Brief, situation: Situation, matches: Callable[[Brief], int | None]) -> bool:
    """Whether nothing fits both descriptions, while something fits the new one."""
    if matches(fold(brief, Refine(search.text), situation)) != 0:
        return False
    return bool(matches(fold(brief, search, situation)))


@dataclass(frozen=True)
class OfferedReading:
    """One way to read a message.

    Attributes:
        label: In words.
        commands: What it would do.
        lines: The same in the text form.
    """

    label: str
    commands: tuple[Command, ...]
    lines: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"label": self.label, "commands": list(self.lines)}


def readings_of(question: Question | None) -> tuple[OfferedReading, ...]:
    """The readings that a question offers; none for a question of another kind.

    >>> asked = Question("Which of these?", (("take #2", "select #2"), ("more like #2", "like #2")))
    >>> [reading.label for reading in readings_of(asked)]
    ['take #2', 'more like #2']
    """
    if question is None or question.key or question.form or not all(line for _, line in question.options):
        return ()
    return tuple(OfferedReading(label, *_commands_of(line)) for label, line in question.options if line)


@lru_cache(maxsize=512)
def _commands_of(line: str) -> tuple[tuple[Command, ...], tuple[str, ...]]:
    """The commands of an option and their text form; a question is rendered several times while it waits."""
    commands = parse_commands(line)
    return commands, tuple(str(command) for command in commands)


def chosen_reading(question: Question | None, message: str) -> tuple[Command, ...]:
    """The commands of the reading that a message chooses by its number; none where it chooses none."""
    offered = readings_of(question)
    number = message.strip().rstrip(".)")
    if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= len(offered):
        return ()
    return offered[int(number) - 1].commands


def in_days(commands: Sequence[Command], view: CollectionView, today: date) -> tuple[Command, ...]:
    """Commands in which times are days: "last summer" means something else next year, its days do not.

    Where pictures tell only the year they are from, the time becomes years.

    Raises:
        BadInputError: Words mean no time.
    """
    return tuple(_in_days(command, view, today) for command in commands)


def _in_days(command: Command, view: CollectionView, today: date) -> Command:
    if isinstance(command, Sort) and command.field in TIMES and not view.has(command.field) and view.has(YEAR):
        return replace(command, field=YEAR)
    if not isinstance(command, Filter) or command.field not in TIMES:
        return command
    value = command.values[0]
    if isinstance(value, str):
        found = days_meant(value, today)
    elif isinstance(value, float):
        found = _years(command, value)
    else:
        return command
    if not view.has(command.field) and view.has(YEAR):
        return _in_years(command, found)
    return Filter(command.field, "!=" if command.comparison == "!=" else "=", (days_text(found),))


def _years(command: Filter, year: float) -> TimeRange:
    if command.comparison in _BOUNDS:
        return years_between(**{_BOUNDS[command.comparison]: year})
    years = [value for value in command.values if isinstance(value, float)]
    return years_between(at_least=min(years), at_most=max(years))


def _in_years(command: Filter, found: TimeRange) -> Filter:
    first = found.first.year if found.first else None
    last = found.last.year if found.last else None
    if first is None or last is None or last - first >= _MOST_YEARS:
        bound, comparison = (last, "<=") if first is None else (first, ">=")
        return Filter(YEAR, comparison, (float(bound or 0),))  # type: ignore[arg-type]  # one of the comparisons
    years = tuple(float(year) for year in range(first, last + 1))
    return Filter(YEAR, "!=" if command.comparison == "!=" else "=", years)
