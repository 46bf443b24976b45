"""What everything said so far makes of a gallery: one log-weight a picture, the same rule for every questioner."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.evaluation.gallery import Gallery
from visavis.questions.answers import hear
from visavis.questions.base import Proposition, Question
from visavis.questions.concepts import ConceptBank
from visavis.questions.free import SENTENCE, said_about
from visavis.questions.likelihood import chance_of_options, chance_of_yes, common_of, kinds_of
from visavis.questions.proposals.clusters import nearer
from visavis.questions.vocabulary import Kind

FloatVector = NDArray[np.float64]
_REMEMBERED = 4000


@dataclass(frozen=True)
class Weights:
    """How much each kind of evidence counts; found on development targets (docs/chatir.md).

    Attributes:
        text: Log-weight for a cosine of one with a sentence.
        region: The share of the best region in that cosine.
        answer: How much an answer's log-likelihood counts against a sentence's.
        denial: The same for a "no".
        attribute: The chance that the catalogue and a person disagree about an attribute.
    """

    text: float = 30.0
    region: float = 0.3
    answer: float = 1.0
    denial: float = 1.0
    attribute: float = 0.03


class Belief:
    """Log-weights over a gallery. Keeps no state but a cache: what was said is given to it."""

    def __init__(self, gallery: Gallery, bank: ConceptBank, weights: Weights | None = None) -> None:
        self.gallery = gallery
        self.bank = bank
        self.weights = weights or Weights()
        self._regions = np.asarray(gallery.regions, np.float32)
        self._cosines: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._table: NDArray[np.float16] | None = None

    @property
    def table(self) -> NDArray[np.float16]:
        """``[n, v]``: every picture's match with every concept of the vocabulary, made once."""
        if self._table is None:
            self._table = self.bank.match(self._regions).astype(np.float16)
        return self._table

    def told(self, text: str) -> FloatVector:
        """What a sentence says."""
        vector = self.bank.prompt_vectors([text])[0]
        share = self.weights.region
        cosines = (1 - share) * (self.gallery.whole @ vector) + share * self._best_region(text)
        return np.asarray(self.weights.text * cosines, np.float64)

    def heard(self, question: Question, said: str, descriptions: int = 1) -> FloatVector:
        """What an answer says; zeros where nothing can be learnt.

        Args:
            question: What was asked.
            said: The answer.
            descriptions: How many sentences the person has said: the more, the less an answer adds to them.
        """
        heard = hear(question, said)
        nothing = np.zeros(len(self.gallery))
        if heard.unknown:
            return nothing
        if heard.free:
            return self._free(question, heard.free)
        if question.pictures:
            return nothing if heard.chosen is None else self._alike(question, heard.chosen)
        if not question.propositions:
            return nothing
        chances = self._chances(question)
        place = chances.shape[1] - 1 if heard.none else heard.chosen
        if place is None:
            return nothing
        denied = heard.none or (question.form == "yes/no" and place == 1)
        weight = self.weights.denial if denied else self.weights.answer
        if not question.propositions[0].attribute:
            weight /= max(descriptions, 1)
        return np.asarray(weight * np.log(chances[:, place]))

    def _chances(self, question: Question) -> FloatVector:
        propositions = question.propositions
        if propositions[0].attribute:
            return self._attribute_chances(propositions)
        cosines = np.column_stack([self._best_region(p.prompt) for p in propositions]).astype(np.float64)
        if question.form == "yes/no":
            yes = chance_of_yes(cosines, kinds_of(propositions), common_of(propositions))
            return np.hstack([yes, 1 - yes])
        return chance_of_options(cosines, kinds_of(propositions), common_of(propositions))

    def _attribute_chances(self, propositions: tuple[Proposition, ...]) -> FloatVector:
        true = np.column_stack([self._has(p.attribute, p.value) for p in propositions])
        true = np.hstack([true, ~true.any(axis=1, keepdims=True)])
        slip = self.weights.attribute
        return np.where(true, 1 - slip, slip / (true.shape[1] - 1))

    def _has(self, name: str, value: str) -> NDArray[np.bool_]:
        """Which pictures have this value of an attribute; ``< 16`` and ``>= 16`` are bands of a number."""
        rows = [row.get(name) for row in self.gallery.attributes]
        comparison, _, limit = value.partition(" ")
        if comparison in ("<", ">="):
            below = [isinstance(x, int | float) and x < float(limit) for x in rows]
            number = [isinstance(x, int | float) for x in rows]
            return np.array(below if comparison == "<" else [n and not b for n, b in zip(number, below, strict=True)])
        return np.array([str(x) == value for x in rows])

    def _free(self, question: Question, said: str) -> FloatVector:
        text = said_about(question.text, said)
        if len(said.split()) >= SENTENCE:
            return self.told(text)
        cosines = self._best_region(f"a photo of {text}").astype(np.float64)[:, None]
        return np.asarray(self.weights.answer * np.log(chance_of_yes(cosines, [Kind.STUFF]))[:, 0])

    def _alike(self, question: Question, chosen: int) -> FloatVector:
        pair = self.gallery.whole[[self.gallery.places[id] for id in question.pictures]]
        return np.asarray(self.weights.answer * np.log(nearer(self.gallery.whole, pair)[:, chosen]))

    def _best_region(self, prompt: str) -> NDArray[np.float32]:
        place = self.bank.places.get(prompt, len(self.bank.concepts))
        if place < len(self.bank.concepts):
            return self.table[:, place].astype(np.float32)
        if prompt not in self._cosines:
            vectors = self.bank.prompt_vectors([prompt])
            self._cosines[prompt] = self.bank.match(self._regions, vectors)[:, 0]
            if len(self._cosines) > _REMEMBERED:
                self._cosines.popitem(last=False)
        return self._cosines[prompt]
