"""Choose one of several objects by position and size, and find the box beside an object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from visavis.editing.finding.phrases import Phrase
from visavis.errors import BadInputError
from visavis.types import FloatArray

#: A component with less than this share of the strongest one's weight is noise.
_STRAY_WEIGHT = 0.12


@dataclass(frozen=True)
class _Part:
    inside: NDArray[np.bool_]
    weight: float
    area: int
    x: float
    y: float


def choose(heat: FloatArray, phrase: Phrase, level: float) -> FloatArray:
    """Remove the components of a map that are not meant.

    Args:
        heat: The probability of each pixel, 0..1.
        phrase: The phrase.
        level: The threshold of a component.
    """
    found = _parts(heat, level)
    if not found or not (phrase.places or phrase.size or phrase.count):
        return heat
    found.sort(key=lambda part: _fit(part, phrase, heat.shape), reverse=True)
    others = np.zeros(heat.shape, bool)
    for part in found[phrase.count or 1 :]:
        others |= part.inside
    # Pixels between the components keep their low values: they may be the border of the chosen one.
    return np.where(others, np.float32(0), heat)


def separate(heat: FloatArray, level: float) -> list[FloatArray]:
    """Return a map for each component, strongest first, without the other components."""
    found = sorted(_parts(heat, level), key=lambda part: part.weight, reverse=True)
    inside = np.zeros(heat.shape, bool)
    for part in found:
        inside |= part.inside
    return [np.where(inside & ~part.inside, np.float32(0), heat) for part in found]


def best_parts(parts: Sequence[NDArray[np.bool_]], phrase: Phrase) -> list[NDArray[np.bool_]]:
    """Return those of several objects that a phrase means."""
    found = [_part(part, float(part.sum())) for part in parts]
    found.sort(key=lambda part: _fit(part, phrase, part.inside.shape), reverse=True)
    return [part.inside for part in found[: phrase.count or 1]]


def _part(inside: NDArray[np.bool_], weight: float) -> _Part:
    rows, columns = np.nonzero(inside)
    high, wide = inside.shape
    return _Part(inside, weight, len(rows), float((columns + 0.5).mean() / wide), float((rows + 0.5).mean() / high))


def _parts(heat: FloatArray, level: float) -> list[_Part]:
    labels, count = ndimage.label(heat >= level)
    found = []
    for number in range(1, count + 1):
        inside = labels == number
        found.append(_part(inside, float(heat[inside].sum())))
    strongest = max((part.weight for part in found), default=0.0)
    return [part for part in found if part.weight >= _STRAY_WEIGHT * strongest]


def _fit(part: _Part, phrase: Phrase, shape: tuple[int, ...]) -> float:
    """Score a component: by its position first, then its size, then its strength."""
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


Box = tuple[int, int, int, int]

#: A few stray pixels of the object may stay: outlines are not exact to the pixel.
_STRAY_SHARE = 0.02
#: The least share of the picture that must remain.
_LEAST = 0.15


def box_beside(kept: Image.Image, name: str) -> Box:
    """Return the largest box on one side of an object.

    Args:
        kept: An ``L`` picture that is dark where the object is.
        name: The object's name, for the error.

    Raises:
        BadInputError: The object is absent, or so large that too little would be left.
    """
    covered = np.asarray(kept) < 128
    height, width = covered.shape
    if not covered.any():
        raise BadInputError(f"'{name}' is not in the picture.", "Name another thing, or a part such as the top third.")
    left, right = _reach(covered.sum(axis=0))
    top, bottom = _reach(covered.sum(axis=1))
    sides = ((0, 0, left, height), (right, 0, width, height), (0, 0, width, top), (0, bottom, width, height))
    best = max(sides, key=_area)
    if _area(best) < _LEAST * width * height:
        raise BadInputError(
            f"Cropping '{name}' away would leave nearly nothing: it reaches across the picture.",
            "Say which part should stay, such as the right half, or blur it instead.",
        )
    return best


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _reach(counts: np.ndarray) -> tuple[int, int]:
    """Return start and end of nearly all of an object in one direction."""
    most = int(counts.sum() * _STRAY_SHARE)
    from_start = np.cumsum(counts)
    from_end = np.cumsum(counts[::-1])
    first = int(np.searchsorted(from_start, most, side="right"))
    last = len(counts) - int(np.searchsorted(from_end, most, side="right"))
    return first, last
