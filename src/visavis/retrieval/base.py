"""What every retriever does: wishes in, ranked pictures out, each with the reasons it is there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from visavis.stores.base import Hit
from visavis.stores.filters import Filter

#: What a difference of one in the score is worth as a logarithm of odds: how sure the ranking may be of itself. Found
#: on development targets (docs/questions.md).
CERTAINTY = 18.0

WishKind = Literal["want", "avoid", "keep", "like", "unlike", "relative", "filter", "sort"]


class WishLike(Protocol):
    """What a retriever reads of a wish; the brief's own wishes are such.

    Which fields matter depends on the kind:

    ========  ===========================================================================================
    want      ``text``: what the picture shows
    avoid     ``text``: what it must not show
    keep      ``attribute`` ("colour", "sleeves", or a whole phrase) of ``picture``
    like      ``picture``: more in its direction
    unlike    ``picture``: away from it
    relative  ``text`` ("longer sleeves"), measured from ``reference``; without one, from nothing in particular
    filter    ``filter``: a condition on attributes
    sort      ``attribute``, and ``text`` "descending" for largest first
    ========  ===========================================================================================

    Pictures are ids: whoever makes the wish has looked up what "#3" or "turn 2" stands for.
    """

    @property
    def kind(self) -> WishKind:
        """What the person wants done with it."""

    @property
    def text(self) -> str:
        """The words of the wish."""

    @property
    def turn(self) -> int:
        """The turn it was said in, counted from one."""

    @property
    def weight(self) -> float:
        """How much it counts; one is ordinary, nothing is as if it had not been said."""

    @property
    def active(self) -> bool:
        """Whether it is switched on."""

    @property
    def picture(self) -> str | None:
        """The picture it is about."""

    @property
    def attribute(self) -> str:
        """The aspect it is about."""

    @property
    def reference(self) -> str | None:
        """The picture that it compares with."""

    @property
    def filter(self) -> Filter | None:
        """The condition it sets."""

    @property
    def label(self) -> str:
        """What reasons call it: "red", "no people", "colour of turn 2"."""


@dataclass(frozen=True)
class Reason:
    """How a picture stands to one wish.

    Attributes:
        wish: Its place in the request's wishes, counted from zero.
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


@dataclass(frozen=True)
class Result:
    """One picture of the ranking.

    Attributes:
        id: Which picture.
        score: Higher is better; comparable within one ranking only.
        because: How it stands to each wish, in the order of the wishes.
    """

    id: str
    score: float
    because: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Results:
    """A ranking.

    Attributes:
        results: Best first.
        seconds: What each stage took: ``plan`` (texts encoded), ``rank`` (the store's stages and what is left out
            after them), ``reasons``.
        excluded: How many pictures were left out of the first ones because they show what is avoided.
        ranked: The ranking as deep as the request wanted it, without reasons: what else might be meant.
    """

    results: list[Result] = field(default_factory=list)
    seconds: Mapping[str, float] = field(default_factory=dict)
    excluded: int = 0
    ranked: Sequence[Hit] = ()

    @property
    def ids(self) -> list[str]:
        """The pictures, best first."""
        return [result.id for result in self.results]


@dataclass(frozen=True)
class Request:
    """What a retriever is asked.

    Attributes:
        wishes: Everything the person wants so far, oldest first; those switched off are passed over.
        k: How many results.
        passed_over: How many times each picture was shown and nothing was made of it: such pictures sink.
        without: Pictures that must not come back, such as those of the pages before.
        conditions: A condition besides the wishes' own, such as "only pictures whose file is there".
        text: All that was said, in one text; retrievers that read whole dialogues use it.
        depth: How deep a ranking without reasons is wanted besides, for whoever asks which of many is meant.
    """

    wishes: Sequence[WishLike]
    k: int = 20
    passed_over: Mapping[str, int] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    conditions: Filter | None = None
    text: str = ""
    depth: int = 0


class Retriever(ABC):
    """Ranks a collection by everything the person has said. Deterministic: the same request, the same ranking."""

    #: Stable name, saved with each turn.
    name: str

    @abstractmethod
    def retrieve(self, request: Request) -> Results:
        """Rank; an empty list when nothing passes the conditions."""
