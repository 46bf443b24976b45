"""Notes: what a turn reports, as values; :mod:`visavis.assistant.replies` renders them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Literal

from visavis.assistant.picture_questions import PictureAnswer
from visavis.assistant.seen import PictureView
from visavis.conversation.brief import Brief
from visavis.conversation.turns import Window
from visavis.language.commands import Command, Edit
from visavis.language.commands.talk import ChatKind
from visavis.types import Result, Wish


class Event(Enum):
    """A note without particulars."""

    #: Every wish was forgotten.
    ALL_FORGOTTEN = auto()
    #: The picture in hand is its source again.
    EDITS_RESET = auto()
    #: Edits that waited for an answer were refused.
    EDITS_DROPPED = auto()
    #: Edits wait for an answer, and what was said is none.
    EDITS_WAITING = auto()
    #: Pictures were picked at random.
    PICKED_AT_RANDOM = auto()
    #: There is nothing to rank by.
    NO_WISHES_LEFT = auto()
    #: There is no further page.
    END_REACHED = auto()
    #: A picture is to be saved where there are no folders to save to: whoever shows it downloads it.
    READY_TO_DOWNLOAD = auto()
    #: The collection has changed since, so an earlier ranking was made again.
    RANKED_AGAIN = auto()


@dataclass(frozen=True)
class WishesReplaced:
    """A new wish took the place of earlier ones; all by their labels."""

    new: str
    earlier: tuple[str, ...]


@dataclass(frozen=True)
class WishesForgotten:
    """Wishes that do not count any more, by their labels; ``left`` is what stays of each, where a part of it does."""

    labels: tuple[str, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True)
class WishUnchanged:
    """A command that changed no wish."""

    command: Command


@dataclass(frozen=True)
class WishSummary:
    """The person asked what they are looking for."""

    brief: Brief
    edits: tuple[str, ...] = ()


@dataclass(frozen=True)
class SmallTalk:
    """A remark that asks for nothing."""

    kind: ChatKind


@dataclass(frozen=True)
class TakenInHand:
    """A picture was taken in hand; ``picture`` says which, in words."""

    picture: str


@dataclass(frozen=True)
class Stepped:
    """A step through the conversation; ``turn`` is the state now, 0 the beginning.

    Attributes:
        how: Which way.
        turn: The turn whose state it is.
        brief: What was wanted then, where other pictures are shown by the step; None where only an edit was undone.
    """

    how: Literal["back to", "undone", "redone"]
    turn: int
    brief: Brief | None = None


@dataclass(frozen=True)
class EditsDone:
    """Edits of the picture in hand; ``first_of_many`` where it was the first of several shown."""

    edits: tuple[Edit, ...]
    first_of_many: bool = False


@dataclass(frozen=True)
class EditsWaiting:
    """Edits that are not done before a question about them is answered."""

    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class EditsRepeated:
    """The same edits on more pictures."""

    pictures: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class EditUnsure:
    """Things in a picture (by its number) that were not surely found."""

    number: int
    things: tuple[str, ...]


@dataclass(frozen=True)
class EditFailed:
    """Why a picture could not be edited."""

    reason: str


@dataclass(frozen=True)
class PictureSaved:
    """The picture in hand was written to a file."""

    file: Path


@dataclass(frozen=True)
class PicturesFound:
    """The results of a ranking, and how many pictures match, where that is known.

    Attributes:
        results: The page.
        brief: What was wanted.
        window: Where the page lies.
        matches: How many pictures match; None where that is not known.
        about: Whether that is an estimate.
        confidence: How likely anything fits what is wanted in words; None without words.
        present: By the place of a wish in words: how likely anything fits it alone.
    """

    results: tuple[Result, ...]
    brief: Brief
    window: Window
    matches: int | None = None
    about: bool = False
    confidence: float | None = None
    present: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class FirstInOrder:
    """The first picture of an order that was asked for: the attribute, its title, and its value in words."""

    field: str
    descending: bool
    title: str
    value: str


@dataclass(frozen=True)
class PicturesAgain:
    """The results of an earlier turn: what was wanted then, and how many pictures matched, where that is known.

    Attributes:
        brief: What was wanted.
        matches: How many matched.
        about: Whether that is an estimate.
        told: Whether what was wanted was told already.
    """

    brief: Brief
    matches: int | None = None
    about: bool = False
    told: bool = False


@dataclass(frozen=True)
class PicturesWaiting:
    """Pictures that were not looked at, because an upgrade of the collection has not come to them."""

    number: int


@dataclass(frozen=True)
class NothingLeft:
    """No picture passes the conditions.

    Attributes:
        brief: What is wanted.
        conditions: Those because of which no picture is left.
        left: How many match the rest; None where that is not known.
    """

    brief: Brief
    conditions: tuple[Wish, ...] = ()
    left: int | None = None


@dataclass(frozen=True)
class QuestionsSwitched:
    """Whether the assistant asks questions of its own from now on."""

    on: bool


@dataclass(frozen=True)
class PicturesCounted:
    """How many pictures fit.

    Attributes:
        number: How many.
        sure: How many of them surely; None where the number is exact.
        text: What was looked for by its looks; empty where nothing was.
        attribute: The attribute and its value that was counted; empty where none was.
        among: The wishes that limit the number, in words; empty where the whole collection was counted.
        everywhere: How many in the whole collection, where wishes limit the number.
        more: Whether there may be more.
        shown: How many pictures are shown, where nothing matches the wishes and those shown were counted instead.
        asked: What was to be counted, as it was said.
        near: The numbers of the pictures shown that come closest, where none fits for sure.
    """

    number: int
    sure: int | None
    text: str = ""
    attribute: str = ""
    among: str = ""
    everywhere: int | None = None
    more: bool = False
    shown: int | None = None
    asked: str = ""
    near: tuple[int, ...] = ()


@dataclass(frozen=True)
class CountsCompared:
    """Several counts of one message, side by side."""

    counts: tuple[PicturesCounted, ...]


@dataclass(frozen=True)
class ValuesListed:
    """The values of an attribute with their counts.

    Attributes:
        field: The attribute.
        values: The values, and how many pictures have each.
        more: How many values are not listed.
        among: The wishes of the pictures that were looked at, in words; empty for the whole collection.
        shown: How many pictures are shown, where nothing matches the wishes and those shown were looked at instead.
        titles: Whether no attribute tells the values, and titles begin with them, as with makers.
    """

    field: str
    values: tuple[tuple[str, int], ...]
    more: int = 0
    among: str = ""
    shown: int | None = None
    titles: bool = False


@dataclass(frozen=True)
class NumbersListed:
    """The span of a numeric attribute."""

    field: str
    low: float
    high: float


@dataclass(frozen=True)
class AttributeUnknown:
    """No picture has an attribute that was asked for; ``known`` are those that there are for the same use."""

    name: str
    asked: Literal["condition", "order", "values"]
    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class CollectionDescribed:
    """What a collection holds.

    Attributes:
        total: How many pictures.
        things: The most frequent kinds of things, with their numbers.
        seen: Whether these were seen; else the catalogue tells them.
        years: The first and the last year, where they are known.
        attributes: What else can be asked for.
        examples: What could be said.
    """

    total: int
    things: tuple[tuple[str, int], ...]
    seen: bool
    years: tuple[int, int] | None
    attributes: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True)
class PictureDescribed:
    """What a picture shows."""

    name: str
    view: PictureView


@dataclass(frozen=True)
class QuestionAnswered:
    """A question about a picture, and its answer."""

    question: str
    said: PictureAnswer


@dataclass(frozen=True)
class ReasonsGiven:
    """How a picture stands to the wishes.

    Attributes:
        name: How the picture is called.
        fits: Each wish with the probability that the picture fits it.
        shown: Whether it is among the results.
        wished: Whether there are wishes at all.
    """

    name: str
    fits: tuple[tuple[str, float], ...]
    shown: bool
    wished: bool


@dataclass(frozen=True)
class PicturesCompared:
    """What differs between pictures: what it is about, and a text for each picture."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


