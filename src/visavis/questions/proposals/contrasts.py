"""Choices between two or more ways a picture can be: indoors or outdoors, one person or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from visavis.questions.base import Option, Proposition, Question, View
from visavis.questions.concepts import ConceptBank
from visavis.questions.likelihood import chance_of_options, common_of, kinds_of
from visavis.questions.proposals.base import Proposal, most_of_choice, share_untold
from visavis.questions.vocabulary import Kind, commonness

FloatArray64 = NDArray[np.float64]
ANSWERABLE_CONTRAST = 0.8
#: The options are few and broad: where nothing is known of one, it is taken to be as common as such things are.
_COMMON = 0.1


@dataclass(frozen=True)
class Contrast:
    """A question whose options exclude each other: pairs of what is said and what the encoder is asked."""

    text: str
    kind: Kind
    options: tuple[tuple[str, str], ...]


def _contrast(text: str, kind: Kind, options: str) -> Contrast:
    """Options as ``said: prompt | said: prompt``."""
    pairs = (option.split(": ") for option in options.split(" | "))
    return Contrast(text, kind, tuple((label, prompt) for label, prompt in pairs))


CONTRASTS = (
    _contrast(
        "Is it indoors or outdoors?",
        Kind.PLACE,
        "indoors: a photo taken indoors | outdoors: a photo taken outdoors",
    ),
    _contrast(
        "Is it by day or at night?",
        Kind.PLACE,
        "by day: a photo taken by day | at night: a photo taken at night",
    ),
    _contrast(
        "Is it in the city, in the countryside or by the water?",
        Kind.PLACE,
        "city: a photo taken in a city | countryside: a photo taken in the countryside"
        " | water: a photo taken by the water",
    ),
    _contrast(
        "How many people are there: none, one, two or many?",
        Kind.COUNT,
        "none: a photo without people | one: a photo of one person | two: a photo of two people"
        " | many: a photo of many people",
    ),
    _contrast(
        "Is it mainly about people, animals or things?",
        Kind.STUFF,
        "people: a photo of people | animals: a photo of animals | things: a photo of things",
    ),
    _contrast("Is it a close-up or a wide view?", Kind.LOOK, "close-up: a close-up | wide view: a wide view"),
    _contrast(
        "Is it in colour or black and white?",
        Kind.LOOK,
        "colour: a colour photo | black and white: a black and white photo",
    ),
    _contrast("Is it a man or a woman?", Kind.THING, "man: a photo of a man | woman: a photo of a woman"),
    _contrast("Is it a grown-up or a child?", Kind.THING, "grown-up: a photo of an adult | child: a photo of a child"),
)


_MOST = max(most_of_choice(len(contrast.options), ANSWERABLE_CONTRAST) for contrast in CONTRASTS)


class ContrastQuestions:
    """The fixed contrasts, weighed against the candidates."""

    def __init__(self, bank: ConceptBank) -> None:
        self._bank = bank

    def most(self, view: View, probabilities: FloatArray64) -> float:  # noqa: ARG002
        """With the most options, each of them clearly true of as many candidates."""
        return _MOST * share_untold(view.descriptions)

    def propose(self, view: View, probabilities: FloatArray64) -> Iterator[Proposal]:  # noqa: ARG002
        """Each contrast."""
        vectors = self._bank.prompt_vectors(prompts())
        cosines = self._bank.match(view.candidates.regions, vectors).astype(np.float64)
        start = 0
        for contrast in CONTRASTS:
            end = start + len(contrast.options)
            yield _proposal(contrast, cosines[:, start:end])
            start = end


def _proposal(contrast: Contrast, cosines: FloatArray64) -> Proposal:
    chosen = _propositions(contrast)
    options = tuple(
        Option(label, command=_command(proposition.wish))
        for (label, _), proposition in zip(contrast.options, chosen, strict=True)
    )
    question = Question(contrast.text, "choice", f"contrast:{contrast.text}", options, chosen)
    return Proposal(question, chance_of_options(cosines, kinds_of(chosen), common_of(chosen)), ANSWERABLE_CONTRAST)


@cache
def _propositions(contrast: Contrast) -> tuple[Proposition, ...]:
    return tuple(
        Proposition(_wish(prompt), prompt, contrast.kind, common=commonness(_wish(prompt)) or _COMMON)
        for _, prompt in contrast.options
    )


def propositions() -> tuple[Proposition, ...]:
    """What every option of the fixed contrasts stands for."""
    return tuple(proposition for contrast in CONTRASTS for proposition in _propositions(contrast))


def _wish(prompt: str) -> str:
    return prompt.removeprefix("a photo of ").removeprefix("a photo ").removeprefix("taken ")


def _command(wish: str) -> str:
    return f"avoid {wish.removeprefix('without ')}" if wish.startswith("without ") else f"refine {wish}"


def prompts() -> tuple[str, ...]:
    """Every prompt of the fixed contrasts."""
    return tuple(prompt for contrast in CONTRASTS for _, prompt in contrast.options)
