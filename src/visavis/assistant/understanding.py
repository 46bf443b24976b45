"""From a message to commands: context, readings, new searches, times as days."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from visavis.assistant.draft import TurnDraft
from visavis.assistant.earlier import as_earlier
from visavis.assistant.edits import about_one_picture
from visavis.assistant.products import any_of_kinds, as_listed, beside_makers, for_whom, still_for, without_unseen
from visavis.assistant.topics import (
    after_nothing,
    as_new_search,
    as_other_kind,
    as_told,
    as_wider,
    dropped_as_said,
    settled_doubt,
    ways_of,
    with_topic,
)
from visavis.conversation.aspects import aspect_of
from visavis.conversation.brief import Brief
from visavis.conversation.contradictions import topic_of
from visavis.conversation.history import parser_context
from visavis.language import whereabouts
from visavis.language.base import Parser, Understanding
from visavis.language.commands import (
    Avoid,
    Clarify,
    Command,
    Compare,
    Count,
    Filter,
    Known,
    PictureRef,
    Redo,
    Refine,
    Remove,
    Repeat,
    Reset,
    Rollback,
    Search,
    Shown,
    Undo,
    Unlike,
    Values,
    commands_text,
    parse_commands,
)
from visavis.language.commands.base import PictureCommand
from visavis.language.context import Attribute, Context, NumberRange, leans_on_picture, singular
from visavis.language.english import LITTLE_WORDS, absence_in, content_words, hidden_numbers, is_general, without
from visavis.language.grounding import plain_answer
from visavis.pictures.derived import BLACK_AND_WHITE, TONES
from visavis.questions.attributes import interest, words_of_name
from visavis.search.captions import names_tones
from visavis.types import Question

if TYPE_CHECKING:
    from visavis.assistant.draft import CollectionView
    from visavis.assistant.inquiries import Seer
    from visavis.assistant.retrieval import ConversationSearch

#: Longer messages are not read: they are pasted by accident rather than written.
LONGEST_MESSAGE = 4000
#: How much of a longer one is saved.
_KEPT = 200
#: Everything that moves the cursor, rings a bell or cannot be written to a database; line breaks and tabs may stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


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
        moment = last.brief, draft.situation(self._view.value_of), self._ranking.exact_matches
        attributes, shown = self._view.attributes(state), len(draft.seen)
        if chosen := chosen_reading(last.question, message):
            return as_other_kind(Understanding(chosen, 1.0), attributes, *moment)
        picture = last.reference and draft.this if leans_on_picture(message) else None
        concepts = self._seer.concepts(picture, message) if picture else ()
        if concepts and (known := self._view.known(picture or "")) is not None:
            concepts = as_listed(concepts, known.attributes, attributes)
        context = replace(parser_context(conversation, attributes, columns, concepts), shown=shown)
        understood = whereabouts.understand(self._parser, message, context)
        if last.question is not None and plain_answer(message, last.question) is not None:
            return understood  # "something else", said of a choice, is no new subject
        understood = settled_doubt(about_one_picture(understood, last), *moment)
        understood = not_deleted(understood, message)
        understood = counting_conditions(understood, partial(self._parser.understand, context=context))
        understood = about_kinds(as_exclusion(understood, context), message, attributes)
        understood = with_topic(as_absence(understood, message, attributes), last.brief)
        understood = with_noun(understood, message, last.brief)
        understood = for_whom(dropped_as_said(by_tones(understood, attributes), message), message, attributes)
        understood = as_wider(understood, message, last.brief, attributes)
        understood = any_of_kinds(beside_makers(understood, message, last.brief, self._view.is_maker), attributes)
        understood = without_unseen(understood, message, attributes, self._view.is_written)
        told = as_told(understood, message, last.question)
        if told is understood:
            understood = after_nothing(as_new_search(understood, message, *moment), message, *moment)
            told = as_other_kind(understood, attributes, *moment)
        going_back = replace(context, picture=False, concepts=(), edits=(), recent=0)  # what is in hand is laid down
        rest = partial(whereabouts.understand, self._parser, context=going_back)
        told = still_for(told, message, last.brief, attributes, lambda turn: conversation.turn(turn).message)
        return as_seen(as_earlier(told, message, conversation, self._ranking.fits, rest), draft.shown)


def as_understood(commands: Sequence[Command]) -> Understanding:
    """Commands as if they had been understood, what has to be asked back set apart."""
    clarify = next((command for command in commands if isinstance(command, Clarify)), None)
    return Understanding(tuple(one for one in commands if not isinstance(one, Clarify)), 1.0, clarify)


def readable(message: str) -> str:
    """A message without control characters and halves of characters; the rest as it was typed."""
    return _CONTROL.sub(" ", message[: LONGEST_MESSAGE + 1]).strip()


def too_long(message: str) -> tuple[str, str] | None:
    """For a message that is too long to be read: what to save of it, and what to say. None for all others."""
    if len(message) <= LONGEST_MESSAGE:
        return None
    told = f"That message has {len(message):,} characters; I read at most {LONGEST_MESSAGE:,}. Say it in fewer words."
    return f"{readable(message[:_KEPT])}...", told


#: What people say around a wish that says all: "no, colour photos please".
_AROUND = re.compile(
    r"^(?:(?:no|and|but|also|please|ok|okay|there (?:should|must) be|i (?:only )?want|show(?: me)?|make it)\b[, ]*)+"
    r"|[, ]+(?:please|thanks|thank you)$",
    re.IGNORECASE,
)


#: Who says this means a file, not a wish.
_DELETES = re.compile(r"\b(?:delete|erase|trash)\b", re.IGNORECASE)


def not_deleted(understood: Understanding, message: str) -> Understanding:
    """The understanding, where a picture is to be deleted, as a question: here it can only leave the results."""
    commands = understood.commands
    if not _DELETES.search(message) or not commands or not all(isinstance(command, Unlike) for command in commands):
        return understood
    it = "it" if len(commands) == 1 else "them"
    offered = ((f"take {it} out of these results", commands_text(commands)),)
    clarify = Clarify("Nothing is deleted here: your pictures stay where they are.", offered)
    return replace(understood, commands=(), clarify=clarify)


def counting_conditions(understood: Understanding, read: Callable[[str], Understanding]) -> Understanding:
    """The understanding, where what is counted by a number ("under 25 bucks") is a condition: ``count price < 25``.

    Args:
        understood: What the parser understood.
        read: Understands words that are said of the results.
    """
    made = tuple(_conditions_counted(command, read) for command in understood.commands)
    return replace(understood, commands=made) if made != understood.commands else understood


def _conditions_counted(command: Command, read: Callable[[str], Understanding]) -> Command:
    if not isinstance(command, Count) or not command.text:
        return command
    if not (re.search(r"\d", command.text) or hidden_numbers(command.text)):
        return command
    commands = read(command.text).commands
    conditions = [str(one).removeprefix("filter ") for one in commands if isinstance(one, Filter)]
    words = [one.text for one in commands if isinstance(one, Search | Refine)]
    if not conditions or len(words) > 1 or len(conditions) + len(words) < len(commands):
        return command
    return Count("; ".join((*words, *conditions)))


#: A question for the kinds of things there are.
_KINDS = re.compile(r"\b(?P<name>kind|type|sort|categor(?:y|ie))s?\b", re.IGNORECASE)


#: How a question for all that there is begins; "what is this" and "what is in it" are asked of one picture.
_FOR_ALL = re.compile(
    r"(?:what|which)\b(?!(?:'s| is| are) (?:this|it|that|here|in (?:this|here|it|the (?:photo|picture|image)))\b)"
    r"|give me an overview",
    re.IGNORECASE,
)


def about_kinds(understood: Understanding, message: str, attributes: Mapping[str, Attribute]) -> Understanding:
    """The understanding, as a list of the kinds of things where these were asked for and not named.

    Args:
        understood: What the parser understood.
        message: What was said.
        attributes: The attributes of the collection, with their values.
    """
    if _FOR_ALL.match(message.strip()) and is_general(message):
        understood = replace(understood, commands=(Values("pictures"),), clarify=None, reply=None)
    asked, ways = _KINDS.search(message), ways_of(understood)
    if asked is None or not ways or not all(len(way) == 1 and isinstance(way[0], Values) for way in ways):
        return understood
    named_kinds = ((name, values) for name, values in attributes.items() if interest(name) == 0)
    kinds = {name: len(values) for name, values in named_kinds if not isinstance(values, NumberRange)}
    said = {singular(word) for word in re.findall(r"\w+", message.lower())}
    if not kinds or any(words_of_name(name)[-1] in said for name in attributes if name not in kinds):
        return understood
    named = [name for name in kinds if words_of_name(name)[-1] == singular(asked["name"].lower())]
    field = max(named or kinds, key=lambda name: kinds[name])
    return replace(understood, commands=(Values(field),), clarify=None)


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


def with_noun(understood: Understanding, message: str, brief: Brief) -> Understanding:
    """The understanding, with the topic's noun behind what "one" was said of: "not a whole one", of pizza.

    A value of its own aspect (a colour, a pattern) is known to be the topic's.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
    """
    return replace(understood, commands=tuple(_with_noun(one, message, brief) for one in understood.commands))


def _with_noun(command: Command, message: str, brief: Brief) -> Command:
    if not isinstance(command, Avoid) or not re.search(rf"\b{re.escape(command.text)} ones?\b", message, re.IGNORECASE):
        return command
    noun = topic_of(brief.wishes)
    return replace(command, text=f"{command.text} {noun}") if noun and not aspect_of(command.text, noun) else command


def as_seen(understood: Understanding, shown: Sequence[str]) -> Understanding:
    """The understanding, in which "#2" is a picture's id where none of the results is meant: these alone are kept.

    Args:
        understood: What the parser understood.
        shown: The pictures that are seen instead of the results; none where the results are.
    """
    if not shown or any(isinstance(command, Undo | Redo | Rollback) for command in understood.commands):
        return understood  # what an earlier turn showed
    clarify = understood.clarify
    if clarify is not None:
        lines = ((label, _seen(parse_commands(line), shown) if line else ()) for label, line in clarify.options)
        options = tuple((label, commands_text(commands) or None) for label, commands in lines)
        clarify = replace(clarify, options=options)
    return replace(understood, commands=_seen(understood.commands, shown), clarify=clarify)


def _seen(commands: Sequence[Command], shown: Sequence[str]) -> tuple[Command, ...]:
    def known(reference: PictureRef | Known) -> PictureRef | Known:
        if isinstance(reference, Shown) and reference.number <= len(shown):
            return Known(shown[reference.number - 1])
        return reference

    def pointed(command: Command) -> Command:
        match command:
            case PictureCommand(picture):
                return replace(command, picture=known(picture))
            case Compare(pictures):
                return replace(command, pictures=tuple(map(known, pictures)))
            case Repeat(pictures=pictures):
                return replace(command, pictures=tuple(map(known, pictures)))
        return command

    return tuple(map(pointed, commands))


#: Where in a picture a thing is: said of one picture, not of many.
_WHERE = re.compile(r"\b(?:left|right|top|bottom|middle|cent(?:er|re)|corner|background|foreground|front|behind)\b")


def as_exclusion(understood: Understanding, context: Context) -> Understanding:
    """The understanding, where a thing is to be removed and no picture is in hand: pictures that show it are left out.

    Args:
        understood: What the parser understood.
        context: The conversation.
    """
    alone = len(understood.commands) == 1 and not context.picture and context.shown > 1
    command = understood.commands[0] if alone else None
    if not isinstance(command, Remove) or command.target is None or _WHERE.search(command.target):
        return understood
    return replace(understood, commands=(Avoid(command.target),))


def by_tones(understood: Understanding, attributes: Mapping[str, Attribute]) -> Understanding:
    """The understanding, with conditions for what is said of black and white pictures, where these were measured.

    Args:
        understood: What the parser understood.
        attributes: The attributes of the collection.
    """
    if TONES not in attributes:
        return understood
    return replace(understood, commands=tuple(one for command in understood.commands for one in _toned(command)))


def _toned(command: Command) -> tuple[Command, ...]:
    match command:
        case Avoid(text) if names_tones(text):
            return (Filter(TONES, "!=", (BLACK_AND_WHITE,)),)
        case Refine(text) if names_tones(text):
            return (Filter(TONES, "=", (BLACK_AND_WHITE,)),)
        case Search(text) if names_tones(text):
            return (Reset(), Filter(TONES, "=", (BLACK_AND_WHITE,)))
        case _:
            return (command,)


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


def waits(question: Question | None) -> bool:
    """Whether a question goes on waiting while something else is asked: what to do, but not how a message was meant."""
    return question is not None and not question.key and not readings_of(question)


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
