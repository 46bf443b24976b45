"""What a retriever is asked and what it gives back: wishes in, ranked pictures out, each with its reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from visavis.conversation.history import Dialogue
from visavis.stores.base import Hit
from visavis.stores.filters import Filter
from visavis.types import FloatArray, Result, Wish

#: What a difference of one in the score is worth as a logarithm of odds: how sure the ranking may be of itself. Found
#: on development targets (docs/questions.md).
CERTAINTY = 18.0


@dataclass(frozen=True)
class RankedResults:
    """A ranking.

    Attributes:
        results: Best first.
        ranked: The ranking as deep as the request wanted it, without reasons: what else might be meant. Only matches,
            where there are several.
        matches: How many pictures of the collection match; None where nobody counted.
        about: Whether that is an estimate.
        confidence: How likely anything fits what is wanted in words; None without words.
        present: By the place of a wish in words: how likely anything fits it alone.
    """

    results: list[Result] = field(default_factory=list)
    ranked: Sequence[Hit] = ()
    matches: int | None = None
    about: bool = False
    confidence: float | None = None
    present: Mapping[int, float] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """The pictures, best first."""
        return [result.id for result in self.results]


@dataclass(frozen=True)
class SearchRequest:
    """What a retriever is asked.

    Attributes:
        wishes: Everything the person wants so far, oldest first; those switched off are passed over.
        k: How many results.
        close: How many of them are looked at closely, by their regions and by what is written about them; those behind
            are in the order of the whole pictures. None for all.
        passed_over: How many times each picture was shown and nothing was made of it: such pictures sink.
        without: Pictures that must not come back, such as those of the pages before.
        conditions: A condition besides the wishes' own, such as "only pictures whose file is there".
        depth: How deep a ranking without reasons is wanted besides, for whoever asks which of many is meant.
        vectors: Vectors of pictures that wishes point at and the store may not have, by id.
        fold: Results closer to an earlier one than this cosine are folded into it; None shows them all.
        dialogue: The rounds that the wishes came from; made of the wishes alone where nobody gives them.
    """

    wishes: Sequence[Wish]
    k: int = 20
    close: int | None = None
    passed_over: Mapping[str, int] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    conditions: Filter | None = None
    depth: int = 0
    vectors: Mapping[str, FloatArray] = field(default_factory=dict)
    fold: float | None = None
    dialogue: Dialogue = ()


class Retriever(ABC):
    """Ranks a collection by everything the person has said. Deterministic: the same request, the same ranking."""

    #: Stable name, saved with each turn.
    name: str
    #: Whether a ranking depends on the rounds of the dialogue besides the wishes.
    reads_dialogue = True

    @abstractmethod
    def retrieve(self, request: SearchRequest) -> RankedResults:
        """Rank; an empty list when nothing passes the conditions."""

    def count(self, request: SearchRequest) -> int | None:
        """How many pictures of the collection match; None where nobody counts."""
        return self.retrieve(replace(request, k=1)).matches
