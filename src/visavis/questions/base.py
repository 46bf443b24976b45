"""What a question is, what a questioner sees, and what every questioner does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.types import FloatArray, Question

FloatVector = NDArray[np.float64]


@dataclass(frozen=True)
class Exchange:
    """A question that was asked, and what was answered.

    Attributes:
        question: What was asked.
        answer: The person's words; empty where they passed it over.
        bits: The candidates' entropy when it was asked, where it is known.
    """

    question: Question
    answer: str
    bits: float = 0.0


@dataclass(frozen=True)
class Candidates:
    """What might be meant, best first.

    Attributes:
        ids: The pictures.
        scores: Log-weights: what the ranking thinks of each, on the scale of natural logarithms.
        read: Reads their vectors, when somebody looks at them: often the scores alone tell what to ask.
        attributes: What the catalogue says of each.
        concepts: ``[n, v]``: the best region's cosine with each concept of the vocabulary, where it is known already.
    """

    ids: Sequence[str]
    scores: FloatVector
    read: Callable[[], tuple[FloatArray, FloatArray]]
    attributes: Sequence[Mapping[str, Any]] = ()
    concepts: FloatArray | None = None

    @cached_property
    def _vectors(self) -> tuple[FloatArray, FloatArray]:
        return self.read()

    @property
    def whole(self) -> FloatArray:
        """``[n, d]``: their vectors."""
        return self._vectors[0]

    @property
    def regions(self) -> FloatArray:
        """``[n, r, d]``: the vectors of their parts."""
        return self._vectors[1]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class QuestionContext:
    """What a questioner knows: the candidates and the conversation so far.

    Attributes:
        candidates: Best first.
        told: What the person said, in one text.
        exchanges: What was asked and answered, oldest first.
        entropies: The candidates' entropy in bits before each question and after the last answer.
        descriptions: How many sentences of their own the person said.
    """

    candidates: Candidates
    told: str = ""
    exchanges: tuple[Exchange, ...] = ()
    entropies: tuple[float, ...] = field(default=())
    descriptions: int = 1

    @property
    def asked(self) -> frozenset[str]:
        """The keys that are used up."""
        return frozenset(exchange.question.key for exchange in self.exchanges)


class Questioner(ABC):
    """Finds the one question worth asking next. Deterministic: the same context, the same question."""

    #: Stable name, used by the command line and in reports.
    name: str

    @abstractmethod
    def ask(self, context: QuestionContext) -> Question | None:
        """The next question, or None when asking would not help. Never one whose key was asked before."""
