"""Questions: what a questioner sees, what it may propose, and the information that an answer is expected to bring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visavis.errors import BadInputError
from visavis.language.english import bare
from visavis.search.answers import ANSWERABLE, FALSE_NO, FALSE_YES, STRAY
from visavis.types import FloatArray, Proposition, Question

FloatVector = NDArray[np.float64]
FloatArray64 = NDArray[np.float64]
#: A bound must hold for rounded numbers, too.
_ROUNDING = 1e-4


def posterior(scores: ArrayLike, temperature: float = 1.0) -> FloatVector:
    """Probabilities out of log-weights: a higher score never has a lower probability.

    Args:
        scores: Natural logarithms of weights, such as the encoder's scale times a cosine.
        temperature: Above 1 makes it less sure; what calibration found for the ranking in use.
    """
    values = np.asarray(scores, np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise BadInputError("Scores must be a list of finite numbers.")
    if temperature <= 0:
        raise BadInputError(f"A temperature cannot be {temperature}.", "Use more than 0.")
    if not values.size:
        return values
    weights = np.exp((values - values.max()) / temperature)
    return np.asarray(weights / weights.sum())


def entropy(probabilities: ArrayLike) -> float:
    """Bits that are missing to know for certain."""
    values = np.asarray(probabilities, np.float64)
    values = values[values > 0]
    return float(-(values * np.log2(values)).sum()) + 0.0


def candidate_set(probabilities: ArrayLike, mass: float) -> NDArray[np.int64]:
    """The fewest candidates that hold this much probability, most likely first."""
    values = np.asarray(probabilities, np.float64)
    order = np.argsort(-values, kind="stable")
    needed = int(np.searchsorted(np.cumsum(values[order]), mass - 1e-12)) + 1
    return np.asarray(order[: min(needed, len(order))])


def information_gain(probabilities: FloatArray64, likelihood: FloatArray64) -> float:
    """Expected fall of the candidates' entropy when the question is answered.

    Args:
        probabilities: ``[n]``: the candidates.
        likelihood: ``[n, a]``: how likely each answer is if that candidate is meant; rows add up to one.
    """
    answers = probabilities @ likelihood
    return float(_bits(answers).sum() - probabilities @ _bits(likelihood).sum(axis=1))


def yes_no_gains(probabilities: FloatArray64, yes: FloatArray64) -> FloatArray64:
    """The gain of many yes/no questions at once; ``yes[n, q]`` is the chance of a yes to each if n is meant."""
    expected = probabilities @ yes
    known = probabilities @ (_bits(yes) + _bits(1 - yes))
    return np.asarray(_bits(expected) + _bits(1 - expected) - known)


def most_bits_of_yes_no(least: float, most: float) -> float:
    """What a yes/no question can bring at best, if no candidate's chance of a yes lies outside these two.

    The gain is largest when every candidate has one of the two chances: it is the capacity of that channel.
    """
    share = np.linspace(0.0, 1.0, 1001)
    expected = share * most + (1 - share) * least
    ends = _bits(np.array([least, 1 - least, most, 1 - most]))
    known = share * ends[2:].sum() + (1 - share) * ends[:2].sum()
    return float((_bits(expected) + _bits(1 - expected) - known).max()) + _ROUNDING


def most_bits_of_choice(answers: int, stray: float) -> float:
    """What a choice can bring at best, if this share of the answers is spread evenly whatever is meant."""
    clearest = np.full(answers, stray / answers)
    clearest[0] += 1 - stray
    return float(np.log2(answers) - _bits(clearest).sum()) + _ROUNDING


def _bits(values: FloatArray64) -> FloatArray64:
    """``-p log2 p``, and 0 for 0."""
    safe = np.where(values > 0, values, 1.0)
    return np.asarray(-safe * np.log2(safe))


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
        read: Reads their vectors when they are needed: often the scores alone tell what to ask.
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
        passed: Keys of questions that would split nothing.
        one: Whether the person looks for one picture, and not for all of a kind.
    """

    candidates: Candidates
    told: str = ""
    exchanges: tuple[Exchange, ...] = ()
    entropies: tuple[float, ...] = field(default=())
    descriptions: int = 1
    passed: frozenset[str] = frozenset()
    one: bool = True

    @property
    def asked(self) -> frozenset[str]:
        """The keys of questions that were asked, or need not be."""
        return self.passed | {exchange.question.key for exchange in self.exchanges}


class Questioner(ABC):
    """Finds the one question worth asking next. Deterministic: the same context, the same question."""

    #: Stable name, used by the command line and in reports.
    name: str

    @abstractmethod
    def ask(self, context: QuestionContext) -> Question | None:
        """The next question, or None when asking would not help. Never one whose key was asked before."""


#: What reading one more option costs, in bits.
READING = 0.01
#: The most that a yes/no question about a concept can be worth before anything was described.
MOST_OF_YES_NO = max(ANSWERABLE.values()) * most_bits_of_yes_no(FALSE_YES, 1 - FALSE_NO) - 2 * READING


@dataclass(frozen=True)
class Proposal:
    """A question and how its answers depend on the candidate.

    Attributes:
        question: Without gain and counts yet.
        likelihood: ``[n, a]``: the chance of each answer if that candidate is meant. The first answers are the
            question's options in order; a last one more stands for "none of them".
        answerable: How often people can answer it at all.
    """

    question: Question
    likelihood: FloatArray64
    answerable: float = 1.0

    def weighed(self, probabilities: FloatArray64, likely: NDArray[np.int64]) -> Question:
        """The question with its gain, and with how many of the likely candidates each option would leave."""
        gain = self.answerable * information_gain(probabilities, self.likelihood)
        gain -= READING * len(self.question.options)
        best = self.likelihood[likely].argmax(axis=1)
        leaves = tuple(int((best == place).sum()) for place in range(len(self.question.options)))
        return replace(self.question, gain=gain, leaves=leaves)


def most_of_choice(options: int, answerable: float) -> float:
    """The most that a choice of what pictures show can be worth before anything was described."""
    return answerable * most_bits_of_choice(options + 1, STRAY) - options * READING


def share_untold(descriptions: int) -> float:
    """What a question about what pictures show is still worth: the more was described, the more of it was told."""
    return 1.0 / max(descriptions, 1)


class ProposalSource(Protocol):
    """Something that proposes questions."""

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterable[Proposal]:
        """Questions that could be asked now; keys that were asked may come again, the chooser passes them over."""

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:
        """No question of this source can be worth more bits now: what cannot win need not be worked out."""


def yes_no(text: str, key: str, proposition: Proposition, yes: FloatArray64) -> Proposal:
    """A yes/no question about one proposition; ``yes[n]`` is the chance of a yes."""
    options = (
        ("yes", f"refine {proposition.wish}"),
        ("no", f"avoid {bare(proposition.wish)}"),
    )
    question = Question(text, options, "yes/no", key, propositions=(proposition,))
    return Proposal(question, np.column_stack([yes, 1 - yes]), ANSWERABLE[proposition.kind])
