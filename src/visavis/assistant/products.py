"""Products: their kinds, who makes them, whom they are for, and what no picture of them shows.

Kinds and makers are alternatives, a person is a condition, and what only the catalogue could tell is no wish.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import combinations

from visavis.assistant.topics import REPLACES, ways_of
from visavis.collections.words import index_words
from visavis.conversation.aspects import aspect_of, described, without_aspect
from visavis.conversation.brief import Brief, comparison
from visavis.conversation.contradictions import is_colour, ways_in
from visavis.language.base import Understanding, question_about
from visavis.language.commands import Clarify, Command, Filter, Forget, Refine, Reset, Search, commands_text
from visavis.language.context import Attribute, NumberRange, singular, values_named
from visavis.language.lexicon import colours
from visavis.pictures.picture import AttributeValue
from visavis.questions.attributes import interest
from visavis.search.values import values_for
from visavis.search.words import asked_words
from visavis.types import Concept

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
    listed = kinds_listed(attributes)
    if not listed:
        return understood
    made = tuple(
        replace(command, text=_any_of(command.text, listed))
        if isinstance(command, Search) or (isinstance(command, Refine) and not command.relative)
        else command
        for command in understood.commands
    )
    return understood if made == understood.commands else replace(understood, commands=made)


def kinds_listed(attributes: Mapping[str, Attribute]) -> tuple[str, ...]:
    """The kinds of things that a collection lists."""
    kinds = (values for name, values in attributes.items() if interest(name) == 0)
    return tuple(value for values in kinds if not isinstance(values, NumberRange) for value in values)


def _any_of(text: str, listed: tuple[str, ...]) -> str:
    parts = [part for part in _AND.split(text) if part]
    named = [values_named(part, listed) for part in parts]
    apart = len(parts) > 1 and all(named) and not any(one & other for one, other in combinations(named, 2))
    return " or ".join(parts) if apart else text


def still_for(
    understood: Understanding,
    message: str,
    brief: Brief,
    attributes: Mapping[str, Attribute],
    said_in: Callable[[int], str] = str,
) -> Understanding:
    """The understanding, where another thing is looked for, with the people whom the one before was for.

    Who looks for a watch instead of a bag still gives it to his wife; where it was said for whom ("for my brother"),
    that holds for whatever is looked for next.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
        attributes: The attributes of the collection, with their values.
        said_in: Gives the message of a turn.
    """
    first = understood.commands[0] if understood.commands else None
    if not isinstance(first, Search | Reset) or len(understood.commands) < (1 if isinstance(first, Search) else 2):
        return understood
    of_a_kind = any(isinstance(one, Filter) and interest(one.field) == 0 for one in understood.commands)
    of_a_kind |= isinstance(first, Search) and bool(values_named(first.text, kinds_listed(attributes)))
    for wish in brief.of("filter"):
        if not of_a_kind and not _FOR.search(said_in(wish.turn)):
            continue
        values, stands = attributes.get(wish.attribute, ()), comparison(wish)
        if interest(wish.attribute) != interest("gender") or isinstance(values, NumberRange) or stands is None:
            continue
        said = any(values_for(word, values) or _named(word, values) for word in index_words(message))
        given = any(isinstance(one, Filter) and one.field == wish.attribute for one in understood.commands)
        if not said and not given:
            return replace(understood, commands=(*understood.commands, stands))
    return understood


#: Whom a thing is for; the word for a person stands among the first three.
_FOR = re.compile(
    r"\bfor (?:my|our|his|her|their|the|an?)\s+(?:\d+[- ]?(?:years?|yrs?|months?)[- ]old\s+)?"
    r"((?:[^\W\d_]+(?:['’]s)?\s*){1,3})",
    re.IGNORECASE,
)


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


def as_listed(
    concepts: Sequence[Concept], known: Mapping[str, AttributeValue], attributes: Mapping[str, Attribute]
) -> tuple[Concept, ...]:
    """What a picture shows, in the colour that the catalogue tells of the thing, not in those of its pixels.

    The model, the background and the light have colours, too; a brown bag may look red.

    Args:
        concepts: What was seen.
        known: The picture's own attributes.
        attributes: The attributes of the collection, with their values.
    """
    told = [str(value) for name, value in known.items() if is_colour(name) and isinstance(value, str)]
    kinds = [value for name, value in known.items() if name in attributes and interest(name) == 0]
    if not told or not kinds:
        return tuple(concepts)
    thing = Concept(" ".join(map(singular, str(kinds[0]).lower().split())), (told[0].lower(),))
    plain = (replace(one, attributes=tuple(a for a in one.attributes if a not in colours())) for one in concepts)
    return (thing, *plain)


#: Attributes that only pictures of things that are sold have.
SOLD = frozenset(("price", "cost", "brand", "maker", "designer", "manufacturer"))


@dataclass(frozen=True)
class UnseenFact:
    """What no picture of a thing shows, so that only the catalogue can tell it.

    Attributes:
        name: What it is called.
        attributes: The attributes that would tell it.
        said: How it is said of a thing that is wanted.
        asked: How it is said in a question; all of ``said`` as well.
    """

    name: str
    attributes: frozenset[str]
    said: re.Pattern[str]
    asked: re.Pattern[str]

    def told_by(self, names: Iterable[str]) -> str | None:
        """The attribute, of some, that tells it."""
        return next((name for name in names if name.lower() in self.attributes), None)


@cache
def unseen_facts() -> tuple[UnseenFact, ...]:
    """The table of them."""
    lines = files(__package__).joinpath("unseen.txt").read_text("utf-8").splitlines()
    return tuple(_fact(line) for line in lines if line and not line.startswith("#"))


def _fact(line: str) -> UnseenFact:
    name, attributes, said, asked = (part.strip() for part in line.split("|"))
    wanted = rf"(?:\b(?:in|of|with|made (?:of|from)) )?\b(?P<what>{_either_of(said)})\b"
    question = rf"\b(?P<what>{_either_of(f'{said}, {asked}')})\b"
    every = (re.compile(pattern, re.IGNORECASE) for pattern in (wanted, question))
    return UnseenFact(name, frozenset(attributes.split()), *every)


def _either_of(phrases: str) -> str:
    """A pattern for any of some phrases; one that nothing fits where there are none."""
    said = (re.escape(phrase.strip()).replace(r"\ ", " ") for phrase in phrases.split(",") if phrase.strip())
    ways = [re.sub(r"^\\?# ", r"\\d+(?:[.,]\\d+)? ?", one).replace(r"\#", r"\d+(?:[.,]\d+)?") + "s?" for one in said]
    return "|".join(ways) or "(?!)"


def without_unseen(
    understood: Understanding, message: str, attributes: Mapping[str, Attribute], is_written: Callable[[str], bool]
) -> Understanding:
    """The understanding, where what no picture shows is no wish to be seen but a condition: "size 38" of shoes.

    A condition on what no attribute tells is left aside, and the reply says so. What some title or caption says stays.

    Args:
        understood: What the parser understood.
        message: What was said.
        attributes: The attributes of the collection.
        is_written: Tells whether any title or caption says something.
    """
    if not SOLD & attributes.keys():
        return understood
    ways = ways_of(understood)
    seen = [tuple(one for each in way for one in _seen(each, message, attributes, is_written)) for way in ways]
    if seen == ways or not seen:
        return understood
    seen = list(dict.fromkeys(seen))
    if understood.clarify is None or len(seen) == 1:
        return replace(understood, commands=seen[0], clarify=None)
    question, labels = question_about(seen)
    options = tuple((label, commands_text(way)) for label, way in zip(labels, seen, strict=True))
    return replace(understood, clarify=Clarify(question, options))


def _seen(
    command: Command, message: str, attributes: Mapping[str, Attribute], is_written: Callable[[str], bool]
) -> Iterator[Command]:
    if isinstance(command, Filter):
        yield _measured(command, message, attributes, is_written)
        return
    if not isinstance(command, Search | Refine):
        yield command
        return
    text, conditions = command.text, []
    for fact in unseen_facts():
        if (found := fact.said.search(text)) is not None and not is_written(found["what"]):
            conditions.append(_condition(fact, found["what"], attributes))
            left = " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
            text = re.sub(r" ?,(?: ?,)*(?= ?,|$)|^,", "", left).strip(" ,")
    if text:
        yield replace(command, text=text) if conditions else command
    yield from conditions


def _measured(
    command: Filter, message: str, attributes: Mapping[str, Attribute], is_written: Callable[[str], bool]
) -> Command:
    """A condition, or what its number was said of, where that is no attribute of its own: 100 ml is no price."""
    for fact in unseen_facts():
        for found in fact.said.finditer(message) if command.field.lower() not in fact.attributes else ():
            numbers = [float(number.replace(",", ".")) for number in re.findall(r"\d+(?:[.,]\d+)?", found["what"])]
            if numbers and list(command.values) == numbers:
                return (
                    Refine(found["what"]) if is_written(found["what"]) else _condition(fact, found["what"], attributes)
                )
    return command


def _condition(fact: UnseenFact, said: str, attributes: Mapping[str, Attribute]) -> Filter:
    """What was said of a fact, as a condition on the attribute that tells it, or on one that there is not."""
    field = fact.told_by(attributes)
    value = said.lower().removeprefix(f"{fact.name} ").strip()
    known = attributes.get(field, ()) if field else ()
    if isinstance(known, NumberRange) and (number := re.search(r"\d+(?:\.\d+)?", value)):
        return Filter(field or fact.name, "=", (float(number[0]),))
    own = [] if isinstance(known, NumberRange) else [one for one in known if one.lower() in (value, said.lower())]
    return Filter(field or fact.name, "=", (own[0] if own else value,))
