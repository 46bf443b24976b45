"""Messages about where and when pictures were taken, in a collection with places or times.

Names of places are those of the collection itself: what its pictures have as ``place`` and ``country``. They are read
here, exactly, and only the rest of the message goes to the parser. Of times the parser gets to know that there are any.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType

from visavis.language.base import Parser, Understanding
from visavis.language.commands import Avoid, Command, Filter, Refine, Search, Sort
from visavis.language.commands.wishes import TIMES
from visavis.language.context import Attribute, Context, NumberRange
from visavis.language.dates import read_days, time_range
from visavis.pictures.derived import TONES

#: Attributes whose values are names of places, the wider first.
PLACES = ("country", "place")
#: What the parser need not know: read here, or never said.
_HIDDEN = frozenset({*PLACES, "latitude", "longitude", "text", TONES})
#: Names of countries that people use beside those of the gazetteer.
_ALIASES = {
    "united states": ("usa", "us", "america", "the states", "united states of america"),
    "united kingdom": ("uk", "great britain", "britain"),
    "netherlands": ("holland", "the netherlands"),
    "czech republic": ("czechia",),
    "russian federation": ("russia",),
    "korea, republic of": ("south korea", "korea"),
    "viet nam": ("vietnam",),
    "holy see (vatican city state)": ("the vatican", "vatican city", "vatican"),
    "iran, islamic republic of": ("iran",),
    "tanzania, united republic of": ("tanzania",),
    "syrian arab republic": ("syria",),
    "lao people's democratic republic": ("laos",),
    "macedonia, the former yugoslav republic of": ("macedonia", "north macedonia"),
    "moldova, republic of": ("moldova",),
    "bolivia, plurinational state of": ("bolivia",),
    "venezuela, bolivarian republic of": ("venezuela",),
    "türkiye": ("turkey",),
}
_BEFORE = r"\b(?P<word>in|from|at|near|around|within|inside|outside(?: of)?|except(?: for)?|excluding)(?: the)?\s+"
_NEGATION = re.compile(
    r"\b(?:not|but not|nothing|none|except(?: for)?(?: the)?(?: ones?| those)?|without(?: the)?(?: ones?| those)?)\s*$"
)
#: Words that lead from what is shown to where it was taken.
_LEADING = re.compile(r"(?:\b(?:taken|shot|made|photographed|captured|that|which|i|we|were|was|are)\s*)+$")
#: Names of towns and countries that are everyday words, and names only with a capital letter.
_EVERYDAY = frozenset(
    "nice bath reading orange split mobile us turkey china cork sandwich ball hope rugby wells deal rye buffalo "
    "phoenix paradise independence chester rose sale moss march eye beach garden kitchen street park church lake "
    "river forest mountain station market bridge castle water snow rain night flower best of".split()
)
#: Words of a message that describe nothing.
_FILLERS = frozenset(
    "photo photos picture pictures pic pics image images shot shots snapshots all any only just the a an ones one "
    "those these that show me my our us everything anything give find see want to let please i we have do what you "
    "some of now and get display taken from in made there is are".split()
)
#: A time without one of these may be what a picture shows: "summer", "christmas".
_DATED = re.compile(
    r"\b(?:(?:18|19|20)\d\d|yesterday|today|ago|last|this|past|previous|january|february|march|april|june|july|august|"
    r"september|october|november|december)\b"
)
#: A time at the end of a wish, which no picture shows.
_ENDING = re.compile(
    r",?(?: from)? (?P<time>(?:last|this|past|previous) \w+|yesterday|today|\w+ \w+ ago)$", re.IGNORECASE
)
#: Words before a time that make it a bound, and those between two.
_BOUND = "(?:before|older than|earlier than|prior to|until|till|up to|after|newer than|later than|since|starting)"
_LAST = "(?:and|to|till|until|through)"
#: Commands that more conditions can be added to.
_LISTING = (Search, Refine, Filter, Sort, Avoid)


@dataclass(frozen=True)
class _Found:
    """Places in a message: where they stand, and the filter they are."""

    start: int
    end: int
    filter: Filter


def understand(parser: Parser, message: str, context: Context) -> Understanding:
    """The understanding of a message, with filters on the places and times that the collection has.

    Args:
        parser: Understands the rest.
        message: What was said.
        context: The conversation, with the attributes of the collection.
    """
    plain = replace(context, attributes=_prompted(context.attributes))
    found = list(_places(message, context.attributes))
    if found:
        rest = _without(message, found)
        filters = tuple(one.filter for one in found)
        if not rest:
            return Understanding(filters, 1.0, parser=parser.name)
        read = _read(parser, rest, plain)
        if read.clarify is None and read.commands and all(isinstance(one, _LISTING) for one in read.commands):
            return replace(read, commands=(*read.commands, *filters), alternatives=())
    return _read(parser, message, plain)


def _read(parser: Parser, message: str, context: Context) -> Understanding:
    """What a parser reads; the time at the end of a wish is a condition, whether it took that up or not."""
    read = _dated(parser.understand(message, context), message, context)
    taken = next((name for name in context.attributes if name in TIMES), None)
    said = message.strip(" .!?")
    ending = _ENDING.search(said)
    if taken is None or ending is None or time_range(ending["time"], date.today()) is None:
        return read
    if any(ending["time"].lower() in str(command).lower() for command in read.commands):
        return read
    rest = read if read.clarify is None else parser.understand(said[: ending.start()], context)
    if rest.clarify is not None or not rest.commands or not all(isinstance(one, _LISTING) for one in rest.commands):
        return read
    told = (*rest.commands, Filter(taken, "=", (ending["time"],)))
    return replace(rest, commands=told, clarify=None, alternatives=())


def _prompted(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """The attributes for the parser: a time without its thousand values, and no year beside it."""
    dated = any(name in TIMES for name in attributes)
    kept = {name: values for name, values in attributes.items() if name not in _HIDDEN}
    return {name: () if name in TIMES else values for name, values in kept.items() if not (dated and name == "year")}


def _dated(read: Understanding, message: str, context: Context) -> Understanding:
    """What was read, or the time that all of a message is: "between 2015 and 2018"."""
    taken = next((name for name in context.attributes if name in TIMES), None)
    read = replace(read, commands=tuple(map(_timely, _bounded(read.commands, message, taken))))
    unread = not read.commands and read.reply is None
    alone = len(read.commands) == 1 and isinstance(read.commands[0], Search | Refine)
    if taken is None or not (unread or alone) or context.question is not None:
        return read
    said = re.findall(r"[\w'-]+", message.lower())
    while said and said[0] in _FILLERS - {"this"}:
        said = said[1:]
    text = " ".join(said)
    if _DATED.search(text) and time_range(text, date.today()) is not None:
        return Understanding((Filter(taken, "=", (text,)),), 1.0, parser=read.parser)
    return replace(read, commands=tuple(part for one in read.commands for part in _time_told(one, taken)))


def _time_told(command: Command, taken: str) -> tuple[Command, ...]:
    """A wish that ends in a time as what is wished for and when: "dog on the beach last summer"."""
    if not isinstance(command, Search | Refine):
        return (command,)
    ending = _ENDING.search(command.text)
    if ending is None or time_range(ending["time"], date.today()) is None:
        return (command,)
    return replace(command, text=command.text[: ending.start()]), Filter(taken, "=", (ending["time"],))


def _bounded(commands: tuple[Command, ...], message: str, taken: str | None) -> tuple[Command, ...]:
    """Commands with a time as it was said, where words around it bound it: "since 2021", "from 2015 to 2018"."""
    timed = [one for one in commands if isinstance(one, Filter) and one.field == taken and one.comparison != "!="]
    values = [value for one in timed for value in one.values]
    said = [re.escape(value if isinstance(value, str) else f"{value:g}") for value in values]
    if not said:
        return commands
    pattern = rf"{_BOUND} {said[0]}" if len(said) == 1 else rf"(?:between|from) {said[0]} {_LAST} {said[1]}"
    found = re.search(rf"\b{pattern}(?!\w)", message, re.IGNORECASE)
    if found is None or len(said) > 2 or time_range(found[0], date.today()) is None:
        return commands
    if len(said) == 1 and timed[0].comparison != "=":
        return commands
    whole = Filter(timed[0].field, "=", (found[0],))
    return tuple(whole if one is timed[0] else one for one in commands if one not in timed[1:])


def _timely(command: Command) -> Command:
    """A command; where it takes words for a time that mean none, the wish that they are."""
    if not isinstance(command, Filter) or command.field not in TIMES or not isinstance(command.values[0], str):
        return command
    text = command.values[0]
    if read_days(text) is not None or time_range(text, date.today()) is not None:
        return command
    return Avoid(text) if command.comparison == "!=" else Refine(text)


def settle_times(
    commands: Sequence[Command], message: str, attributes: Mapping[str, Attribute] = MappingProxyType({})
) -> tuple[Command, ...] | None:
    """Commands where what is no time is none: "anything from Puma" asks for a brand.

    None where the time that was read is none and nobody said it. What is said of years is a condition. An order by an
    attribute that was named is by that one ("by year, newest first"), not by when a picture was taken.

    >>> settle_times([Filter("taken", "=", ("Puma",))], "anything from Puma?")
    (Refine(text='Puma'),)
    """
    settled: list[Command] = []
    said = set(re.findall(r"[^\W_]+", message.lower()))
    named = next((name for name in attributes if name.lower() in said), None)
    for command in commands:
        if isinstance(command, Sort) and command.field in TIMES and named and not {"taken", "date", "time"} & said:
            settled.append(replace(command, field=named))
            continue
        texts = [value for value in command.values if isinstance(value, str)] if isinstance(command, Filter) else []
        if not isinstance(command, Filter) or command.field not in TIMES or not texts or any(map(_is_time, texts)):
            settled.append(command)
        elif not all(text.lower() in message.lower() for text in texts):
            return None
        else:
            settled += [Avoid(text) if command.comparison == "!=" else Refine(text) for text in texts]
    return tuple(_of_years(command, attributes) for command in settled)


def _is_time(text: str) -> bool:
    return read_days(text) is not None or time_range(text, date.today()) is not None


#: One year or several, as they are said of pictures.
_YEARS = re.compile(r"(?:(?:from|in|of|made in|taken in) )?(?:18|19|20)\d\d(?: or (?:18|19|20)\d\d)*", re.IGNORECASE)


def _of_years(command: Command, attributes: Mapping[str, Attribute]) -> Command:
    """A command; where it wants, or does not want, years and nothing else, a condition, if the collection tells any.

    >>> str(_of_years(Avoid("from 2011"), {"year": NumberRange(2010, 2018)}))
    'filter year != 2011'
    """
    field = next((name for name in (*TIMES, "year") if name in attributes), None)
    if field is None or not isinstance(command, Refine | Avoid) or not _YEARS.fullmatch(command.text.strip()):
        return command
    years = re.findall(r"\d{4}", command.text)
    as_texts = isinstance(attributes[field], tuple) and field not in TIMES
    values = tuple(years) if as_texts else tuple(map(float, years))
    return Filter(field, "!=" if isinstance(command, Avoid) else "=", values)


# -- places ------------------------------------------------------------------------------------------------


def _places(message: str, attributes: Mapping[str, Attribute]) -> Iterator[_Found]:
    """The places that a message names, in the order of the message."""
    names = _names(attributes)
    if not names:
        return
    folded = _folded(message)
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name in folded)
    if not any_name:
        return
    listed = re.compile(
        rf"(?:{_BEFORE})(?P<names>(?:{any_name})(?:(?:,? (?:or|and) |, ?)(?:the )?(?:{any_name}))*)(?!\w)"
    )
    one = re.compile(rf"(?<!\w)(?:{any_name})(?!\w)")
    for match in listed.finditer(folded):
        said = [(found[0], message[match.start("names") + found.start() :]) for found in one.finditer(match["names"])]
        if not all(_is_name(name, text) for name, text in said):
            continue
        before = folded[: match.start()]
        negated = _NEGATION.search(before) or match["word"].startswith(("outside", "except", "excluding"))
        start = len(before) - len(negated[0]) if isinstance(negated, re.Match) else match.start()
        for field in PLACES:
            values = dict.fromkeys(names[name][1] for name, _ in said if names[name][0] == field)
            if values:
                yield _Found(start, match.end(), Filter(field, "!=" if negated else "=", tuple(values)))
    if (name := folded.strip(" .!?")) in names and _is_name(name, message.strip()):
        yield _Found(0, len(message), Filter(names[name][0], "=", (names[name][1],)))


def _names(attributes: Mapping[str, Attribute]) -> dict[str, tuple[str, str]]:
    """Every name of a place here, as it is compared: its attribute and its own spelling; a country before a town."""
    names: dict[str, tuple[str, str]] = {}
    for field in PLACES:
        values = attributes.get(field, ())
        for value in () if isinstance(values, NumberRange) else values:
            own = _folded(value)
            for name in (own, *(_folded(alias) for alias in _ALIASES.get(value.lower(), ()))):
                names.setdefault(name, (field, value))
    return names


def _is_name(name: str, said: str) -> bool:
    """Whether a word is written as a name, where it is an everyday word too."""
    return name not in _EVERYDAY or said[:1].isupper()


def _folded(text: str) -> str:
    """Lower case without accents; each letter stays one letter, so that places in both texts are the same."""
    letters = (unicodedata.normalize("NFKD", letter)[0].lower()[:1] or letter for letter in text)
    return "".join(letters).replace("ø", "o").replace("ł", "l")


def _without(message: str, found: list[_Found]) -> str:
    """The message without its places; empty where nothing is left that describes anything."""
    rest, at = "", 0
    for one in sorted(found, key=lambda place: place.start):
        if one.start >= at:
            rest += _LEADING.sub("", message[at : one.start])
            at = one.end
    rest = re.sub(r"\s+", " ", f"{rest}{message[at:]}").strip(" ,.;!?")
    words = re.findall(r"[\w'-]+", rest.lower())
    return "" if all(word in _FILLERS for word in words) else rest
