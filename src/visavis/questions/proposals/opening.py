"""Open questions: a sentence in the person's own words says more than any yes, and costs them more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from visavis.questions.answers import hear
from visavis.questions.base import Question, View
from visavis.questions.posterior import entropy
from visavis.questions.proposals.base import Proposal

FloatArray64 = NDArray[np.float64]
#: The share of the missing bits that another sentence brings, and how much less each further one does.
SHARE, WANING = 0.3, 0.8
#: What writing a sentence costs against a tap on yes, in bits.
WRITING = 0.25
NOBODY = np.zeros(0, np.int64)
TEXTS = (
    "What else can you tell me about it?",
    "What else stands out in the picture?",
    "Can you describe it in other words?",
    "What more is there to say about it?",
)


@dataclass(frozen=True)
class OpenProposal(Proposal):
    """Its gain is an estimate: the answers cannot be listed."""

    asked_before: int = 0

    def weighed(self, probabilities: FloatArray64, likely: NDArray[np.int64]) -> Question:  # noqa: ARG002
        """The question with its estimated gain."""
        gain = entropy(probabilities) * SHARE * WANING**self.asked_before - WRITING
        return Question(self.question.text, "open", self.question.key, gain=gain)


class OpenQuestions:
    """The next open question that was not asked yet."""

    def most(self, view: View, probabilities: FloatArray64) -> float:
        """What the next one is estimated to bring."""
        return max((p.weighed(probabilities, NOBODY).gain for p in self.propose(view, probabilities)), default=-inf)

    def propose(self, view: View, probabilities: FloatArray64) -> Iterator[Proposal]:
        """One question, until all have been asked."""
        told = [hear(e.question, e.answer) for e in view.exchanges if e.question.form == "open"]
        asked = len(told)
        if asked < len(TEXTS) and not any(heard.unknown for heard in told):  # who has no more to say is not pressed
            text = TEXTS[asked]
            yield OpenProposal(Question(text, "open", f"open:{text}"), np.ones((len(probabilities), 1)), 1.0, asked)
