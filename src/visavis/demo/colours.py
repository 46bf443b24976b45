"""The named colours of the demo collection, and perceptual colour distances."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rgb = tuple[int, int, int]

#: Chosen so that no two can be confused after shading (see ``tests/demo/test_colours.py``).
COLOURS: dict[str, Rgb] = {
    "black": (33, 32, 35),
    "white": (246, 245, 242),
    "grey": (138, 140, 143),
    "red": (212, 32, 38),
    "burgundy": (116, 18, 48),
    "pink": (247, 150, 183),
    "orange": (245, 126, 28),
    "yellow": (251, 217, 52),
    "mustard": (203, 152, 32),
    "green": (38, 150, 66),
    "olive": (108, 112, 50),
    "mint": (158, 222, 190),
    "teal": (12, 122, 128),
    "light blue": (140, 196, 238),
    "blue": (32, 88, 204),
    "navy": (26, 36, 88),
    "purple": (118, 44, 152),
    "lavender": (190, 168, 226),
    "brown": (118, 72, 40),
    "beige": (222, 200, 164),
}

#: Colours that may share a name (navy is a blue, too); see :func:`clearly_different`.
_FAMILIES = (
    {"light blue", "blue", "navy", "teal"},
    {"green", "olive", "mint", "teal"},
    {"red", "burgundy"},
    {"red", "pink"},
    {"purple", "lavender"},
    {"purple", "burgundy"},
    {"yellow", "mustard"},
    {"orange", "mustard"},
    {"brown", "beige"},
    {"white", "beige"},
)

_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE_POINT = np.array([0.9505, 1.0, 1.089])


def to_lab(rgb: ArrayLike) -> NDArray[np.float64]:
    """Convert sRGB in 0..255 to CIE Lab, where distances are perceptual."""
    scaled = np.asarray(rgb, dtype=np.float64) / 255
    linear = np.where(scaled <= 0.04045, scaled / 12.92, ((scaled + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T / _WHITE_POINT
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    lightness, red_green, yellow_blue = np.moveaxis(root, -1, 0)
    return np.stack([116 * red_green - 16, 500 * (lightness - red_green), 200 * (red_green - yellow_blue)], axis=-1)


def distance(one: Rgb, other: Rgb) -> float:
    """Return the distance of two colours (CIE76; 2 is just visible, 100 is black against white)."""
    return float(np.linalg.norm(to_lab(one) - to_lab(other)))


@cache
def colour_distance(one: str, other: str) -> float:
    """Return the distance of two named colours."""
    return distance(COLOURS[one], COLOURS[other])


def clearly_different(one: str, other: str) -> bool:
    """Return whether neither colour could be called by the other's name."""
    return colour_distance(one, other) >= 40 and not any({one, other} <= family for family in _FAMILIES)


def nearest_colour(rgb: ArrayLike) -> str:
    """Return the named colour nearest to ``rgb``."""
    names = list(COLOURS)
    gaps = np.linalg.norm(to_lab([COLOURS[name] for name in names]) - to_lab(rgb), axis=-1)
    return names[int(gaps.argmin())]
