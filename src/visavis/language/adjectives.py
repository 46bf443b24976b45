"""The adjectives that people compare pictures by, with their opposites where there is one."""

from __future__ import annotations

#: Pairs of opposites: each side is what "less" of the other side means.
OPPOSITES: tuple[tuple[str, str], ...] = (
    ("long", "short"),
    ("tall", "low"),
    ("high", "low"),
    ("big", "small"),
    ("large", "small"),
    ("wide", "narrow"),
    ("thick", "thin"),
    ("deep", "shallow"),
    ("bright", "dark"),
    ("light", "dark"),
    ("pale", "vivid"),
    ("warm", "cool"),
    ("hot", "cold"),
    ("formal", "casual"),
    ("fancy", "plain"),
    ("elegant", "casual"),
    ("tight", "loose"),
    ("fitted", "loose"),
    ("slim", "baggy"),
    ("heavy", "light"),
    ("soft", "hard"),
    ("smooth", "rough"),
    ("sharp", "blurry"),
    ("shiny", "matte"),
    ("new", "old"),
    ("young", "old"),
    ("modern", "vintage"),
    ("cheap", "expensive"),
    ("busy", "empty"),
    ("crowded", "empty"),
    ("colourful", "plain"),
    ("colorful", "plain"),
    ("happy", "sad"),
    ("calm", "stormy"),
    ("clean", "dirty"),
    ("near", "far"),
    ("close", "far"),
    ("round", "square"),
    ("simple", "complex"),
    ("quiet", "loud"),
    ("bold", "subtle"),
    ("feminine", "masculine"),
    ("revealing", "conservative"),
    ("sunny", "cloudy"),
    ("full", "empty"),
    ("sheer", "opaque"),
)

#: Compared too, but their opposite is better said as "not".
WITHOUT_OPPOSITE: tuple[str, ...] = (
    "red", "green", "blue", "yellow", "pink", "purple", "brown", "black", "white", "grey", "gray",
    "sexy", "sporty", "dressy", "classy", "flowy", "lacy", "fluffy", "furry", "curly", "stripy", "shimmery",
    "sparkly", "glossy", "cute", "pretty", "nice", "cosy", "cozy", "scary", "funny", "wild", "rich", "fresh",
    "solid", "striped", "floral", "patterned", "layered", "ruffled", "transparent", "symmetrical", "traditional",
    "abstract", "realistic", "detailed", "dramatic", "romantic", "natural", "rustic", "minimalist", "professional",
    "contemporary", "conventional", "relaxed", "comfortable", "muted", "neutral", "green", "steep", "strong", "weak",
    "fast", "slow", "wet", "dry", "blue", "chunky", "edgy", "playful", "serious", "stylish", "fashionable", "flashy",
)  # fmt: skip

_IRREGULAR = {"farther": "far", "further": "far", "older": "old", "elder": "old"}
_DOUBLED = {"big", "hot", "thin", "slim", "red", "sad", "wet", "flat", "dim", "fat"}


def _comparative(word: str) -> str:
    if word.endswith("e"):
        return word + "r"
    if word.endswith("y"):
        return word[:-1] + "ier"
    return word + (word[-1] if word in _DOUBLED else "") + "er"


ADJECTIVES: frozenset[str] = frozenset(w for pair in OPPOSITES for w in pair) | frozenset(WITHOUT_OPPOSITE)

#: "longer" -> "long"; long words compare with "more" and never stand here.
COMPARATIVES: dict[str, str] = {_comparative(w): w for w in ADJECTIVES if len(w) <= 7} | _IRREGULAR

_OPPOSITE_OF: dict[str, str] = {}
for _one, _other in OPPOSITES:
    _OPPOSITE_OF.setdefault(_one, _other)
    _OPPOSITE_OF.setdefault(_other, _one)


def opposite_of(adjective: str) -> str | None:
    """What its absence looks like ("short" for "long"), or None when there is no word for it."""
    return _OPPOSITE_OF.get(adjective)
