"""A question that could be asked, with what choosing needs to know of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from visavis.questions.base import Option, Proposition, Question, View
from visavis.questions.gain import information_gain
from visavis.questions.grammar import bare
from visavis.questions.likelihood import ANSWERABLE

FloatArray64 = NDArray[np.float64]
#: What reading one more option costs, in bits.
READING = 0.01


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
        options = tuple(
            replace(option, leaves=int((best == place).sum())) for place, option in enumerate(self.question.options)
        )
        return replace(self.question, gain=gain, options=options)


class Source(Protocol):
    """Something that proposes questions."""

    def propose(self, view: View, probabilities: FloatArray64) -> Iterable[Proposal]:
        """Questions that could be asked now; keys that were asked may come again, the chooser passes them over."""


def yes_no(text: str, key: str, proposition: Proposition, yes: FloatArray64) -> Proposal:
    """A yes/no question about one proposition; ``yes[n]`` is the chance of a yes."""
    options = (
        Option("yes", command=f"refine {proposition.wish}"),
        Option("no", command=f"avoid {bare(proposition.wish)}"),
    )
    question = Question(text, "yes/no", key, options, (proposition,))
    return Proposal(question, np.column_stack([yes, 1 - yes]), ANSWERABLE[proposition.kind])
