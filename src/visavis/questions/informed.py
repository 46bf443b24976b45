"""The built-in questioner: asks what is expected to tell most about the candidates that are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visavis.questions.base import FloatVector, Question, Questioner, View
from visavis.questions.concepts import ConceptBank
from visavis.questions.posterior import candidate_set, posterior
from visavis.questions.proposals.attributes import AttributeQuestions
from visavis.questions.proposals.base import Source, share_untold
from visavis.questions.proposals.clusters import ClusterQuestions
from visavis.questions.proposals.concepts import ConceptQuestions
from visavis.questions.proposals.contrasts import ContrastQuestions
from visavis.questions.proposals.opening import OpenQuestions
from visavis.questions.proposals.subjects import SubjectQuestions
from visavis.questions.stopping import Stopping

#: The mass that a set of candidates must hold so that nine times in ten the target is in it (docs/questions.md).
CONFORMAL_MASS = 0.94
#: 1 takes the ranking's scores at their word; on development targets neither 1.5 nor 3 found more.
TEMPERATURE = 1.0


class InformedQuestioner(Questioner):
    """Weighs the questions that its sources propose by expected information gain, less what answering costs.

    Sources that cannot beat what was found already are not asked.
    """

    name = "builtin"

    def __init__(
        self,
        sources: Sequence[Source],
        stopping: Stopping | None = None,
        *,
        temperature: float = TEMPERATURE,
        mass: float = CONFORMAL_MASS,
    ) -> None:
        self.sources = tuple(sources)
        self.stopping = stopping or Stopping()
        self._temperature = temperature
        self._mass = mass

    def ask(self, view: View) -> Question | None:
        """The question that is worth most, or None."""
        if not len(view.candidates):
            return None
        probabilities = posterior(view.candidates.scores, self._temperature)
        likely = candidate_set(probabilities, self._mass)
        if self.stopping.says_enough(view, len(likely)):
            return None
        best: tuple[float, int, Question] | None = None
        for most, place in self._most_promising(view, probabilities):
            if most < (self.stopping.least_gain if best is None else best[0]):
                break
            question = self._best_of(self.sources[place], view, probabilities, likely)
            if question is not None and (best is None or (question.gain, -place) > best[:2]):
                best = (question.gain, -place, question)
        return best[2] if best is not None and best[0] >= self.stopping.least_gain else None

    def _most_promising(self, view: View, probabilities: FloatVector) -> list[tuple[float, int]]:
        """What each source can bring at most, and its place, the most promising first."""
        bounds = [(source.most(view, probabilities), place) for place, source in enumerate(self.sources)]
        return sorted(bounds, key=lambda bound: (-bound[0], bound[1]))

    def _best_of(
        self, source: Source, view: View, probabilities: FloatVector, likely: NDArray[np.int64]
    ) -> Question | None:
        said = {exchange.question.text for exchange in view.exchanges}
        best: Question | None = None
        for proposal in source.propose(view, probabilities):
            if proposal.question.key in view.asked or proposal.question.text in said:
                continue
            question = _discounted(proposal.weighed(probabilities, likely), view.descriptions)
            if best is None or question.gain > best.gain:
                best = question
        return best


def _discounted(question: Question, descriptions: int) -> Question:
    """With less gain, the more was described: what a picture shows was partly told, what the catalogue says was not."""
    if question.form == "open" or any(proposition.attribute for proposition in question.propositions):
        return question
    return replace(question, gain=question.gain * share_untold(descriptions))


def default_sources(bank: ConceptBank, *, open_questions: bool = True, pictures: bool = True) -> list[Source]:
    """Every source; without the open questions or those that show pictures, where the person should not get them."""
    sources: list[Source] = [
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
