"""A question that could be asked, with what choosing among questions needs to know of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from visavis.language.english import bare
from visavis.questions.base import QuestionContext
from visavis.questions.information import information_gain, most_bits_of_choice, most_bits_of_yes_no
from visavis.search.answers import ANSWERABLE, FALSE_NO, FALSE_YES, STRAY
from visavis.types import Proposition, Question

FloatArray64 = NDArray[np.float64]
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
