"""Whom a catalogue's things are for: "for my son" and "for women" are conditions, not how a thing looks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from visavis.collections.words import index_words
from visavis.conversation.aspects import aspect_of, described, without_aspect
from visavis.language.base import Understanding
from visavis.language.commands import Command, Filter, Refine, Search
from visavis.language.context import Attribute, NumberRange
from visavis.questions.attributes import interest
from visavis.search.values import values_for

#: Whom a thing is for; the word for a person stands among the first three.
_FOR = re.compile(r"\bfor (?:my|our|his|her|their|the|an?)\s+((?:[^\W\d_]+(?:['’]s)?\s*){1,3})", re.IGNORECASE)


def for_whom(understood: Understanding, message: str, attributes: Mapping[str, Attribute]) -> Understanding:
    """The understanding, with the people whom a catalogue's things are for, where a thing is wanted for somebody.

    "Shoes for my husband" are men's. The person is no part of how a thing looks, so that a parser leaves them out; and
    what is for everybody is for him, too. "For women", said of what was found, is a value of the catalogue.

    Args:
        understood: What the parser understood.
        message: What was said.
        attributes: The attributes of the collection, with their values.
    """
    for name, values in attributes.items():
        if isinstance(values, NumberRange) or interest(name) != interest("gender"):
            continue
        commands = tuple(one for command in understood.commands for one in _as_condition(command, name, values))
        commands = _for_somebody(commands, message, name, values)
        if commands != understood.commands:
            return replace(understood, commands=commands)
    return understood


def _for_somebody(
    commands: tuple[Command, ...], message: str, name: str, values: tuple[str, ...]
) -> tuple[Command, ...]:
    """Commands with the values that the persons in a message stand for, instead of any narrower ones."""
    said = " ".join(found[1] for found in _FOR.finditer(message))
    meant = values_for(said, values) if said else ()
    if not meant:
        return commands
    held = [command for command in commands if isinstance(command, Filter) and command.field == name]
    condition = Filter(name, "=", meant)
    if not held:
        searches = any(isinstance(command, Search | Refine) for command in commands)
        return (*commands, condition) if searches else commands
    literal = set(index_words(message))
    narrower = [
        one
        for one in held
        if one.comparison == "=" and set(one.values) < set(meant) and not literal & set(index_words(str(one)))
    ]
    return tuple(condition if command in narrower else command for command in commands)


def _as_condition(command: Command, name: str, values: tuple[str, ...]) -> tuple[Command, ...]:
    """A refinement by the people a thing is for as a condition, and the rest of it."""
    if not isinstance(command, Refine) or command.relative:
        return (command,)
    alone = aspect_of(command.text)
    said = [alone] if alone is not None else [found.aspect for found in described(command.text)]
    people = " ".join(one.value for one in said if one.name == "gender" and not one.part) or command.text
    meant = _named(people, values)
    if not meant:
        return (command,)
    rest = "" if people == command.text or alone is not None else without_aspect(command.text, "gender")
    condition = Filter(name, "=", meant)
    return (Refine(rest), condition) if rest else (condition,)


def _named(people: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values that words for people are; what they stand for where they are none; nothing for other words."""
    words = index_words(people)
    literal = tuple(value for value in values if set(index_words(value)) <= set(words))
    if literal and {word for value in literal for word in index_words(value)} == set(words):
        return literal
    return values_for(people, values) if words and all(values_for(word, values) for word in words) else ()
