"""Two groups among the best candidates, and the question which of them it is more like."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from visavis.questions.base import READING, Proposal, QuestionContext, share_untold
from visavis.questions.information import most_bits_of_yes_no
from visavis.search.answers import SLIP
from visavis.types import FloatArray, Question

FloatArray64 = NDArray[np.float64]
TOP = 100
#: How clearly people see which of two pictures is nearer: log-odds for a difference of one in cosine.
SHARPNESS = 8.0
_ANSWERABLE = 0.75
_ROUNDS = 5
_MOST = _ANSWERABLE * most_bits_of_yes_no(SLIP, 1 - SLIP) - 2 * READING


class ClusterQuestions:
    """Shows the most typical picture of each of two groups and asks which is nearer."""

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With two groups that are told apart as clearly as people can."""
        return _MOST * share_untold(context.descriptions)

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterator[Proposal]:
        """One question, where there are enough candidates to have groups."""
        vectors = np.asarray(context.candidates.whole[:TOP], np.float32)
        if len(vectors) < 4:
            return
        first, second = _typical_pair(vectors, probabilities[:TOP])
        if first == second:
            return
        ids = context.candidates.ids
        chances = nearer(context.candidates.whole, vectors[[first, second]])
        options = tuple((label, f"like id:{ids[place]}") for label, place in (("A", first), ("B", second)))
        key = "alike:" + ":".join(sorted((ids[first], ids[second])))
        question = Question("Is it more like A or like B?", options, "choice", key, pictures=(ids[first], ids[second]))
        yield Proposal(question, chances, _ANSWERABLE)


def nearer(vectors: FloatArray, pair: FloatArray) -> FloatArray64:
    """``[n, 2]``: how likely a person who means each picture finds it nearer to the first or to the second."""
    difference = np.asarray(vectors, np.float64) @ (pair[0] - pair[1]).astype(np.float64)
    first = SLIP + (1 - 2 * SLIP) / (1 + np.exp(-SHARPNESS * difference))
    return np.column_stack([first, 1 - first])


def _typical_pair(vectors: FloatArray, weights: FloatArray64) -> tuple[int, int]:
    """Spherical k-means with two centres, started from the most likely picture and the one least like it."""
    centres = vectors[[0, int(np.argmin(vectors @ vectors[0]))]].astype(np.float64)
    for _ in range(_ROUNDS):
        group = (vectors @ centres.T).argmax(axis=1)
        sums = [(vectors[group == side] * (weights[group == side, None] + 1e-9)).sum(axis=0) for side in (0, 1)]
        lengths = [float(np.linalg.norm(total)) for total in sums]
        if min(lengths) == 0:
            return 0, 0
        centres = np.array([total / length for total, length in zip(sums, lengths, strict=True)])
    first, second = (vectors @ centres.T).argmax(axis=0)
    return int(first), int(second)
