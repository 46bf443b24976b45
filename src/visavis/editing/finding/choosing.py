"""Which of several found things is meant, by place and size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.editing.cutout.arrays import FloatArray, parts
from visavis.editing.finding.phrases import Phrase

#: A part that has less than this share of the strongest one's weight is a stray.
_STRAY = 0.12


@dataclass(frozen=True)
class _Part:
    inside: NDArray[np.bool_]
    weight: float
    area: int
    x: float
    y: float


def choose(heat: FloatArray, phrase: Phrase, level: float) -> FloatArray:
    """The map without the parts that are not meant.

    Args:
        heat: How much each place belongs to the kind of thing, 0..1.
        phrase: What was asked for.
        level: From where on a place belongs to a part.
    """
    found = _parts(heat, level)
    if not found or not (phrase.places or phrase.size):
        return heat
    best = max(found, key=lambda part: _fit(part, phrase, heat.shape))
    others = np.zeros(heat.shape, bool)
    for part in found:
        if part is not best:
            others |= part.inside
    # Places between the parts keep their little heat: it may be the rim of the chosen one.
    return np.where(others, np.float32(0), heat)


def _parts(heat: FloatArray, level: float) -> list[_Part]:
    labels, count = parts(heat >= level)
    found = []
    for number in range(1, count + 1):
        inside = labels == number
        rows, columns = np.nonzero(inside)
        weights = heat[inside]
        found.append(
            _Part(
                inside,
                float(weights.sum()),
                int(inside.sum()),
                float((columns + 0.5).mean() / heat.shape[1]),
                float((rows + 0.5).mean() / heat.shape[0]),
            )
        )
    strongest = max((part.weight for part in found), default=0.0)
    return [part for part in found if part.weight >= _STRAY * strongest]


def _fit(part: _Part, phrase: Phrase, shape: tuple[int, ...]) -> float:
    """How well a part answers the phrase: its place first, then its size, then its strength."""
    places = {
        "left": 1 - part.x,
        "right": part.x,
        "top": 1 - part.y,
        "bottom": part.y,
        "middle": 1 - abs(part.x - 0.5) - abs(part.y - 0.5),
    }
    area = part.area / (shape[0] * shape[1])
    sizes = {"largest": area, "smallest": -area, None: 0.0}
    return 10 * sum(places[place] for place in phrase.places) + 10 * sizes[phrase.size] + 0.1 * area
