"""Posterior over a gallery given the messages so far: one log-weight a picture, the same rule for every questioner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cachetools import FIFOCache
from numpy.typing import NDArray

from visavis.lab.evaluation.gallery import Gallery
from visavis.questions.answers import SENTENCE, said_about, understand_answer
from visavis.questions.informed import nearer
from visavis.search.answers import chance_of_options, chance_of_yes, common_of, kinds_of
from visavis.search.bank import ConceptBank
from visavis.types import Kind, Proposition, Question

FloatVector = NDArray[np.float64]
_REMEMBERED = 4000


@dataclass(frozen=True)
class Weights:
    """Weights of each kind of evidence; tuned on development targets (docs/chatir.md).

    Attributes:
        text: Log-weight for a cosine of one with a sentence.
        region: The weight of the best region in that cosine.
        answer: The weight of an answer's log-likelihood against a sentence's.
        denial: The same for a "no".
        attribute: The probability that the catalogue and a user disagree about an attribute.
    """

    text: float = 30.0
    region: float = 0.3
    answer: float = 1.0
    denial: float = 1.0
    attribute: float = 0.03


class Belief:
    """Log-weights over a gallery. Stateless but for a cache: the messages are arguments."""

    def __init__(self, gallery: Gallery, bank: ConceptBank, weights: Weights | None = None) -> None:
        self.gallery = gallery
        self.bank = bank
        self.weights = weights or Weights()
        self._regions = np.asarray(gallery.regions, np.float32)
        self._cosines: FIFOCache[str, NDArray[np.float32]] = FIFOCache(_REMEMBERED)
        self._table: NDArray[np.float16] | None = None

    @property
    def table(self) -> NDArray[np.float16]:
        """``[n, v]``: the match of every picture with every concept of the vocabulary, computed once."""
        if self._table is None:
            self._table = self.bank.match(self._regions).astype(np.float16)
        return self._table

    def sentence_evidence(self, text: str) -> FloatVector:
        """Return the evidence of a sentence."""
        vector = self.bank.prompt_vectors([text])[0]
        share = self.weights.region
        cosines = (1 - share) * (self.gallery.whole @ vector) + share * self._best_region(text)
        return np.asarray(self.weights.text * cosines, np.float64)

    def answer_evidence(self, question: Question, answer: str, descriptions: int = 1) -> FloatVector:
        """Return the evidence of an answer; zeros where there is none.

        Args:
            question: The question.
            answer: The answer.
            descriptions: How many sentences the user has said: the more, the less an answer adds.
        """
        reading = understand_answer(question, answer)
        nothing = np.zeros(len(self.gallery))
        if reading.unknown:
            return nothing
        if reading.free:
            return self._free(question, reading.free)
        if question.pictures:
            return nothing if reading.chosen is None else self._alike(question, reading.chosen)
        if not question.propositions:
            return nothing
        chances = self._chances(question)
        place = chances.shape[1] - 1 if reading.none else reading.chosen
        if place is None:
            return nothing
        denied = reading.none or (question.form == "yes/no" and place == 1)
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
        """Return which pictures have this value of an attribute; ``< 16`` and ``>= 16`` are bands of a number."""
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
            return self.sentence_evidence(text)
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
        return self._cosines[prompt]
