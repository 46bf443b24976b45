"""The wanted words as one vector: sentences read together mean more than sentences read one by one.

The encoder has learned from captions joined to one text, and on the scenes protocol the vector of the joined text
beats the mean of the sentences' vectors (docs/retrieval.md). It reads 64 tokens. A conversation that says more is
joined in blocks: a block that is full stays as it is and its vector is known, so that only the newest block is read
in each turn, however long the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.texts import TextVectors

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
