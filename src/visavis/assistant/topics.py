"""Whether a message goes on with what is wanted, or starts something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from visavis.conversation.aspects import Aspect, aspect_of, described
from visavis.conversation.brief import NOTHING, Brief, comparison
from visavis.conversation.contradictions import filter_values, is_colour, topic_of
from visavis.conversation.fold import Situation, fold
from visavis.errors import BadInputError
from visavis.language.base import Understanding, sense_of
from visavis.language.commands import (
    INQUIRIES,
    Avoid,
    Command,
    Filter,
    Forget,
    Keep,
    Like,
    Refine,
    Reset,
    Search,
    Sort,
    Unlike,
    parse_commands,
)
from visavis.language.context import Attribute, NumberRange, values_named
from visavis.language.english import content_words
from visavis.questions.attributes import interest
from visavis.types import Question, Wish

#: Counts the pictures that match a brief; None where that is not known.
Matches = Callable[[Brief], int | None]
#: How a noun phrase begins that introduces something new; what follows "something with" is new even as one word.
_INTRODUCED = re.compile(
    r"(?:(?P<any>(?:now |and now )?(?:something|anything|photos|pictures|pics|images|shots)"
    r"(?: (?:with|of|showing|like))? )"
    r"(?:an? |some |the )?|(?:an?|some|two|three|four|five|several) (?!(?:bit|little|lot|few)\b))(?!.*\bones?$)",
    re.IGNORECASE,
)
#: How the place of a thing begins.
_PLACED = re.compile(r"(?:on|in|at|near|by|under|behind|inside|outside|next to) ", re.IGNORECASE)
#: Whom a thing is for, its size, price and colour are said of what is wanted, whether there is one or not.
_PROPERTIES = range(interest("gender"), interest("colour") + 1)
#: A single word ("a hat") is said of a scene as often as for itself.
_LEAST_WORDS = 2


def as_told(understood: Understanding, message: str, question: Question | None) -> Understanding:
    """The understanding, with a description that answers an open question as one more wish, not as a new search.

    "What else can you tell me about it?" is asked about one picture, so that "a man in a red cap", and nothing beside
    it, is one more wish. "Show me cats" asks for something else.
    """
    if question is None or question.form != "open":
        return understood
    match understood.commands:
        case (Search(text=text),) if content_words(text) == content_words(message):
            return replace(understood, commands=(Refine(text),))
    return understood


def as_new_search(
    understood: Understanding, message: str, brief: Brief, situation: Situation, matches: Matches
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
    if begins["any"] and _PLACED.match(said, begins.end("any")):
        return understood  # "anything on a beach" says where, of what is wanted
    wanted = brief.of("want", "relative")
    described = content_words(said[begins.end("any") :] if begins["any"] else said)
    if not wanted or len(described) < (1 if begins["any"] else _LEAST_WORDS):
        return understood
    if any(described & content_words(wish.text) for wish in wanted):
        return understood
    found = next((text for way in ways_of(understood) if (text := _whole(way, described)) is not None), None)
    if found is None:
        return _conditions_alone(understood, brief, situation, matches) if begins["any"] else understood
    search = Search(found)
    if understood.clarify is None and not _apart(search, brief, situation, matches):
        return understood
    return replace(understood, commands=(search,), clarify=None)


def _conditions_alone(understood: Understanding, brief: Brief, situation: Situation, matches: Matches) -> Understanding:
    """The understanding, without the wishes before it where only conditions were said that nothing wanted passes."""
    conditions = understood.commands
    if not conditions or not all(isinstance(command, Filter | Sort) for command in conditions):
        return understood
    if all(interest(command.field) in _PROPERTIES for command in conditions if isinstance(command, Filter | Sort)):
        return understood
    both, alone = brief, NOTHING
    for command in conditions:
        both, alone = fold(both, command, situation), fold(alone, command, situation)
    return replace(understood, commands=(Reset(), *conditions)) if matches(both) == 0 and matches(alone) else understood


def as_other_kind(
    understood: Understanding,
    attributes: Mapping[str, Attribute],
    brief: Brief,
    situation: Situation,
    matches: Matches,
) -> Understanding:
    """The understanding, as a new search where a thing is named that is of another kind than the one wanted.

    What is a dress is no tie: "ties", said of dresses, asks for something else.

    Args:
        understood: What the parser understood.
        attributes: The attributes of the collection, with their values.
        brief: The wishes before it.
        situation: The moment in which it was said.
        matches: Counts the pictures that match a brief; None where that is not known.
    """
    pointed = [command for command in understood.commands if isinstance(command, Like | Keep)]
    said = [command for command in understood.commands if command not in pointed]
    first = said[0] if said else None
    if not isinstance(first, Refine | Filter):
        return understood
    for name, values in attributes.items():
        if isinstance(values, NumberRange) or interest(name) != 0:
            continue
        if isinstance(first, Filter):
            if (first.field, first.comparison) == (name, "=") and brief.of("want"):
                other = [wish for wish in brief.of("want") if _names_others(wish.text, first, values)]
                if other:
                    return replace(understood, commands=(*(Forget(w.text) for w in other), *understood.commands))
                return _conditions_alone(understood, brief, situation, matches)
            continue
        if not (kinds := values_named(first.text, values)):
            continue
        wanted = next((wish.text for wish in brief.of("want")), "")
        chosen = next((one for wish in brief.of("filter") if (one := comparison(wish)) and one.field == name), None)
        before = values_named(wanted, values)
        if not before and chosen is not None and chosen.comparison == "=":
            before = frozenset(str(value) for value in chosen.values)
        if before and not kinds & before:
            return replace(understood, commands=(Search(first.text), *said[1:]))  # nor is it like a dress
    return understood


def _names_others(text: str, chosen: Filter, values: tuple[str, ...]) -> bool:
    """Whether a description names kinds of things, and none of those that are chosen: "heels", where flats are."""
    named = frozenset[str]().union(*(values_named(word, values) for word in text.split()))
    return bool(named) and not named & frozenset(map(str, chosen.values))


#: How a message begins that goes on with what is wanted.
_GOES_ON = re.compile(
    r"(?:with|without|in|on|at|by|near|under|from|for|and|but|also|more|less|not|no|only|just|too|make|the|it|they)\b",
    re.IGNORECASE,
)


def after_nothing(
    understood: Understanding, message: str, brief: Brief, situation: Situation, matches: Matches
) -> Understanding:
    """The understanding, as a new search where nothing matched before and what is described now is there."""
    first = understood.commands[0] if understood.commands else None
    if not isinstance(first, Refine) or first.relative or _GOES_ON.match(message.strip()):
        return understood
    if not (wanted := brief.of("want")):
        return understood
    described = content_words(first.text)
    if len(described) < _LEAST_WORDS or any(described & content_words(wish.text) for wish in wanted):
        return understood
    search = Search(first.text)
    if matches(brief) != 0 or not matches(fold(NOTHING, search, situation)):
        return understood
    return replace(understood, commands=(search, *understood.commands[1:]))


#: What is said to add to what is wanted, and what is said to take its place.
_ADDS = re.compile(
    r"^or\b|\b(?:too|also|either|as well|(?:is|are|be) (?:fine|ok|okay|good|acceptable))\b", re.IGNORECASE
)
REPLACES = re.compile(r"\b(?:instead|rather|only|just|not|no)\b", re.IGNORECASE)


def as_wider(
    understood: Understanding, message: str, brief: Brief, attributes: Mapping[str, Attribute] = MappingProxyType({})
) -> Understanding:
    """The understanding, with a value beside the one that is wanted, where it is added and a thing has only one.

    "Black ones too", said of brown bags, asks for bags in either colour: no wish can mean a bag of both.

    Args:
        understood: What the parser understood.
        message: What was said.
        brief: The wishes before it.
        attributes: The attributes of the collection, with their values.
    """
    if not _ADDS.search(message.strip()) or REPLACES.search(message):
        return understood
    made = tuple(_wider(command, brief, attributes) for command in understood.commands)
    if made == understood.commands:
        return understood
    # what is added to is not forgotten
    return replace(understood, commands=tuple(command for command in made if not isinstance(command, Forget)))


#: Words for the colour of a thing.
_COLOUR = re.compile(r"\bcolou?rs?\b", re.IGNORECASE)


def dropped_as_said(understood: Understanding, message: str) -> Understanding:
    """The understanding, where only what was named is dropped: black, of "black or blue", or the colour at all.

    Args:
        understood: What the parser understood.
        message: What was said.
    """
    if not any(isinstance(command, Forget | Avoid) for command in understood.commands):
        return understood
    said = content_words(message)
    return replace(understood, commands=tuple(_as_said(command, message, said) for command in understood.commands))


def _as_said(command: Command, message: str, said: frozenset[str]) -> Command:
    if not isinstance(command, Forget | Avoid):
        return command
    named = dict.fromkeys(way for way in command.text.split(" or ") if content_words(way) & said)
    if named or isinstance(command, Avoid):
        return replace(command, text=" or ".join(named)) if named else command
    about = aspect_of(command.text)
    colour = about is not None and about.name == "colour" and _COLOUR.search(message)
    return Forget("colour") if colour else command


def _wider(command: Command, brief: Brief, attributes: Mapping[str, Attribute]) -> Command:
    if isinstance(command, Filter) and command.comparison == "=":
        for wish in brief.of("filter"):
            if wish.attribute == command.field and (stands := comparison(wish)) and stands.comparison == "=":
                return replace(command, values=tuple(dict.fromkeys((*stands.values, *command.values))))
        return _beside_words(command, brief, attributes)
    if not isinstance(command, Refine) or command.relative:
        return command
    wants = brief.of("want")
    topic = topic_of(wants)
    said = aspect_of(command.text, topic)
    if said is None:
        return command
    for before in (one for wish in wants for one in _said_of(wish.text, topic)):
        if said.contradicts(before) and not set(said.value.split()) <= set(before.value.split()):
            values = dict.fromkeys((*before.value.split(" or "), *said.value.split(" or ")))
            return Refine(" ".join(filter(None, (" or ".join(values), said.part))))
    for wish in brief.of("filter"):
        if said.name == "colour" and is_colour(wish.attribute) and (stood := filter_values(wish)):
            return Refine(" or ".join(dict.fromkeys((*sorted(stood), *said.value.split(" or ")))))
    return command


def _beside_words(command: Filter, brief: Brief, attributes: Mapping[str, Attribute]) -> Filter:
    """A condition on the colour, with the colour that a description names: "brown too", said of black shoes."""
    listed = attributes.get(command.field, ())
    if not is_colour(command.field) or isinstance(listed, NumberRange):
        return command
    wants = brief.of("want")
    said = [one for wish in wants for one in _said_of(wish.text, topic_of(wants)) if one.name == "colour"]
    named = {way for one in said if not one.part for way in one.value.split(" or ")}
    own = [value for value in listed if value.lower() in named]
    return replace(command, values=tuple(dict.fromkeys((*own, *command.values))))


def _said_of(text: str, topic: str) -> list[Aspect]:
    """The values that a wish gives to aspects of what is wanted."""
    alone = aspect_of(text, topic)
    return [alone] if alone else [found.aspect for found in described(text)]


def _whole(commands: tuple[Command, ...], described: frozenset[str]) -> str | None:
    """The text of a reading that takes the whole message as one description; None for another reading."""
    if len(commands) == 1 and isinstance(command := commands[0], Refine | Search):
        return command.text if content_words(command.text) == described else None
    return None


def _apart(search: Search, brief: Brief, situation: Situation, matches: Matches) -> bool:
    """Whether nothing fits both descriptions, while something fits the new one."""
    if matches(fold(brief, Refine(search.text), situation)) != 0:
        return False
    return bool(matches(fold(brief, search, situation)))


#: What only looks at the results, or puts them in order: it takes nothing away.
_LOOKS = (*INQUIRIES, Sort)
#: What changes wishes and nothing else.
_WISHES = (*_LOOKS, Avoid, Filter, Forget, Keep, Like, Refine, Search, Unlike)


def settled_doubt(understood: Understanding, brief: Brief, situation: Situation, matches: Matches) -> Understanding:
    """The understanding, without a question whose answer makes no difference, and without readings that find nothing.

    Where every reading only looks, the likeliest is done. Readings that leave the same wishes are one ("forget price"
    where no price was said), and one that no picture matches is not offered beside one of the same words that finds
    some.

    Args:
        understood: What the parser understood.
        brief: The wishes before it.
        situation: The moment in which it was said.
        matches: Counts the pictures that match a brief; None where that is not known.
    """
    ways = ways_of(understood) if understood.clarify is not None else []
    if ways and all(isinstance(command, _LOOKS) for way in ways for command in way):
        return replace(understood, commands=ways[0], clarify=None)
    if understood.clarify is None or len(ways) < 2:
        return understood
    different: dict[object, tuple[Command, ...]] = {}
    left = {way: _left_by(way, brief, situation) for way in ways}
    for way in ways:
        after = left[way]
        different.setdefault(way if after is None else frozenset(map(_said_in, after.active)), way)
    ways = list(different.values())
    found = {way: matches(after) if (after := left[way]) is not None and len(ways) > 1 else None for way in ways}
    words = {way: frozenset[str]().union(*sense_of(way)[:2]) for way in ways}
    finding = [way for way in ways if found[way]]
    ways = [way for way in ways if found[way] != 0 or not any(words[way] <= words[other] for other in finding)]
    if len(ways) == 1:
        return replace(understood, commands=ways[0], clarify=None)
    told = tuple(option for option in understood.clarify.options if option[1] and parse_commands(option[1]) in ways)
    return replace(understood, clarify=replace(understood.clarify, options=told))


def _left_by(way: tuple[Command, ...], brief: Brief, situation: Situation) -> Brief | None:
    """The wishes after a reading; None where it does anything else, or points at nothing."""
    if not all(isinstance(command, _WISHES) for command in way):
        return None
    try:
        for command in way:
            brief = fold(brief, command, situation)
    except BadInputError:
        return None
    return brief


def _said_in(wish: Wish) -> tuple[str, str, str | None, str]:
    """What makes a wish another one."""
    return wish.kind, wish.text.lower(), wish.picture, wish.attribute


#: What stands for the topic in a wish about it.
_PRONOUN = re.compile(r"(?<!\bin )\b(?:of )?(?:it|them)\b(?!'s)", re.IGNORECASE)  # in it: in the picture
#: A longer topic is a sentence, which does not fit into another one.
_LONGEST_TOPIC = 3


def with_topic(understood: Understanding, brief: Brief) -> Understanding:
    """The understanding, with the topic in place of "it" and "them": "two of them" are two giraffes.

    Args:
        understood: What the parser understood.
        brief: The wishes before it.
    """
    if not any(isinstance(command, Refine) and _PRONOUN.search(command.text) for command in understood.commands):
        return understood
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


def ways_of(understood: Understanding) -> list[tuple[Command, ...]]:
    """What was understood, or what is asked about."""
    if understood.clarify is None:
        return [understood.commands]
    return [parse_commands(line) for _, line in understood.clarify.options if line]
