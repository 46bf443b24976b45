"""The built-in questioner: asks the question with the greatest expected information gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from visavis.questions.answers import understand_answer
from visavis.questions.attributes import AttributeQuestions
from visavis.questions.base import (
    READING,
    FloatVector,
    Proposal,
    ProposalSource,
    QuestionContext,
    Questioner,
    candidate_set,
    entropy,
    most_bits_of_yes_no,
    posterior,
    share_untold,
)
from visavis.questions.contents import ConceptQuestions, ContrastQuestions, SubjectQuestions
from visavis.search.answers import SLIP
from visavis.search.bank import ConceptBank
from visavis.types import FloatArray, Question

#: The share of the missing bits that another sentence brings, and how much less each further one does.
SHARE, WANING = 0.3, 0.8
#: What writing a sentence costs against a tap on yes, in bits.
WRITING = 0.25
NOBODY = np.zeros(0, np.int64)
OPEN_QUESTIONS = (
    "What else can you tell me about it?",
    "What else stands out in the picture?",
    "Can you describe it in other words?",
    "What more is there to say about it?",
)
FloatArray64 = NDArray[np.float64]
TOP = 100
#: How clearly people see which of two pictures is nearer: log-odds for a difference of one in cosine.
SHARPNESS = 8.0
#: How often somebody who knows what they look for can say which of two pictures is nearer: a word is easier to answer.
_ANSWERABLE = 0.5
_ROUNDS = 5
_MOST = _ANSWERABLE * most_bits_of_yes_no(SLIP, 1 - SLIP) - 2 * READING


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
        if asked < len(OPEN_QUESTIONS) and not any(answer.unknown for answer in told):  # the person has nothing to add
            text = OPEN_QUESTIONS[asked]
            yield OpenProposal(
                Question(text, form="open", key=f"open:{text}"), np.ones((len(probabilities), 1)), 1.0, asked
            )


class ClusterQuestions:
    """Shows the most typical picture of each of two groups and asks which is nearer."""

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With two groups that are told apart as clearly as people can; nothing where many pictures are looked for."""
        return _MOST * share_untold(context.descriptions) if context.one else -inf

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterator[Proposal]:
        """One question, where one picture is looked for and there are enough candidates to have groups."""
        if not context.one or len(context.candidates) < 4:
            return
        vectors = np.asarray(context.candidates.whole[:TOP], np.float32)
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


@dataclass(frozen=True)
class StoppingRule:
    """When a questioner asks nothing.

    Attributes:
        small: With this many likely candidates or fewer, looking is quicker than answering.
        least_gain: A question must be expected to bring this many bits.
        least_help: An answer helped if it lowered the entropy by this many bits.
        useless: After so many answers in a row that did not help, no more is asked.
        most: Never more questions than this in one conversation.
    """

    small: int = 6
    least_gain: float = 0.08
    least_help: float = 0.02
    useless: int = 2
    most: int = 20

    def says_enough(self, context: QuestionContext, likely: int) -> bool:
        """Whether to ask nothing, whatever could be asked."""
        return likely <= self.small or len(context.exchanges) >= self.most or self._answers_do_not_help(context)

    def _answers_do_not_help(self, context: QuestionContext) -> bool:
        last = context.exchanges[-self.useless :]
        if len(last) < self.useless:
            return False
        if all(understand_answer(exchange.question, exchange.answer).unknown for exchange in last):
            return True
        bits = context.entropies[-self.useless - 1 :]
        falls = [before - after for before, after in pairwise(bits)]
        return len(falls) == self.useless and all(fall < self.least_help for fall in falls)


#: For comparing questioners at equal rounds: asks as long as it may.
NEVER_STOP = StoppingRule(small=0, least_gain=-1.0, least_help=-1e9, useless=10**6, most=10**6)


#: The mass that a set of candidates must hold so that nine times in ten the target is in it (docs/questions.md).
CONFORMAL_MASS = 0.94
#: 1 uses the ranking's scores unchanged; on development targets neither 1.5 nor 3 found more.
TEMPERATURE = 1.0


class InformedQuestioner(Questioner):
    """Weighs the questions that its sources propose by expected information gain, less what answering costs.

    Sources that cannot beat what was found already are not asked.
    """

    name = "builtin"

    def __init__(
        self,
        sources: Sequence[ProposalSource],
        stopping: StoppingRule | None = None,
        *,
        temperature: float = TEMPERATURE,
        mass: float = CONFORMAL_MASS,
    ) -> None:
        self.sources = tuple(sources)
        self.stopping = stopping or StoppingRule()
        self._temperature = temperature
        self._mass = mass

    def ask(self, context: QuestionContext) -> Question | None:
        """The question that is worth most, or None."""
        if not len(context.candidates):
            return None
        probabilities = posterior(context.candidates.scores, self._temperature)
        likely = candidate_set(probabilities, self._mass)
        if self.stopping.says_enough(context, len(likely)):
            return None
        promising = [one for one in self._most_promising(context, probabilities) if one[0] >= self.stopping.least_gain]
        best: tuple[float, int, Question] | None = None
        for most, place in promising:
            if best is not None and most < best[0]:
                break
            question = self._best_of(self.sources[place], context, probabilities, likely)
            if question is not None and (best is None or (question.gain, -place) > best[:2]):
                best = (question.gain, -place, question)
        return best[2] if best is not None and best[0] >= self.stopping.least_gain else None

    def _most_promising(self, context: QuestionContext, probabilities: FloatVector) -> list[tuple[float, int]]:
        """What each source can bring at most, and its place, the most promising first."""
        bounds = [(source.most(context, probabilities), place) for place, source in enumerate(self.sources)]
        return sorted(bounds, key=lambda bound: (-bound[0], bound[1]))

    def _best_of(
        self, source: ProposalSource, context: QuestionContext, probabilities: FloatVector, likely: NDArray[np.int64]
    ) -> Question | None:
        said = {exchange.question.text for exchange in context.exchanges}
        best: Question | None = None
        for proposal in source.propose(context, probabilities):
            if proposal.question.key in context.asked or proposal.question.text in said:
                continue
            question = _discounted(proposal.weighed(probabilities, likely), context.descriptions)
            if best is None or question.gain > best.gain:
                best = question
        return best


def _discounted(question: Question, descriptions: int) -> Question:
    """With less gain, the more was described: what a picture shows was partly told, what the catalogue says was not."""
    if question.form == "open" or any(proposition.attribute for proposition in question.propositions):
        return question
    return replace(question, gain=question.gain * share_untold(descriptions))


def default_sources(bank: ConceptBank, *, open_questions: bool = True, pictures: bool = True) -> list[ProposalSource]:
    """Every source; without the open questions or those that show pictures, where the person should not get them."""
    sources: list[ProposalSource] = [
        AttributeQuestions(),
        ConceptQuestions(bank),
        SubjectQuestions(bank),
        ContrastQuestions(bank),
    ]
    if pictures:
        sources.append(ClusterQuestions())
    if open_questions:
        sources.append(OpenQuestions())
    return sources
