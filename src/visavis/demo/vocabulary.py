"""The categories that can be drawn, and the attributes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PATTERNS = ("plain", "striped", "dotted", "floral", "checked", "logo")
EMBLEMS = ("star", "heart", "moon", "lightning bolt", "mountain", "anchor")
BACKGROUNDS = ("white", "light grey", "cream", "pale pink", "pale blue", "pale green", "dark grey", "wooden")


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

    @classmethod
    def from_attributes(cls, attributes: Mapping[str, object]) -> Look:
        """Return the look that :meth:`attributes` came from; unknown keys are ignored."""
        known = {name: attributes[name] for name in cls.__dataclass_fields__ if name in attributes}
        details = known.pop("details", ())
        texts = {name: str(value) for name, value in known.items()}
        return cls(**texts, details=tuple(details))  # type: ignore[arg-type]  # what is left are texts, details is a list


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
