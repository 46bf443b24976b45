"""Yes/no questions about what the pictures show."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import FloatArray
from visavis.questions.answers import hear
from visavis.questions.base import Proposition, View
from visavis.questions.concepts import ConceptBank
from visavis.questions.gain import yes_no_gains
from visavis.questions.likelihood import ANSWERABLE, Lines
from visavis.questions.proposals.base import MOST_OF_YES_NO, Proposal, share_untold, yes_no
from visavis.questions.words import content, words_of
from visavis.retrieval.products import product

FloatArray64 = NDArray[np.float64]
#: How many of the best are worth weighing one by one, and how many of the most telling are looked at closely.
SHORTLIST, CLOSELY = 8, 96
#: By how much the best region's cosine with a concept exceeds the whole picture's, on average.
REGION_ABOVE_WHOLE = 0.06
#: Candidates beyond these hardly count, but cost as much to look at.
LIKELIEST = 48


class ConceptQuestions:
    """The concepts of the vocabulary that split the candidates best."""

    def __init__(self, bank: ConceptBank) -> None:
        self._bank = bank
        kinds = [concept.kind for concept in bank.concepts]
        self._lines = Lines.of(kinds, [concept.common for concept in bank.concepts])
        self._answerable = np.array([ANSWERABLE[kind] for kind in kinds])
        self._content = [frozenset(content(concept.phrase)) for concept in bank.concepts]
        self._places = {concept.key: place for place, concept in enumerate(bank.concepts)}

    def most(self, view: View, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With a concept that splits the candidates as clearly as the encoder can."""
        return MOST_OF_YES_NO * share_untold(view.descriptions)

    def propose(self, view: View, probabilities: FloatArray64) -> Iterator[Proposal]:
        """The best ones that are neither asked nor said nor settled."""
        places, yes = self._closely(view, probabilities)
        worth = self._answerable[places] * yes_no_gains(probabilities, yes)
        said, ruled_out = frozenset(words_of(view.told)), self._ruled_out(view)
        asked = {self._content[self._places[key]] for key in view.asked if key in self._places}
        found = 0
        for at in np.argsort(-worth, kind="stable"):
            if found == SHORTLIST or worth[at] <= 0:
                return
            concept, words = self._bank.concepts[places[at]], self._content[places[at]]
            if concept.key in view.asked or words in asked:  # "a bus" and "any buses" are one question
                continue
            if words <= said or any(wider <= words for wider in ruled_out):
                continue
            found += 1
            proposition = Proposition(concept.wish, concept.prompt, concept.kind, common=concept.common)
            yield yes_no(concept.question, concept.key, proposition, yes[:, at])

    def _closely(self, view: View, probabilities: FloatArray64) -> tuple[NDArray[np.int64], FloatArray64]:
        """The concepts worth a close look, and the chance of a yes to each: ``[n, q]``."""
        known = view.candidates.concepts
        if known is not None:
            places = self._most_telling(known[:LIKELIEST], probabilities[:LIKELIEST])
            cosines = known[:, places]
        else:  # every region with every concept would take too long: whole pictures tell which concepts matter
            whole = product(np.asarray(view.candidates.whole[:LIKELIEST], np.float32), self._bank.vectors)
            places = self._most_telling(whole + REGION_ABOVE_WHOLE, probabilities[:LIKELIEST])
            cosines = self._bank.match(view.candidates.regions, self._bank.vectors[places])
        return places, self._lines.at(places).chance_of_yes(cosines).astype(np.float64)

    def _most_telling(self, cosines: FloatArray, probabilities: FloatArray64) -> NDArray[np.int64]:
        """The concepts in whose yes and no the likeliest candidates differ most: a quick look before the close one."""
        weights = (probabilities / max(probabilities.sum(), 1e-300)).astype(np.float32)
        yes = self._lines.chance_of_yes(cosines)
        mean = weights @ yes
        spread = weights @ (yes - mean) ** 2
        return np.asarray(np.argsort(-spread, kind="stable")[:CLOSELY])

    def _ruled_out(self, view: View) -> list[frozenset[str]]:
        """What was denied: with "no dog" there is no need to ask for a dog running."""
        return [
            words
            for exchange in view.exchanges
            if hear(exchange.question, exchange.answer).chosen == 1
            and (place := self._places.get(exchange.question.key)) is not None
            and (words := self._content[place])
        ]
