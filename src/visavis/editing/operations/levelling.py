"""Finding by how much a picture is tilted, from the directions of its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

#: A tilt beyond this is taken for intention.
MOST_TILT = 12.0
#: Nobody sees a smaller one, and turning costs sharpness and a rim.
_LEAST_TILT = 0.3
_SIDE, _BIN = 640, 0.25
#: The winning direction must stand out this many times over the usual one, or nothing is changed.
_CLEAR = 2.2


def tilt(image: Image.Image) -> float:
    """The angle in degrees, counter-clockwise, that makes the picture level; 0 when no direction stands out."""
    small = image.convert("L")
    small.thumbnail((_SIDE, _SIDE), Image.Resampling.BOX)
    if min(small.size) < 32:
        return 0.0
    # Without smoothing, slanted edges are staircases, and all of their steps are level.
    histogram = _directions(np.asarray(small.filter(ImageFilter.GaussianBlur(2)), dtype=np.float32))
    smooth = np.convolve(np.pad(histogram, 4, mode="edge"), _bell(4), mode="valid")
    best = int(smooth.argmax())
    usual = float(np.median(smooth))
    # A peak at the end of the range is the flank of a direction outside it.
    if smooth[best] < _CLEAR * usual or best in (0, len(smooth) - 1):
        return 0.0
    angle = round((best + 0.5) * _BIN - MOST_TILT, 2)
    return angle if abs(angle) >= _LEAST_TILT else 0.0


def _directions(light: NDArray[np.float32]) -> NDArray[np.float64]:
    """How much edge runs in each direction near level or upright, by angle from -MOST_TILT to MOST_TILT."""
    across = light[1:-1, 2:] - light[1:-1, :-2]
    down = light[2:, 1:-1] - light[:-2, 1:-1]
    strength = np.hypot(across, down)
    strong = strength > max(3.0, float(np.quantile(strength, 0.85)))
    # An edge runs at a right angle to its gradient; modulo 90 degrees, level and upright edges count together.
    angles = np.degrees(np.arctan2(down[strong], across[strong]))
    turned = (angles + 45) % 90 - 45
    bins = round(2 * MOST_TILT / _BIN)
    counts, _ = np.histogram(turned, bins, (-MOST_TILT, MOST_TILT), weights=strength[strong])
    return counts


def _bell(reach: int) -> NDArray[np.float64]:
    values = np.exp(-0.5 * (np.arange(-reach, reach + 1) / 1.5) ** 2)
    return np.asarray(values / values.sum())
