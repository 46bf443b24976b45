"""What an answer says about a picture: how likely a person who means it would have answered so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.questions.base import ORDINARY
from visavis.questions.grammar import bare
from visavis.questions.likelihood import chance_of_yes
from visavis.questions.proposals.contrasts import propositions
from visavis.questions.vocabulary import Kind, default_vocabulary


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
    cosines = (np.asarray(regions, np.float32) @ np.stack([one.vector for one in evidence]).T).max(axis=1)
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
