"""The likelihood of answers to closed questions, where a picture is the one that the person means.

The numbers were fitted for the built-in encoder on 543 COCO pictures that no benchmark measures, against what people
wrote about each: a concept counts as affirmed when one of them mentions it (see docs/questions.md). Another encoder
needs curves of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visavis.encoders.base import FloatArray
from visavis.language.english import bare
from visavis.search.vectors import region_products
from visavis.search.vocabulary import default_vocabulary, propositions
from visavis.types import ORDINARY, Kind, Proposition

FloatArray64 = NDArray[np.float64]
Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Curve:
    """Log-odds of a yes: ``base + slope * cosine + common * log(commonness)``.

    The cosine is the best region's. Commonness is how often people mention the concept at all: an encoder finds a
    yoghurt in many pictures, people hardly ever do.
    """

    base: float
    slope: float
    common: float


CURVES: dict[Kind, Curve] = {
    Kind.THING: Curve(-5.21, 23.3, 1.20),
    Kind.STUFF: Curve(-4.29, 22.1, 1.26),
    Kind.PLACE: Curve(-5.37, 23.1, 1.21),
    Kind.ACTIVITY: Curve(-3.82, 16.7, 0.99),
    Kind.HAPPENING: Curve(-2.02, 17.8, 1.42),
    Kind.COLOUR: Curve(-4.41, 16.8, 0.81),
    Kind.COUNT: Curve(-4.39, 23.4, 1.17),
    Kind.MATERIAL: Curve(-3.42, 15.7, 1.05),
    Kind.LOOK: Curve(-2.25, 14.5, 1.43),
    Kind.STATE: Curve(-4.43, 21.0, 1.27),
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
#: Added to how common a concept is: what nobody mentioned yet may still be mentioned.
RAREST = 2e-4
#: How often people affirm what the encoder does not see at all, and deny what it sees most clearly. The concepts that
#: are asked about are those in which candidates seem to differ most, among two thousand: where the encoder errs, too.
#: So the answers to questions that were really asked depend less on cosines than the curves say (docs/questions.md).
FALSE_YES, FALSE_NO = 0.09, 0.20
#: The same for a choice: the share of answers that do not depend on the picture.
STRAY = 0.25
#: Nobody is asked without the chance of a slip: no answer rules a candidate out for good.
SLIP = 0.02


@dataclass(frozen=True)
class Lines:
    """The curves of many propositions, ready to be used again and again: log-odds are ``offset + slope * cosine``."""

    offset: Floats
    slope: Floats

    @classmethod
    def of(cls, kinds: Sequence[Kind], common: ArrayLike = ORDINARY) -> Self:
        """The lines of propositions of these kinds, each so common (or one number for all)."""
        curves = np.array([(CURVES[kind].base, CURVES[kind].slope, CURVES[kind].common) for kind in kinds], np.float32)
        often = np.log(np.asarray(common, np.float32) + np.float32(RAREST))
        return cls(curves[:, 0] + curves[:, 2] * often, curves[:, 1])

    def at(self, places: NDArray[np.int64]) -> Lines:
        """Those of some of the propositions."""
        return Lines(self.offset[places], self.slope[places])

    def logits(self, cosines: Floats) -> Floats:
        """Log-odds of a yes for the best regions' cosines ``[n, q]``."""
        return np.asarray(self.offset + self.slope * cosines)

    def chance_of_yes(self, cosines: Floats) -> Floats:
        """``[n, q]``: how likely a yes is to each question if that candidate is meant."""
        return np.asarray(FALSE_YES + (1 - FALSE_YES - FALSE_NO) / (1 + np.exp(-self.logits(cosines))))


def chance_of_yes(cosines: Floats, kinds: Sequence[Kind], common: ArrayLike = ORDINARY) -> Floats:
    """``[n, q]``: how likely a yes is to each question if that candidate is meant; see :class:`Lines`."""
    return Lines.of(kinds, common).chance_of_yes(cosines)


def chance_of_options(cosines: Floats, kinds: Sequence[Kind], common: ArrayLike = ORDINARY) -> FloatArray64:
    """``[n, q + 1]``: how likely each of the options is to be chosen, and last, that none is."""
    values = np.hstack([Lines.of(kinds, common).logits(cosines), np.zeros((len(cosines), 1))])
    weights = np.exp(values - values.max(axis=1, keepdims=True))
    chances = weights / weights.sum(axis=1, keepdims=True)
    return np.asarray(STRAY / chances.shape[1] + (1 - STRAY) * chances)


def kinds_of(propositions: tuple[Proposition, ...]) -> list[Kind]:
    """The kinds of propositions, in order."""
    return [proposition.kind for proposition in propositions]


def common_of(propositions: tuple[Proposition, ...]) -> list[float]:
    """How common propositions are, in order."""
    return [proposition.common for proposition in propositions]


@dataclass(frozen=True)
class Claim:
    """Something that was affirmed or denied when it was asked about.

    Attributes:
        prompt: What the encoder compares pictures with.
        kind: Which curve leads from a cosine to an answer.
        common: In what share of pictures people mention it.
    """

    prompt: str
    kind: Kind = Kind.STUFF
    common: float = ORDINARY


@dataclass(frozen=True)
class Evidence:
    """An answer: the claim's vector, and whether it was affirmed."""

    claim: Claim
    vector: FloatArray
    affirmed: bool
    weight: float = 1.0


def claim_of(wish: str) -> Claim:
    """What a wish that came from an answer claims."""
    return _known().get(wish.lower()) or Claim(f"a photo of {wish}")


def log_chances(evidence: Sequence[Evidence], regions: FloatArray) -> FloatArray:
    """``[n]``: the logarithm of how likely these answers are, for each picture's regions ``[n, r, d]``."""
    told = np.stack([one.vector for one in evidence])
    cosines = region_products(np.asarray(regions, np.float32), told).max(axis=1)
    yes = chance_of_yes(cosines, [one.claim.kind for one in evidence], [one.claim.common for one in evidence])
    affirmed = np.array([one.affirmed for one in evidence])
    weights = np.array([one.weight for one in evidence], np.float32)
    return np.asarray(np.log(np.where(affirmed, yes, 1 - yes)) @ weights, np.float32)


@lru_cache(maxsize=1)
def _known() -> Mapping[str, Claim]:
    """Every wish that questions stand for, as it is affirmed and as it is denied; broad kinds come first."""
    known: dict[str, Claim] = {}
    for proposition in propositions():
        known.setdefault(proposition.wish, Claim(proposition.prompt, proposition.kind, proposition.common))
    for concept in default_vocabulary():
        claim = Claim(concept.prompt, concept.kind, concept.common)
        known.setdefault(concept.wish.lower(), claim)
        known.setdefault(bare(concept.wish).lower(), claim)
    return known
