"""Choices about what was named: what colour it has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import FloatArray
from visavis.questions.base import Option, Proposition, Question, View
from visavis.questions.concepts import ConceptBank
from visavis.questions.grammar import listed, with_article
from visavis.questions.likelihood import chance_of_options
from visavis.questions.proposals.base import Proposal, most_of_choice, share_untold
from visavis.questions.vocabulary import Kind
from visavis.questions.words import content, words_of
from visavis.retrieval.products import product

FloatArray64 = NDArray[np.float64]
_COLOURS = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
#: Things about which a colour is a strange thing to ask, or is the same for all.
_COLOURLESS = frozenset(
    "person people couple family crowd child man woman boy girl baby face hand foot eye mouth".split()
)
_SUBJECTS, _OFFERED = 1, 4
_ANSWERABLE = 0.45
#: How often a colour is said of a thing when it is asked for.
_COMMON = 0.1
_MOST = most_of_choice(_OFFERED, _ANSWERABLE)


class SubjectQuestions:
    """Asks for the colour of the things that the person named.

    The colour is read from the region that shows the thing most clearly. That needs only vectors of the vocabulary,
    so a question never has to wait for the encoder.
    """

    def __init__(self, bank: ConceptBank) -> None:
        self._bank = bank
        places = {(concept.kind, concept.phrase): place for place, concept in enumerate(bank.concepts)}
        self._colours = [(colour, places[key]) for colour in _COLOURS if (key := (Kind.COLOUR, colour)) in places]
        self._things = {
            words[0]: place
            for place, concept in enumerate(bank.concepts)
            if concept.kind is Kind.THING and len(words := content(concept.phrase)) == 1
        }

    def most(self, view: View, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With as many clearly different colours as are offered."""
        return _MOST * share_untold(view.descriptions)

    def propose(self, view: View, probabilities: FloatArray64) -> Iterator[Proposal]:
        """A question for each of the first things named, unless a colour was named with them."""
        said = words_of(view.told)
        if len(self._colours) < 2 or set(_COLOURS) & set(said):
            return
        things = [self._things[word] for word in dict.fromkeys(said) if word in self._things][:_SUBJECTS]
        for place in things:
            if self._bank.concepts[place].phrase not in _COLOURLESS:
                yield self._colour(place, view, probabilities)

    def _colour(self, place: int, view: View, probabilities: FloatArray64) -> Proposal:
        thing = self._bank.concepts[place].phrase
        cosines = self._at_the_thing(place, view.candidates.regions)
        expected = probabilities @ _chances(cosines)[:, :-1]
        kept = sorted(np.argsort(-expected, kind="stable")[:_OFFERED].tolist())
        labels = [self._colours[at][0] for at in kept]
        chosen = tuple(
            Proposition(with_article(f"{label} {thing}"), f"a photo of a {label} {thing}", Kind.COLOUR, value=label)
            for label in labels
        )
        options = tuple(
            Option(label, command=f"refine {proposition.wish}")
            for label, proposition in zip(labels, chosen, strict=True)
        )
        text = f"What colour is the {thing}: {listed(labels)}?"
        question = Question(text, "choice", f"colour of {thing}", options, chosen)
        return Proposal(question, _chances(cosines[:, kept]), _ANSWERABLE)

    def _at_the_thing(self, place: int, regions: FloatArray) -> FloatArray64:
        """``[n, c]``: how well each colour matches the region that shows the thing."""
        values = np.asarray(regions, np.float32)
        rows = values.reshape(-1, values.shape[-1])
        best = product(rows, self._bank.vectors[place]).reshape(values.shape[:2]).argmax(axis=1)
        vectors = self._bank.vectors[[at for _, at in self._colours]]
        return np.asarray(values[np.arange(len(values)), best] @ vectors.T, np.float64)


def _chances(cosines: FloatArray64) -> FloatArray64:
    return chance_of_options(cosines, [Kind.COLOUR] * cosines.shape[1], _COMMON)
