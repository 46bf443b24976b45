"""The wanted words as vectors: all of them joined for the first stage, each phrase by itself for the second.

The encoder has learned from captions joined to one text, and on the scenes protocol the vector of the joined text
beats the mean of the sentences' vectors (docs/search.md). It reads 64 tokens. A conversation that says more is
joined in blocks: a full block stays as it is and its vector is known, so that only the newest block is encoded in each
turn, however long the conversation.

People talk about parts of a picture, and one vector for all they said blurs the parts (Drill-down). So each phrase
("red umbrella", "wet street") is a state vector as well, which is what the encoder's regions were trained to be found
by. The joined vector finds the first few hundred pictures, the states put them in order (MaxSim), and the very first
are judged state by state: how likely does each show it?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.language.english import chunks
from visavis.search.scale import RegionScale
from visavis.search.vectors import TextVectors, region_products

#: Words of a joined text: about what the encoder reads.
MOST_WORDS = 52
#: What a wish that counts twice adds by itself to the joined text.
_EMPHASIS = 0.5


def blocks(texts: Sequence[str]) -> list[list[str]]:
    """The texts in groups that the encoder can read as one, filled from the oldest on."""
    made: list[list[str]] = []
    room = 0
    for text in texts:
        words = len(text.split())
        if not made or words > room:
            made.append([])
            room = MOST_WORDS
        made[-1].append(text)
        room -= words
    return made


def joined(texts: Sequence[str]) -> str:
    """Several texts as sentences of one."""
    if len(texts) == 1:
        return texts[0]
    return " ".join(f"{text.strip().rstrip('.')}." for text in texts)


def joined_blocks(texts: Sequence[str]) -> list[str]:
    """What :func:`wanted_vector` needs the vectors of, besides those of single wishes that are emphasised."""
    return [joined(block) for block in blocks(texts)]


def wanted_vector(wants: Sequence[tuple[str, float]], vectors: TextVectors) -> FloatArray:
    """One unit vector for everything wanted.

    Args:
        wants: Texts with their weights (more than nothing), oldest first; at least one.
        vectors: Gives the vectors of texts.
    """
    grouped = blocks([text for text, _ in wants])
    sizes = np.array([len(block) for block in grouped], np.float32)
    total = sizes @ vectors([joined(block) for block in grouped])
    for text, weight in wants:
        if weight != 1.0:
            total = total + _EMPHASIS * (weight - 1.0) * vectors([text])[0]
    length = float(np.linalg.norm(total))
    return np.asarray(total / max(length, 1e-6), np.float32)


#: The newest phrases are matched; older ones are still in the joined text of the first stage.
MOST_STATES = 24
#: Words without which a text says the same of a picture.
_FILLERS = frozenset("a an the some with in".split())
#: The agreement of regions with whole pictures below which a phrase is none for the eye, and above which it is.
_INVISIBLE, _VISIBLE = 0.7, 0.9


@dataclass(frozen=True)
class SecondStage:
    """How the first pictures are put in order; the numbers were chosen on the scenes protocol (docs/search.md).

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
        best = region_products(regions, states).max(axis=1)
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