Note = (
    Event | WishesReplaced | WishesForgotten | WishUnchanged | WishSummary | SmallTalk | TakenInHand | Stepped
    | EditsDone | EditsWaiting | EditsRepeated | EditUnsure | EditFailed | PictureSaved | PicturesFound | FirstInOrder
    | PicturesAgain | PicturesWaiting | NothingLeft | QuestionsSwitched | PicturesCounted | CountsCompared
    | ValuesListed | NumbersListed | AttributeUnknown | CollectionDescribed | PictureDescribed | QuestionAnswered
    | ReasonsGiven | PicturesCompared
)  # fmt: skip


def replacements(before: Brief, after: Brief, turn: int) -> list[Note]:
    """Which wishes gave way in a turn: contradictions are resolved, and shown."""
    active, known = {wish.id for wish in before.wishes if wish.active}, {wish.id for wish in before.wishes}
    newest = [wish.label for wish in after.wishes if wish.active and wish.turn == turn]
    ended = [wish for wish in after.wishes if wish.id in active and wish.ended == turn]
    gave_way = tuple(wish.label for wish in ended if wish.end == "replaced")
    forgotten = tuple(wish.label for wish in ended if wish.end == "forgotten")
    new = [wish for wish in after.wishes if wish.active and wish.id not in known]
    shorter = tuple(wish.label for wish in new if wish.id.endswith("r"))
    notes: list[Note] = []
    if gave_way and len(shorter) == len(gave_way):
        notes.append(WishesForgotten(gave_way, shorter))
    elif newest and gave_way:
        notes.append(WishesReplaced(newest[-1], gave_way))
    left = tuple(wish.label for wish in new)
    return [*notes, WishesForgotten(forgotten, left if len(left) == len(forgotten) else ())] if forgotten else notes


#: A longer text is cut where it is quoted.
_LONGEST = 160


def quoted(text: str) -> str:
    """A text in quotation marks, not too long."""
    return f"“{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}”"
