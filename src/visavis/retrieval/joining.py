"""The wanted words as one vector: sentences read together mean more than sentences read one by one.

The encoder has learned from captions joined to one text, and on the scenes protocol the vector of the joined text
beats the mean of the sentences' vectors (docs/retrieval.md). It reads 64 tokens: the newest wishes are joined, older
ones that do not fit any more add their own vectors, which are known already.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.texts import TextVectors

#: Words of the joined text: about what the encoder reads.
MOST_WORDS = 52
#: What a wish that counts twice adds by itself to the joined text.
_EMPHASIS = 0.5


def newest(texts: Sequence[str]) -> int:
    """Where the wishes begin that are joined: the newest, as many as fit, at least one."""
    room = MOST_WORDS
    for place in range(len(texts) - 1, -1, -1):
        room -= len(texts[place].split())
        if room < 0:
            return min(place + 1, len(texts) - 1)
    return 0


def joined(texts: Sequence[str]) -> str:
    """Several texts as sentences of one."""
    if len(texts) == 1:
        return texts[0]
    return " ".join(f"{text.strip().rstrip('.')}." for text in texts)


def newest_joined(texts: Sequence[str]) -> str:
    """The one text that :func:`wanted_vector` needs besides the wishes themselves."""
    return joined(texts[newest(texts) :])


def wanted_vector(wants: Sequence[tuple[str, float]], vectors: TextVectors) -> FloatArray:
    """One unit vector for everything wanted.

    Args:
        wants: Texts with their weights (more than nothing), oldest first; at least one.
        vectors: Gives the vectors of texts.
    """
    texts = [text for text, _ in wants]
    start = newest(texts)
    total = (len(texts) - start) * vectors([joined(texts[start:])])[0]
    if start:
        total = total + vectors(texts[:start]).sum(axis=0)
    for text, weight in wants:
        if weight != 1.0:
            total = total + _EMPHASIS * (weight - 1.0) * vectors([text])[0]
    length = float(np.linalg.norm(total))
    return np.asarray(total / max(length, 1e-6), np.float32)
