"""The conversation as a set of state vectors, each matched to the picture's best region.

Drill-down's observation is that people talk about parts of a picture, and that one vector for all they said blurs
the parts. Its states are learned; here they are the phrases of the wishes ("red umbrella", "wet street"), which is
what the encoder's regions were trained to be found by. One vector finds the first few hundred pictures, the
states put them in order (MaxSim), and the very first are judged state by state: how likely does each show it?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.language.chunks import chunks
from visavis.retrieval.scales import RegionScale
from visavis.retrieval.texts import TextVectors

#: The newest phrases are matched; older ones are still in the joined text of the first stage.
MOST_STATES = 24
#: Words without which a text says the same of a picture.
_FILLERS = frozenset("a an the some with in".split())
#: The agreement of regions with whole pictures below which a phrase is none for the eye, and above which it is.
_INVISIBLE, _VISIBLE = 0.7, 0.9


@dataclass(frozen=True)
class SecondStage:
    """How the first pictures are put in order; the numbers were chosen on the scenes protocol (docs/retrieval.md).

    Attributes:
        weight: What the states count against the first stage, 0 to 1; 0 for no second stage.
        prefetch: How many pictures are put in order.
        judged: How many of them are judged state by state; 0 for none.
        conviction: What a judgement counts, in spreads of the wanted words.
        slope: How much more likely a phrase is shown for each spread that the best region stands out.
        offset: How far it has to stand out to be as likely shown as not, times the slope.
    """

    weight: float = 0.5
    prefetch: int = 200
    judged: int = 40
    conviction: float = 4.0
    slope: float = 0.6
    offset: float = 2.0

    def phrases(self, texts: Sequence[str]) -> list[str]:
        """The phrases of what is wanted, oldest first, each once."""
        if not self.weight:
            return []
        found = dict.fromkeys(phrase for text in texts for phrase in chunks(text) or [text])
        return list(found)[-MOST_STATES:]

    def named(self, text: str) -> str:
        """The one phrase that says all that a text says ("statue" for "with a statue"), else the text.

        The phrase is read anyway; a text that is not read as well saves the encoder two milliseconds.
        """
        phrases = self.phrases([text])
        if len(phrases) != 1 or set(text.lower().split()) - set(phrases[0].split()) - _FILLERS:
            return text
        return phrases[0]

    def states(self, texts: Sequence[str], vectors: TextVectors) -> FloatArray | None:
        """The state vectors ``[m, d]``, or None where there is nothing to match."""
        phrases = self.phrases(texts)
        return vectors(phrases) if phrases else None

    def judgement(self, states: FloatArray, scales: Sequence[RegionScale], regions: FloatArray) -> FloatArray:
        """How well pictures bear out the states, ``[n]``: the mean log probability that one is shown, in spreads.

        A sum of cosines forgives a picture that lacks one thing if it shows another all the better; this does not.
        What was said several times ("a man", "a young man") counts about once.

        Args:
            states: ``[m, d]``.
            scales: What is ordinary for the best region, one a state.
            regions: ``[n, r, d]``.
        """
        best = (regions @ states.T).max(axis=1)
        middles = np.array([scale.middle for scale in scales], np.float32)
        spreads = np.array([scale.spread for scale in scales], np.float32)
        logits = self.slope * (best - middles) / spreads - self.offset
        weights = trust(scales) * distinctness(states)
        return np.asarray(-self.conviction * np.logaddexp(0.0, -logits) @ weights / len(states), np.float32)


def trust(scales: Sequence[RegionScale]) -> FloatArray:
    """How far regions are believed, 0 to 1 for each phrase: not for words that no part of a picture can show."""
    agreement = np.array([scale.agreement for scale in scales], np.float32)
    return np.asarray(np.clip((agreement - _INVISIBLE) / (_VISIBLE - _INVISIBLE), 0.0, 1.0), np.float32)


def distinctness(states: FloatArray) -> FloatArray:
    """How much of each phrase the others do not say as well; one on average."""
    alike = np.clip(states @ states.T, 0.0, 1.0) ** 2
    alone = 1.0 / np.maximum(alike.sum(axis=1), 1e-6)
    return np.asarray(alone / alone.mean(), np.float32)
