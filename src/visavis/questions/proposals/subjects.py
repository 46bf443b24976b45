"""Choices about what was named: what colour it has, how many there are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from visavis.questions.base import Option, Proposition, Question, View
from visavis.questions.concepts import ConceptBank
from visavis.questions.grammar import listed, plural, with_article
from visavis.questions.likelihood import chance_of_options, kinds_of
from visavis.questions.proposals.base import Proposal
from visavis.questions.vocabulary import Kind
from visavis.questions.words import content, words_of

FloatArray64 = NDArray[np.float64]
_COLOURS = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
_NUMBERS = ("one", "two", "three", "many")
#: Things about which a colour is a strange thing to ask, or is the same for all.
_COLOURLESS = frozenset(
    "person people couple family crowd child man woman boy girl baby face hand foot eye mouth".split()
)
_SUBJECTS, _OFFERED = 1, 4
_COLOUR_ANSWERABLE, _COUNT_ANSWERABLE = 0.45, 0.6


class SubjectQuestions:
    """Asks for the colour and the number of the things that the person named."""

    def __init__(self, bank: ConceptBank) -> None:
        self._bank = bank
        self._things = {
            words[0]: concept.phrase
            for concept in bank.concepts
            if concept.kind is Kind.THING and len(words := content(concept.phrase)) == 1
        }

    def propose(self, view: View, probabilities: FloatArray64) -> Iterator[Proposal]:
        """Two questions for each of the first things named."""
        said = words_of(view.told)
        things = [self._things[word] for word in dict.fromkeys(said) if word in self._things][:_SUBJECTS]
        for thing in things:
            if thing not in _COLOURLESS and not set(_COLOURS) & set(said):
                yield from self._colour(thing, view, probabilities)
            if not set(_NUMBERS) & set(said):
                yield from self._count(thing, view)

    def _colour(self, thing: str, view: View, probabilities: FloatArray64) -> Iterator[Proposal]:
        every = tuple(
            Proposition(with_article(f"{colour} {thing}"), f"a photo of a {colour} {thing}", Kind.COLOUR, value=colour)
            for colour in _COLOURS
        )
        expected = probabilities @ self._chances(every, view)[:, :-1]
        chosen = tuple(every[place] for place in sorted(np.argsort(-expected, kind="stable")[:_OFFERED]))
        labels = [proposition.value for proposition in chosen]
        text = f"What colour is the {thing}: {listed(labels)}?"
        yield self._choice(text, f"colour of {thing}", chosen, labels, view, _COLOUR_ANSWERABLE)

    def _count(self, thing: str, view: View) -> Iterator[Proposal]:
        names = [f"{number} {thing if number == 'one' else plural(thing)}" for number in _NUMBERS]
        chosen = tuple(Proposition(name, f"a photo of {name}", Kind.COUNT, value=name.split()[0]) for name in names)
        text = f"How many {plural(thing)} are there: {listed(_NUMBERS)}?"
        yield self._choice(text, f"number of {thing}", chosen, list(_NUMBERS), view, _COUNT_ANSWERABLE)

    def _choice(
        self, text: str, key: str, chosen: tuple[Proposition, ...], labels: list[str], view: View, answerable: float
    ) -> Proposal:
        options = tuple(
            Option(label, command=f"refine {proposition.wish}")
            for label, proposition in zip(labels, chosen, strict=True)
        )
        return Proposal(Question(text, "choice", key, options, chosen), self._chances(chosen, view), answerable)

    def _chances(self, propositions: tuple[Proposition, ...], view: View) -> FloatArray64:
        vectors = self._bank.prompt_vectors([proposition.prompt for proposition in propositions])
        cosines = self._bank.match(view.candidates.regions, vectors)
        return chance_of_options(cosines.astype(np.float64), kinds_of(propositions))
