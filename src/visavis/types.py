"""What the rooms share: vectors, wishes, results with their reasons, questions, concepts. Imports no room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, Self, TypeVar, get_args
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from visavis.errors import BadInputError

#: Vectors, and everything computed from them.
FloatArray = NDArray[np.float32]
#: Anything that is split into :func:`batches`.
Item = TypeVar("Item")
#: What a store knows of a picture besides its vectors.
Payload = Mapping[str, Any]

#: What numpy raises for a file of arrays that is missing, empty, cut short, damaged, or of another kind than expected.
UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, BadZipFile)

# -- wishes --------------------------------------------------------------------------------------------

WishKind = Literal["want", "avoid", "keep", "like", "unlike", "relative", "filter", "sort"]
WishEnd = Literal["", "replaced", "forgotten"]
#: A wish can be made this much heavier than an ordinary one.
HEAVIEST = 10.0


@dataclass(frozen=True)
class Wish:
    """One wish with its source.

    Attributes:
        id: Names it within its conversation: the turn it came from and its place there, ``"3.1"``.
        kind: What it asks: ``want``, ``avoid`` and ``relative`` have words; ``keep`` has an attribute and a picture;
            ``like`` and ``unlike`` have a picture; ``filter`` has a condition, ``sort`` an attribute and an order.
        text: The wish in words: what was said, ``price < 50`` for a filter, ``ascending`` or ``descending`` for an
            order, ``#3 of turn 2`` for a picture.
        turn: The turn that it came from.
        weight: How much it counts; 1 is ordinary.
        active: Whether it counts now.
        pinned: Whether it outlives a new search and is never replaced.
        picture: The id of the picture that it is about: the liked one, or the one whose attribute is kept.
        attribute: What is kept (``colour``), or what is filtered or sorted by.
        reference: The id of the picture that a relative wish compares with.
        reference_turn: The turn that showed ``picture`` or ``reference``.
        end: Why it does not count any more, when the person did not switch it off.
        ended: The turn that ended it.
        answer: Whether it answers a closed question. What a person affirms when asked is no description of their own,
            and what they deny they may not have noticed: it makes pictures more or less likely, no more.
    """

    id: str
    kind: WishKind
    text: str
    turn: int
    weight: float = 1.0
    active: bool = True
    pinned: bool = False
    picture: str | None = None
    attribute: str = ""
    reference: str | None = None
    reference_turn: int | None = None
    end: WishEnd = ""
    ended: int | None = None
    answer: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(WishKind):
            raise BadInputError(f"'{self.kind}' is no kind of wish.", f"Use one of {', '.join(get_args(WishKind))}.")
        if not 0 < self.weight <= HEAVIEST:
            raise BadInputError(f"A wish cannot weigh {self.weight}.", f"Use more than 0 and at most {HEAVIEST:g}.")
        if bool(self.end) != (self.ended is not None) or (self.end and self.active):
            raise BadInputError(f"The wish {self.id} both counts and does not.", "Say in which turn it ended, or not.")

    @property
    def label(self) -> str:
        """What a chip says: "red dress", "no people", "colour of turn 2", "like #3 of turn 1"."""
        match self.kind:
            case "avoid":
                return f"no {self.text}"
            case "unlike":
                return f"not like {self.text}"
            case "like":
                return f"like {self.text}"
            case "sort":
                return order_in_words(self.attribute, descending=self.text == "descending")
            case "keep":
                return f"{self.attribute} of {self.text}"
            case "filter":
                return condition_as_said(self.text)
            case _:
                return self.text

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`; keys of later versions are passed over."""
        known = {field.name for field in fields(cls)}
        try:
            return cls(**{name: item for name, item in value.items() if name in known})
        except TypeError as error:
            raise BadInputError(f"The wish {dict(value)!r:.200} is not understood.") from error


# -- results -------------------------------------------------------------------------------------------

#: The place of a reason that is no wish, such as "picked at random".
NO_WISH = -1


@dataclass(frozen=True, slots=True)
class Reason:
    """How a picture stands to one wish.

    Attributes:
        wish: Its place in the request's wishes, counted from zero; :data:`NO_WISH` for none of them.
        text: The wish in words, such as "red" or "not people".
        fit: How well the picture fits it, as a probability: 0.5 is as likely as not.
    """

    wish: int
    text: str
    fit: float

    @property
    def fits(self) -> bool:
        """Whether it fits rather than misses."""
        return self.fit >= 0.5

    def __str__(self) -> str:
        return f"{'fits' if self.fits else 'misses'} {self.text}"


