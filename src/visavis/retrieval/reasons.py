"""Why a picture is there: how it stands to each wish, as a probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.base import Reason
from visavis.retrieval.parts import Part
from visavis.retrieval.scales import likely

#: Logits: words by how far whole picture and best region stand out; pictures, kept aspects and changes by one number.
_WORDS = (-2.6, 0.9, 0.6)
_PICTURE = (-2.0, 1.2)
_KEPT = (-1.0, 1.5)
_CHANGE = (-0.5, 2.0)
#: What is written about a picture, where it speaks for or against a wish.
_WRITTEN = 2.0


def reasons(
    parts: Sequence[Part], whole: FloatArray, regions: FloatArray, said: Mapping[int, FloatArray] | None = None
) -> list[tuple[Reason, ...]]:
    """The reasons of each picture.

    Args:
        parts: What they are judged by.
        whole: ``[n, d]``.
        regions: ``[n, r, d]``.
        said: By the place of a wish: how far what is written about each picture speaks of it, -1 to 1.
    """
    made: list[list[Reason]] = [[] for _ in whole]
    for part in _one_a_wish(parts):
        logits = _logits(part, whole, regions)
        if said and part.wish in said:
            logits = logits + _WRITTEN * said[part.wish] * (-1 if part.kind == "avoid" else 1)
        for place, logit in enumerate(logits):
            made[place].append(Reason(part.wish, part.label, likely(float(logit))))
    return [tuple(row) for row in made]


def _one_a_wish(parts: Sequence[Part]) -> list[Part]:
    """A relative wish has several parts; its first change speaks for it."""
    first: dict[int, Part] = {}
    for part in parts:
        first.setdefault(part.wish, part)
    return list(first.values())


def _logits(part: Part, whole: FloatArray, regions: FloatArray) -> FloatArray:
    above = part.above(whole)
    local = part.region_above(regions)
    if local is not None:
        shown = _WORDS[0] + _WORDS[1] * above + _WORDS[2] * local
        if part.phrases:  # a green coat is no green elephant on a bicycle, however green
            shown = (shown + np.mean([_logits(phrase, whole, regions) for phrase in part.phrases], axis=0)) / 2
        return np.asarray(-shown if part.kind == "avoid" else shown, np.float32)
    offset, slope = {"keep": _KEPT, "relative": _CHANGE}.get(part.kind, _PICTURE)
    near = offset + slope * above
    return np.asarray(-near if part.kind == "unlike" else near, np.float32)
