"""Questions about what the pictures show: whether a concept is there, which of several, in which colour."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from visavis.language.english import content, listed, with_article, words_of
from visavis.questions.answers import understand_answer
from visavis.questions.base import (
    MOST_OF_YES_NO,
    Proposal,
    QuestionContext,
    most_of_choice,
    share_untold,
    yes_no,
    yes_no_gains,
)
from visavis.search.answers import ANSWERABLE, Lines, chance_of_options, common_of, kinds_of
from visavis.search.bank import ConceptBank
from visavis.search.vectors import product
from visavis.search.vocabulary import CONTRASTS, Contrast, prompts, propositions_of
from visavis.types import FloatArray, Kind, Proposition, Question

FloatArray64 = NDArray[np.float64]
#: How many of the best are worth weighing one by one, and how many of the most telling are looked at closely.
SHORTLIST, CLOSELY = 8, 96
#: By how much the best region's cosine with a concept exceeds the whole picture's, on average.
REGION_ABOVE_WHOLE = 0.06
#: Nobody buys a background, or looks for a photo by it.
_NOT_ASKED = frozenset({"background"})
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

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With a concept that splits the candidates as clearly as the encoder can."""
        return MOST_OF_YES_NO * share_untold(context.descriptions)

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterator[Proposal]:
        """The best ones that are neither asked nor said nor settled."""
        places, yes = self._closely(context, probabilities)
        worth = self._answerable[places] * yes_no_gains(probabilities, yes)
        said, ruled_out = frozenset(words_of(context.told)), self._ruled_out(context)
        asked = {self._content[self._places[key]] for key in context.asked if key in self._places}
        found = 0
        for at in np.argsort(-worth, kind="stable"):
            if found == SHORTLIST or worth[at] <= 0:
                return
            concept, words = self._bank.concepts[places[at]], self._content[places[at]]
            if concept.key in context.asked or words in asked:  # "a bus" and "any buses" are one question
                continue
            if words & _NOT_ASKED or words <= said or any(wider <= words for wider in ruled_out):
                continue
            found += 1
            proposition = Proposition(concept.wish, concept.prompt, concept.kind, common=concept.common)
            yield yes_no(concept.question, concept.key, proposition, yes[:, at])

    def _closely(self, context: QuestionContext, probabilities: FloatArray64) -> tuple[NDArray[np.int64], FloatArray64]:
        """The concepts worth a close look, and the chance of a yes to each: ``[n, q]``."""
        known = context.candidates.concepts
        if known is not None:
            places = self._most_telling(known[:LIKELIEST], probabilities[:LIKELIEST])
            cosines = known[:, places]
        else:  # every region with every concept would take too long: whole pictures tell which concepts matter
            whole = product(np.asarray(context.candidates.whole[:LIKELIEST], np.float32), self._bank.vectors)
            places = self._most_telling(whole + REGION_ABOVE_WHOLE, probabilities[:LIKELIEST])
            cosines = self._bank.match(context.candidates.regions, self._bank.vectors[places])
        return places, self._lines.at(places).chance_of_yes(cosines).astype(np.float64)

    def _most_telling(self, cosines: FloatArray, probabilities: FloatArray64) -> NDArray[np.int64]:
        """The concepts in whose yes and no the likeliest candidates differ most: a quick look before the close one."""
        weights = (probabilities / max(probabilities.sum(), 1e-300)).astype(np.float32)
        yes = self._lines.chance_of_yes(cosines)
        mean = weights @ yes
        spread = weights @ (yes - mean) ** 2
        return np.asarray(np.argsort(-spread, kind="stable")[:CLOSELY])

    def _ruled_out(self, context: QuestionContext) -> list[frozenset[str]]:
        """What was denied: with "no dog" there is no need to ask for a dog running."""
        return [
            words
            for exchange in context.exchanges
            if understand_answer(exchange.question, exchange.answer).chosen == 1
            and (place := self._places.get(exchange.question.key)) is not None
            and (words := self._content[place])
        ]


ANSWERABLE_CONTRAST = 0.8


_MOST_contrasts = max(most_of_choice(len(contrast.options), ANSWERABLE_CONTRAST) for contrast in CONTRASTS)