@dataclass(frozen=True, slots=True)
class Result:
    """One picture of a ranking.

    Attributes:
        id: Which picture.
        score: Higher is better; comparable within one ranking only.
        because: How it stands to each wish, in the order of the wishes.
        folded: Ids of near-duplicates that are not shown, where they are folded.
        probability: How likely all that is wanted is true of it.
        match: Whether it belongs to the pictures that match.
    """

    id: str
    score: float
    because: tuple[Reason, ...] = ()
    folded: tuple[str, ...] = ()
    probability: float = 1.0
    match: bool = True

    @property
    def why(self) -> str:
        """The reasons as one line: "a train, in the snow; misses: not people"."""
        fits = ", ".join(reason.text for reason in self.because if reason.fits)
        misses = ", ".join(reason.text for reason in self.because if not reason.fits)
        return "; ".join(part for part in (fits, f"misses: {misses}" if misses else "") if part)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        reasons = [{"wish": reason.wish, "text": reason.text, "fit": reason.fit} for reason in self.because]
        found = {"id": self.id, "score": self.score, "because": reasons}
        return {**found, "probability": self.probability, "match": self.match}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`."""
        reasons = (Reason(reason["wish"], reason["text"], reason["fit"]) for reason in value["because"])
        told = value.get("probability", 1.0), value.get("match", True)  # older turns do not have them
        return cls(value["id"], value["score"], tuple(reasons), (), *told)


# -- concepts ------------------------------------------------------------------------------------------

Box = tuple[float, float, float, float]


class Kind(StrEnum):
    """The sections of the vocabulary of concepts that pictures are compared with."""

    THING = "things"
    STUFF = "stuff"
    PLACE = "places"
    ACTIVITY = "activities"
    HAPPENING = "happenings"
    COLOUR = "colours"
    COUNT = "counts"
    MATERIAL = "materials"
    LOOK = "looks"
    STATE = "states"


@dataclass(frozen=True)
class Concept:
    """A thing that a picture shows.

    Attributes:
        noun: What it is: "jacket".
        attributes: What is said of it: colours, materials, sizes.
        place: Where it is in words ("left", "top right"), or an empty string.
        box: Where it is as left, top, right, bottom in 0..1 of the picture, or None.
        chance: How sure it is that this is what is there, 0..1.
    """

    noun: str
    attributes: tuple[str, ...] = ()
    place: str = ""
    box: Box | None = None
    chance: float = 1.0

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """From plain values; everything but the noun may be left out."""
        box = (*map(float, value["box"]),) if value.get("box") else None
        return cls(value["noun"], tuple(value.get("attributes", ())), value.get("place", ""), box)  # type: ignore[arg-type]  # four edges


# -- questions -----------------------------------------------------------------------------------------

QuestionForm = Literal["", "yes/no", "choice", "open"]
#: How common a concept is taken to be of which nothing is known.
ORDINARY = 0.01
#: An answer that is offered: what the person reads and says, and the command that it stands for (``refine a dog``), or
#: None where the answer itself is wanted.
Option = tuple[str, str | None]


@dataclass(frozen=True)
class Proposition:
    """Something that is true of some pictures: what an answer affirms or denies.

    Attributes:
        wish: What it adds to the brief: ``a dog``.
        prompt: What the encoder compares pictures with; empty where the catalogue knows.
        kind: What kind of concept it is; decides how a similarity becomes a probability.
        attribute: The catalogue's field, where it knows.
        value: The value that the field must have.
        common: In what share of pictures people mention it.
    """

    wish: str
    prompt: str = ""
    kind: Kind = Kind.THING
    attribute: str = ""
    value: str = ""
    common: float = ORDINARY


@dataclass(frozen=True)
class Question:
    """A question with the answers it offers.

    Attributes:
        text: What the person reads.
        options: The answers offered; an open question has none.
        form: How a questioner wants it answered; empty where something that was said has to be made clear.
        key: What it is about; a questioner never asks about the same key twice.
        leaves: How many pictures would match after each option; none where nobody counted.
        pictures: Ids of pictures to show with the options, in the same order; none where words are enough.
        bits: The candidates' entropy when it was asked: how much was missing to be sure which picture is meant.
        gain: The bits that the answer is expected to bring, costs taken off. Not saved.
        propositions: For a choice one an option, for yes/no the one that "yes" affirms, for an open question none.
            Not saved.
    """

    text: str
    options: tuple[Option, ...] = ()
    form: QuestionForm = ""
    key: str = ""
    leaves: tuple[int, ...] = ()
    pictures: tuple[str, ...] = ()
    bits: float = 0.0
    gain: float = field(default=0.0, compare=False)
    propositions: tuple[Proposition, ...] = field(default=(), compare=False)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "text": self.text,
            "options": [list(option) for option in self.options],
            "form": self.form,
            "key": self.key,
            "leaves": list(self.leaves),
            "pictures": list(self.pictures),
            "bits": self.bits,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`; the first version saved a text and options only."""
        return cls(
            value["text"],
            tuple((label, command) for label, command in value.get("options", ())),
            value.get("form", ""),
            value.get("key", ""),
            tuple(value.get("leaves", ())),
            tuple(value.get("pictures", ())),
            value.get("bits", 0.0),
        )


#: Orders as people say them, the largest first and the smallest first.
_FIRST = {
    "brightness": ("brightest", "darkest"),
    "saturation": ("most colourful", "least colourful"),
    "price": ("most expensive", "cheapest"),
    **dict.fromkeys(("taken", "date", "year"), ("newest", "oldest")),
}


def order_in_words(attribute: str, *, descending: bool) -> str:
    """An order as people say it: "cheapest first"."""
    return f"{first_in_words(attribute, descending=descending)} first"


def first_in_words(attribute: str, *, descending: bool) -> str:
    """What the first picture of an order is: the cheapest, the newest.

    >>> first_in_words("price", descending=False), first_in_words("frameSize", descending=True)
    ('cheapest', 'highest frame size')
    """
    if attribute in _FIRST:
        return _FIRST[attribute][0 if descending else 1]
    return f"{'highest' if descending else 'lowest'} {name_in_words(attribute)}"


#: What catalogues call what people call otherwise.
_NAMES = {"usage": "occasion", "sub category": "category", "base colour": "colour", "base color": "colour"}
_NAMES |= {"article type": "kind", "product type": "kind", "master category": "department"}


@lru_cache(maxsize=512)
def name_in_words(attribute: str) -> str:
    """An attribute as people say it: ``baseColour`` is "colour", ``frameSize`` is "frame size"."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]+", " ", attribute).lower().strip()
    return _NAMES.get(spaced, spaced)


