"""What is left of a picture when a thing is cropped away: the largest part beside, above or below it."""

from __future__ import annotations

import numpy as np
from PIL import Image

from visavis.errors import BadInputError

Box = tuple[int, int, int, int]

#: A few stray pixels of the thing may stay: outlines are never exact to the pixel.
_STRAY = 0.02
#: Whoever crops a thing away wants to keep a picture.
_LEAST = 0.15


def box_beside(kept: Image.Image, name: str) -> Box:
    """The largest box on one side of a thing.

    Args:
        kept: An ``L`` picture that is dark where the thing is.
        name: What the thing is called, for the error.

    Raises:
        BadInputError: The thing is nowhere, or reaches so far that too little would be left.
    """
    gone = np.asarray(kept) < 128
    height, width = gone.shape
    if not gone.any():
        raise BadInputError(f"'{name}' is not in the picture.", "Name another thing, or a part such as the top third.")
    left, right = _reach(gone.sum(axis=0))
    top, bottom = _reach(gone.sum(axis=1))
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
    """From where to where nearly all of a thing lies in one direction."""
    most = int(counts.sum() * _STRAY)
    from_start = np.cumsum(counts)
    from_end = np.cumsum(counts[::-1])
    first = int(np.searchsorted(from_start, most, side="right"))
    last = len(counts) - int(np.searchsorted(from_end, most, side="right"))
    return first, last
