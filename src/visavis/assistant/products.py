"""Products: kinds, makers, whom they are for. Kinds and makers are alternatives, a person is a condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from visavis.assistant.topics import REPLACES
from visavis.collections.words import index_words
from visavis.conversation.aspects import aspect_of, described, without_aspect
from visavis.conversation.brief import Brief, comparison
from visavis.conversation.contradictions import ways_in
from visavis.language.base import Understanding
from visavis.language.commands import Command, Filter, Forget, Refine, Search
from visavis.language.context import Attribute, NumberRange, values_named
from visavis.questions.attributes import interest
from visavis.search.values import values_for
from visavis.search.words import asked_words

#: Tells whether a text is the name of a maker.
IsMaker = Callable[[str], bool]
#: Words of the longest name.
_LONGEST = 3
_AND = re.compile(r"\s*(?:,|&|\band\b)\s*", re.IGNORECASE)


def beside_makers(understood: Understanding, message: str, brief: Brief, is_maker: IsMaker) -> Understanding:
    """The understanding, with one more maker beside the one that is wanted: "and adidas", said of nike shoes.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
        is_maker: Tells whether a text is the name of a maker.
    """
    made: list[Command] = []
    for command in understood.commands:
        match command:
            case Refine(relative=False) if is_maker(command.text):
                made += _beside(command, brief, is_maker, replaces=bool(REPLACES.search(message)))
            case Search() | Refine(relative=False) if _AND.search(command.text):
                made.append(replace(command, text=_either(command.text, is_maker)))
            case _:
                made.append(command)
    return understood if tuple(made) == understood.commands else replace(understood, commands=tuple(made))


def _beside(command: Refine, brief: Brief, is_maker: IsMaker, *, replaces: bool) -> Iterator[Command]:
    for wish in brief.of("want"):
        ways = ways_in(wish.text)
        makers = [maker_of(way, is_maker) for way in ways]
        if not makers[-1]:
            continue
        if any(set(asked_words(maker)) == set(asked_words(command.text)) for maker in makers):
            break
        other = ways[-1].replace(makers[-1], command.text, 1)
        if replaces:
            yield Forget(wish.text)
        yield Refine(other if replaces else " or ".join((*ways, other)))
        return
    yield command


def maker_of(text: str, is_maker: IsMaker) -> str:
    """The maker that a description names, in its own letters; an empty text where it names none."""
    words = text.split()
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            if is_maker(name := " ".join(words[at : at + length])):
                return name
    return ""


def _either(text: str, is_maker: IsMaker) -> str:
    """A description in which makers are alternatives: "nike or adidas shoes" for "nike and adidas shoes"."""
    for joint in reversed(list(_AND.finditer(text))):
        before, after = text[: joint.start()].split(), text[joint.end() :].split()
        ends = any(is_maker(" ".join(before[-length:])) for length in range(1, min(_LONGEST, len(before)) + 1))
        begins = any(is_maker(" ".join(after[:length])) for length in range(1, min(_LONGEST, len(after)) + 1))
        if ends and begins:
            text = f"{text[: joint.start()]} or {text[joint.end() :]}"
    return text


def any_of_kinds(understood: Understanding, attributes: Mapping[str, Attribute]) -> Understanding:
    """The understanding, with things of several kinds as alternatives: no product is "flip flops, shorts and a cap".

    Args:
        understood: What the parser understood.
        attributes: The attributes of the collection, with their values.
    """
    kinds = [values for name, values in attributes.items() if interest(name) == 0]
    listed = [value for values in kinds if not isinstance(values, NumberRange) for value in values]
    if not listed:
        return understood
    made = tuple(
        replace(command, text=_any_of(command.text, tuple(listed)))
        if isinstance(command, Search) or (isinstance(command, Refine) and not command.relative)
        else command
        for command in understood.commands
    )
    return understood if made == understood.commands else replace(understood, commands=made)


def _any_of(text: str, listed: tuple[str, ...]) -> str:
    parts = [part for part in _AND.split(text) if part]
    named = [values_named(part, listed) for part in parts]
    apart = len(parts) > 1 and all(named) and not any(one & other for one, other in combinations(named, 2))
    return " or ".join(parts) if apart else text


def still_for(
    understood: Understanding, message: str, brief: Brief, attributes: Mapping[str, Attribute]
) -> Understanding:
    """The understanding, where another thing is looked for, with the people whom the one before was for.

    Who looks for a watch instead of a bag still gives it to his wife.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
        attributes: The attributes of the collection, with their values.
    """
    if not understood.commands or not isinstance(understood.commands[0], Search):
        return understood
    for wish in brief.of("filter"):
        values, stands = attributes.get(wish.attribute, ()), comparison(wish)
        if interest(wish.attribute) != interest("gender") or isinstance(values, NumberRange) or stands is None:
            continue
        said = any(values_for(word, values) or _named(word, values) for word in index_words(message))
        given = any(isinstance(one, Filter) and one.field == wish.attribute for one in understood.commands)
        if not said and not given:
            return replace(understood, commands=(*understood.commands, stands))
    return understood


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
