"""How likely a person says yes, given how well a picture matches a concept.

The numbers were fitted for the built-in encoder on 543 COCO pictures that no benchmark measures, against what people
wrote about each: a concept counts as affirmed when one of them mentions it (see docs/questions.md). Another encoder
needs curves of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.questions.base import Proposition
from visavis.questions.vocabulary import Kind

FloatArray64 = NDArray[np.float64]
Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Curve:
    """A logistic curve over the cosine of the best region: steepness, and the cosine at which yes and no are even."""

    slope: float
    middle: float


CURVES: dict[Kind, Curve] = {
    Kind.THING: Curve(20.9, 0.510),
    Kind.STUFF: Curve(16.1, 0.465),
    Kind.PLACE: Curve(20.9, 0.464),
    Kind.ACTIVITY: Curve(13.2, 0.543),
    Kind.HAPPENING: Curve(16.7, 0.494),
    Kind.COLOUR: Curve(19.5, 0.398),
    Kind.COUNT: Curve(16.8, 0.361),
    Kind.MATERIAL: Curve(14.0, 0.580),
    Kind.LOOK: Curve(12.2, 0.515),
    Kind.STATE: Curve(16.4, 0.524),
}
#: How often people can answer such a question at all.
ANSWERABLE: dict[Kind, float] = {
    Kind.THING: 0.97,
    Kind.STUFF: 0.97,
    Kind.PLACE: 0.95,
    Kind.ACTIVITY: 0.9,
    Kind.HAPPENING: 0.9,
    Kind.COLOUR: 0.7,
    Kind.COUNT: 0.9,
    Kind.MATERIAL: 0.5,
    Kind.LOOK: 0.6,
    Kind.STATE: 0.6,
}
#: Mean and spread of the built-in encoder's best-region cosines with the vocabulary.
BUILTIN_MEAN, BUILTIN_SPREAD = 0.150, 0.083
#: Nobody is asked without the chance of a slip: no answer rules a candidate out for good.
SLIP = 0.02


def logits(cosines: Floats, kinds: list[Kind]) -> Floats:
    """``[n, q]`` best-region cosines with q propositions of these kinds -> log-odds of a yes."""
    curves = np.array([(CURVES[kind].slope, CURVES[kind].middle) for kind in kinds], cosines.dtype)
    return np.asarray((cosines - curves[:, 1]) * curves[:, 0])


def chance_of_yes(cosines: Floats, kinds: list[Kind]) -> Floats:
    """``[n, q]``: how likely a yes is to each question if that candidate is meant."""
    return np.asarray(SLIP + (1 - 2 * SLIP) / (1 + np.exp(-logits(cosines, kinds))))


def chance_of_options(cosines: Floats, kinds: list[Kind]) -> FloatArray64:
    """``[n, q + 1]``: how likely each of the options is to be chosen, and last, that none is."""
    values = np.hstack([logits(cosines, kinds), np.zeros((len(cosines), 1))])
    weights = np.exp(values - values.max(axis=1, keepdims=True))
    chances = weights / weights.sum(axis=1, keepdims=True)
    return np.asarray(SLIP / chances.shape[1] + (1 - SLIP) * chances)


def standardised(cosines: FloatArray64, mean: float, spread: float) -> FloatArray64:
    """Another encoder's cosines on the scale of the built-in one's."""
    return np.asarray(BUILTIN_MEAN + (cosines - mean) / max(spread, 1e-6) * BUILTIN_SPREAD)


def kinds_of(propositions: tuple[Proposition, ...]) -> list[Kind]:
    """The kinds of propositions, in order."""
    return [proposition.kind for proposition in propositions]
