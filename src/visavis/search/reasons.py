"""Why a picture is there: how it stands to each wish, as a probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.search.plan import ScorePart
from visavis.search.scale import likely
from visavis.types import Reason

#: Log-odds of pictures, kept aspects and changes, by how many spreads they stand out.
_PICTURE = (-2.0, 1.2)
_KEPT = (-1.0, 1.5)
_CHANGE = (-0.5, 2.0)
#: What is written about a picture, where it speaks for or against a kept aspect.
_WRITTEN = 2.0


def reasons(
    parts: Sequence[ScorePart],
    whole: FloatArray,
    words: Mapping[int, FloatArray],
    said: Mapping[int, FloatArray] | None = None,
) -> list[tuple[Reason, ...]]:
    """The reasons of each picture.

    Args:
        parts: What they are judged by.
        whole: ``[n, d]``.
        words: By the place of a wish in words: the log-odds that it is true of each picture.
        said: By the place of a kept aspect: how far what is written about each picture speaks of it, -1 to 1.
    """
    made: list[list[Reason]] = [[] for _ in whole]
    for part in one_a_wish(parts):
        if part.wish in words:
            logits = -words[part.wish] if part.kind == "avoid" else words[part.wish]
        else:
            logits = picture_logits(part, whole)
        if said and part.wish in said:
            logits = logits + _WRITTEN * said[part.wish]
        for place, logit in enumerate(logits):
            made[place].append(Reason(part.wish, part.label, likely(float(logit))))
    return [tuple(row) for row in made]


def one_a_wish(parts: Sequence[ScorePart]) -> list[ScorePart]:
    """A relative wish has several parts; its first change speaks for it."""
    first: dict[int, ScorePart] = {}
    for part in parts:
        first.setdefault(part.wish, part)
    return list(first.values())


def picture_logits(part: ScorePart, whole: FloatArray) -> FloatArray:
    """The log-odds that pictures resemble one, have a kept aspect or lie beyond a reference."""
    offset, slope = {"keep": _KEPT, "relative": _CHANGE}.get(part.kind, _PICTURE)
    near = offset + slope * part.above(whole)
    return np.asarray(-near if part.kind == "unlike" else near, np.float32)
