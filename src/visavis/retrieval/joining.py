"""The wanted words as few texts: sentences read together mean more than sentences read one by one.

The encoder has learned from captions joined to one text, and on the scenes protocol the vector of the joined text
beats the mean of the sentences' vectors (docs/retrieval.md). It reads 64 tokens, so long conversations make
several texts. They are filled oldest first: what is full never changes again, and its vector is known already.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.texts import TextVectors

#: Words of one joined text: about what the encoder reads.
MOST_WORDS = 44
#: What a wish that counts twice adds by itself to the joined text.
_EMPHASIS = 0.5


def groups(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The texts in order, in groups of at most MOST_WORDS words (a longer text is alone in its group)."""
    made: list[list[str]] = []
    room = 0
    for text in texts:
        words = len(text.split())
        if not made or words > room:
            made.append([])
            room = MOST_WORDS
        made[-1].append(text)
        room -= words
    return [tuple(group) for group in made]


def joined(texts: Sequence[str]) -> str:
    """Several texts as sentences of one."""
    if len(texts) == 1:
        return texts[0]
    return " ".join(f"{text.strip().rstrip('.')}." for text in texts)


def needed(wants: Sequence[tuple[str, float]]) -> list[str]:
    """The texts whose vectors :func:`wanted_vector` will ask for, so that they can be encoded in one go."""
    return [joined(group) for group in groups([text for text, _ in wants])]


def wanted_vector(wants: Sequence[tuple[str, float]], vectors: TextVectors) -> FloatArray:
    """One unit vector for everything wanted.

    Args:
        wants: Texts with their weights (more than nothing), oldest first; at least one.
        vectors: Gives the vectors of texts.
    """
    made = groups([text for text, _ in wants])
    sizes = np.array([len(group) for group in made], np.float32)
    total = sizes @ vectors([joined(group) for group in made])
    for text, weight in wants:
        if weight != 1.0:
            total = total + _EMPHASIS * (weight - 1.0) * vectors([text])[0]
    length = float(np.linalg.norm(total))
    return np.asarray(total / max(length, 1e-6), np.float32)
