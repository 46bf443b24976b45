"""Open questions: a sentence carries more information than a yes, and is more work to answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from visavis.questions.answers import understand_answer
from visavis.questions.base import Proposal, QuestionContext
from visavis.questions.information import entropy
from visavis.types import Question

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
        return Question(self.question.text, form="open", key=self.question.key, gain=gain)


class OpenQuestions:
    """The next open question that was not asked yet."""

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:
        """What the next one is estimated to bring."""
        return max((p.weighed(probabilities, NOBODY).gain for p in self.propose(context, probabilities)), default=-inf)

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterator[Proposal]:
        """One question, until all have been asked."""
        told = [understand_answer(e.question, e.answer) for e in context.exchanges if e.question.form == "open"]
        asked = len(told)
        if asked < len(TEXTS) and not any(answer.unknown for answer in told):  # the person has nothing to add
            text = TEXTS[asked]
            yield OpenProposal(
                Question(text, form="open", key=f"open:{text}"), np.ones((len(probabilities), 1)), 1.0, asked
            )
