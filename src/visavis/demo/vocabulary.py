"""What can be drawn: the categories, the attributes of each, the named colours and their perceptual distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

PATTERNS = ("plain", "striped", "dotted", "floral", "checked", "logo")
EMBLEMS = ("star", "heart", "moon", "lightning bolt", "mountain", "anchor")
BACKGROUNDS = ("white", "light grey", "cream", "pale pink", "pale blue", "pale green", "dark grey", "wooden")
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


@dataclass(frozen=True)
class Vocabulary:
    """The choices of one category; an empty tuple means that the attribute does not exist for it.

    Attributes:
        base_price: The price of a plain one.
        always: Details that every one of this category has.
        accents: Details in the second colour, so that a plain item has a second colour too.
    """

    base_price: float
    kinds: tuple[str, ...] = ()
    sleeves: tuple[str, ...] = ()
    necklines: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    fits: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    accents: tuple[str, ...] = ()


VOCABULARY: Mapping[str, Vocabulary] = {
    "dress": Vocabulary(
        base_price=59,
        sleeves=("sleeveless", "straps", "short", "long"),
        necklines=("round", "V-neck", "square", "boat", "off-shoulder", "high"),
        lengths=("mini", "knee-length", "midi", "maxi"),
        fits=("fitted", "flared", "loose"),
        details=("buttons", "belt", "pockets", "lace"),
        accents=("belt",),
    ),
    "shirt": Vocabulary(
        base_price=39,
        sleeves=("short", "long"),
        necklines=("collar",),
        fits=("slim", "regular", "oversized"),
        details=("pockets",),
        always=("buttons",),
    ),
    "top": Vocabulary(
        base_price=25,
        sleeves=("sleeveless", "straps", "short", "long"),
        necklines=("round", "V-neck", "square", "boat", "off-shoulder", "high"),
        lengths=("cropped", "hip-length"),
        fits=("fitted", "loose"),
        details=("buttons", "lace"),
    ),
    "T-shirt": Vocabulary(
        base_price=19,
        sleeves=("short", "long"),
        necklines=("round", "V-neck"),
        fits=("slim", "regular", "oversized"),
        details=("pockets", "contrast sleeves"),
        accents=("contrast sleeves",),
    ),
    "skirt": Vocabulary(
        base_price=35,
        lengths=("mini", "knee-length", "midi", "maxi"),
        fits=("pencil", "A-line", "pleated"),
        details=("buttons", "belt", "pockets", "lace"),
        accents=("belt",),
    ),
    "trousers": Vocabulary(
        base_price=49,
        lengths=("knee-length", "cropped", "full-length"),
        fits=("slim", "straight", "wide-leg"),
        details=("belt", "pockets"),
        accents=("belt",),
    ),
    "coat": Vocabulary(
        base_price=129,
        sleeves=("long",),
        necklines=("lapels", "stand collar"),
        lengths=("short", "knee-length", "long"),
        fits=("fitted", "straight", "oversized"),
        details=("belt", "pockets", "hood"),
        always=("buttons",),
        accents=("belt",),
    ),
    "shoes": Vocabulary(
        base_price=69,
        kinds=("sneakers", "ankle boots", "high heels", "sandals", "ballet flats", "loafers"),
        details=("contrast soles",),
        accents=("contrast soles",),
    ),
    "bag": Vocabulary(
        base_price=55,
        kinds=("tote bag", "shoulder bag", "backpack", "clutch"),
        details=("pockets", "contrast straps"),
        accents=("contrast straps",),
    ),
    "hat": Vocabulary(
        base_price=29,
        kinds=("baseball cap", "beanie", "sun hat", "fedora", "bucket hat"),
        details=("band",),
        accents=("band",),
    ),
}

CATEGORIES = tuple(VOCABULARY)


@dataclass(frozen=True)
class Look:
    """All visible attributes of a drawn picture; empty text where an attribute does not apply."""

    category: str
    colour: str
    pattern: str = "plain"
    second_colour: str = ""
    kind: str = ""
    logo: str = ""
    sleeves: str = ""
    neckline: str = ""
    length: str = ""
    fit: str = ""
    details: tuple[str, ...] = field(default=())
    background: str = "white"

    def attributes(self) -> dict[str, str | list[str]]:
        """Return the attributes that apply, as a flat dictionary."""
        texts = {name: value for name, value in vars(self).items() if isinstance(value, str) and value}
        return {**texts, **({"details": list(self.details)} if self.details else {})}


def details_for(look: Look) -> tuple[str, ...]:
    """Return the optional details that can be drawn on ``look``, given its category, kind, sleeves and neckline."""
    return tuple(detail for detail in VOCABULARY[look.category].details if _fits(detail, look))


def _fits(detail: str, look: Look) -> bool:
    match look.category, detail:
        case "dress", "belt" | "pockets":
            return look.fit != "loose" or detail == "pockets"
        case "T-shirt" | "shirt", "pockets":
            return look.pattern != "logo"
        case "T-shirt", "contrast sleeves":
            return look.pattern in ("plain", "logo")
        case "dress" | "top" | "skirt", "buttons":
            return look.pattern != "logo" and look.neckline != "high"
        case "coat", "hood":
            return look.neckline == "stand collar"
        case "shoes", "contrast soles":
            return look.kind in ("sneakers", "ankle boots", "loafers")
        case "bag", "pockets":
            return look.kind in ("backpack", "tote bag") and look.pattern != "logo"
        case "bag", "contrast straps":
            return look.kind != "clutch"
        case "hat", "band":
            return look.kind in ("sun hat", "fedora")
        case _:
            return True


def necklines_for(category: str, sleeves: str) -> tuple[str, ...]:
    """Return the necklines that match the sleeves."""
    necklines = VOCABULARY[category].necklines
    if sleeves == "straps":
        return tuple(n for n in necklines if n in ("V-neck", "square"))
    if sleeves == "sleeveless":
        return tuple(n for n in necklines if n != "off-shoulder")
    return necklines


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