_COMPARISON = re.compile(r" (=|!=|<=|>=|<|>) ")
_SIGNS = {"=": ": ", "!=": ": not ", "<": " under ", "<=": " up to ", ">": " over ", ">=": " from "}
#: Attributes whose values are names, with capitals; what people say before a value, by its attribute's name in words.
_NAMED, _COLOURS = ("country", "place", "city", "region"), ("colour", "color")
_SAID = {"gender": "for ", "year": "from "} | dict.fromkeys(("kind", "occasion", "category", "department"), "")
_SAID |= dict.fromkeys((*_NAMED, *_COLOURS), "in ")


def condition_as_said(condition: str) -> str:
    """A condition in its text form as people say it.

    >>> condition_as_said("country = Portugal"), condition_as_said("gender != Men"), condition_as_said("price <= 40")
    ('in Portugal', 'not for men', 'price up to 40')
    """
    name, sign, told = _parts(condition)
    if sign not in ("=", "!=") or (before := _SAID.get(name)) is None:
        return condition_in_words(condition)
    if sign == "!=":
        before = "not " if name in _COLOURS else f"not {before}"
    return f"{before}{told if name in _NAMED else told.lower()}"


def condition_in_words(condition: str) -> str:
    """A condition in its text form with its attribute's name: "colour: Red or Navy Blue"."""
    name, sign, told = _parts(condition)
    if name == "taken" and sign in ("=", "!="):
        return f"{'not ' if sign == '!=' else ''}taken {told}"
    return f"{name}{_SIGNS[sign]}{told}"


def _parts(condition: str) -> tuple[str, str, str]:
    """The attribute's name in words, the comparison, and the values in words."""
    field, sign, values = _COMPARISON.split(condition, maxsplit=1)
    *first, last = re.sub(r'"((?:[^"\\]|\\.)*)"', r"\1", values).split(" | ")
    return name_in_words(field.strip('"')), sign, f"{', '.join(first)} or {last}" if first else last


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield lists of ``size`` items, the last one shorter (``itertools.batched`` needs Python 3.12).

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
