"""Aspects that can be kept from a picture: which values they can have, and which of them a picture has."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.search.scale import VectorSample
from visavis.search.vectors import TextVectors

#: How decidedly the nearest value is taken for the picture's; the scale that the built-in encoder was trained with.
_DECIDED = 30.0


@cache
def _vocabulary() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for line in (Path(__file__).parent / "aspects.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            names, said, values = (part.strip() for part in line.split("|"))
            texts = tuple(said.format(value.strip()) for value in values.split(";"))
            known |= {name.strip(): texts for name in names.split(",")}
    return known


def values_of(aspect: str) -> tuple[str, ...]:
    """Texts for the values that an aspect can have; none when the aspect is unknown.

    >>> values_of("the sleeves")
    ('long sleeves', 'short sleeves', 'no sleeves')
    """
    words = aspect.lower().split()
    for start in range(len(words)):  # "the overall colour" ends with what it is about
        found = _vocabulary().get(" ".join(words[start:]))
        if found:
            return found
    return ()


def value_direction(picture: FloatArray, aspect: str, texts: TextVectors, sample: VectorSample) -> FloatArray | None:
    """The direction in which pictures lie that have the picture's value of an aspect; None for an unknown aspect.

    Each value's cosine is compared with what an ordinary picture scores, so that a value that fits everything a
    little does not win. The likely values are mixed and what all values have in common is taken away: what is left
    tells the values apart and says nothing about the rest of the picture.
    """
    values = values_of(aspect)
    if not values:
        return None
    vectors = texts(values)
    ordinary = vectors @ sample.whole.mean(axis=0) if len(sample) else 0.0
    logits = _DECIDED * (vectors @ picture - ordinary)
    share = np.exp(logits - logits.max())
    mixed = (share / share.sum()) @ vectors - vectors.mean(axis=0)
    length = float(np.linalg.norm(mixed))
    return np.asarray(mixed / length, np.float32) if length > 1e-6 else None