class ContrastQuestions:
    """The fixed contrasts, weighed against the candidates."""

    def __init__(self, bank: ConceptBank) -> None:
        self._bank = bank

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With the most options, each of them clearly true of as many candidates."""
        return _MOST_contrasts * share_untold(context.descriptions)

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterator[Proposal]:  # noqa: ARG002
        """Each contrast."""
        vectors = self._bank.prompt_vectors(prompts())
        cosines = self._bank.match(context.candidates.regions, vectors).astype(np.float64)
        start = 0
        for contrast in CONTRASTS:
            end = start + len(contrast.options)
            yield _proposal(contrast, cosines[:, start:end])
            start = end


def _proposal(contrast: Contrast, cosines: FloatArray64) -> Proposal:
    question = _choice(contrast)
    kinds, common = kinds_of(question.propositions), common_of(question.propositions)
    return Proposal(question, chance_of_options(cosines, kinds, common), ANSWERABLE_CONTRAST)


@cache
def _choice(contrast: Contrast) -> Question:
    """The question between the options of a contrast, without gain and counts."""
    chosen = propositions_of(contrast)
    options = tuple(
        (label, _command(proposition.wish)) for (label, _), proposition in zip(contrast.options, chosen, strict=True)
    )
    return Question(contrast.text, options, "choice", f"contrast:{contrast.text}", propositions=chosen)


def _command(wish: str) -> str:
    return f"avoid {wish.removeprefix('without ')}" if wish.startswith("without ") else f"refine {wish}"


COLOURS = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
#: Things about which a colour is a strange thing to ask, or is the same for all.
_COLOURLESS = frozenset(
    "person people couple family crowd child man woman boy girl baby face hand foot eye mouth".split()
)
_SUBJECTS, _OFFERED = 1, 4
_ANSWERABLE = 0.45
#: How often a colour is said of a thing when it is asked for.
_COMMON = 0.1
_MOST_subjects = most_of_choice(_OFFERED, _ANSWERABLE)


class SubjectQuestions:
    """Asks for the colour of the things that the person named.

    The colour is read from the region that shows the thing most clearly. That needs only vectors of the vocabulary,
    so a question never has to wait for the encoder.
    """

    def __init__(self, bank: ConceptBank) -> None:
        self._bank = bank
        places = {(concept.kind, concept.phrase): place for place, concept in enumerate(bank.concepts)}
        self._colours = [(colour, places[key]) for colour in COLOURS if (key := (Kind.COLOUR, colour)) in places]
        self._things = {
            words[0]: place
            for place, concept in enumerate(bank.concepts)
            if concept.kind is Kind.THING and len(words := content(concept.phrase)) == 1
        }

    def most(self, context: QuestionContext, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With as many clearly different colours as are offered."""
        return _MOST_subjects * share_untold(context.descriptions)

    def propose(self, context: QuestionContext, probabilities: FloatArray64) -> Iterator[Proposal]:
        """A question for each of the first things named, unless a colour was named with them."""
        said = words_of(context.told)
        if len(self._colours) < 2 or set(COLOURS) & set(said):
            return
        things = [self._things[word] for word in dict.fromkeys(said) if word in self._things][:_SUBJECTS]
        for place in things:
            if self._bank.concepts[place].phrase not in _COLOURLESS:
                yield self._colour(place, context, probabilities)

    def _colour(self, place: int, context: QuestionContext, probabilities: FloatArray64) -> Proposal:
        thing = self._bank.concepts[place].phrase
        cosines = self._at_the_thing(place, context.candidates.regions)
        expected = probabilities @ _chances(cosines)[:, :-1]
        kept = sorted(np.argsort(-expected, kind="stable")[:_OFFERED].tolist())
        labels = [self._colours[at][0] for at in kept]
        chosen = tuple(
            Proposition(with_article(f"{label} {thing}"), f"a photo of a {label} {thing}", Kind.COLOUR, value=label)
            for label in labels
        )
        options = tuple(
            (label, f"refine {proposition.wish}") for label, proposition in zip(labels, chosen, strict=True)
        )
        text = f"What colour is the {thing}: {listed(labels)}?"
        question = Question(text, options, "choice", f"colour of {thing}", propositions=chosen)
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
