"""Relative wishes ("longer sleeves", "less formal") as changes of a quality, and the adjectives that they use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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


@dataclass(frozen=True)
class Change:
    """One quality to be raised or lowered, compared with the picture in hand.

    Attributes:
        quality: An adjective ("long") or a thing that can be counted ("stripes").
        more: Raise it, or lower it.
        part: What has the quality ("sleeves"), or an empty string for the whole.
    """

    quality: str
    more: bool
    part: str = ""

    @property
    def toward(self) -> str:
        """Words for what the change moves towards: "long sleeves"."""
        if self.more:
            return f"{self.quality} {self.part}".strip()
        opposite = opposite_of(self.quality)
        return f"{opposite or f'not {self.quality}'} {self.part}".strip()

    @property
    def away_from(self) -> str:
        """Words for what the change moves away from: "short sleeves", or empty when there are none."""
        if not self.more:
            return f"{self.quality} {self.part}".strip()
        opposite = opposite_of(self.quality)
        return f"{opposite} {self.part}".strip() if opposite else ""


#: What ends the part that a quality belongs to ("longer sleeves *and* ...").
_STOP = {
    "and", "but", "or", "with", "than", "in", "on", "at", "please", "pls", "for", "to", "too", "of", "the", "a", "an",
    "it", "is", "be", "looking", "overall", "one", "ones", "that", "this", "these", "those", "as", "like",
}  # fmt: skip


def _part_after(words: list[str], start: int) -> str:
    part = []
    for word in words[start:]:
        if word in _STOP or word in COMPARATIVES or word in ("more", "less", "fewer"):
            break
        part.append(word)
    return " ".join(part[:3])


def _read_more_or_less(words: list[str], at: int) -> Change | None:
    more = words[at] == "more"
    if at + 1 >= len(words) or words[at + 1] in _STOP:
        return None
    quality = words[at + 1]
    if quality in ADJECTIVES or quality.endswith(("ful", "ive", "al", "ous", "ish", "ed", "ic", "y", "able", "ing")):
        return Change(quality, more, _part_after(words, at + 2))
    thing = _part_after(words, at + 1)
    return Change(thing, more) if thing else None


def _is_overdone(words: list[str], at: int) -> bool:
    """Whether "too dark", "not so dark" or "not as dark" starts here."""
    if at + 1 >= len(words) or words[at + 1] not in ADJECTIVES:
        return False
    return words[at] == "too" or (words[at] in ("so", "as") and at > 0 and words[at - 1] == "not")


def relative_changes(text: str) -> tuple[Change, ...]:
    """The changes that a text asks for; empty when it describes instead of comparing.

    >>> relative_changes("longer sleeves and less formal")
    (Change(quality='long', more=True, part='sleeves'), Change(quality='formal', more=False, part=''))
    """
    words = re.findall(r"[a-z][a-z'-]*", text.lower())
    changes: list[Change] = []
    for at, word in enumerate(words):
        change: Change | None = None
        if word in COMPARATIVES:
            change = Change(COMPARATIVES[word], True, _part_after(words, at + 1))
        elif word in ("more", "less", "fewer"):
            change = _read_more_or_less(words, at)
        elif _is_overdone(words, at):
            change = Change(words[at + 1], False)
        if change:
            changes.append(change)
    return tuple(changes)


@lru_cache(maxsize=4096)
def directions(text: str) -> tuple[tuple[str, str], ...]:
    """What a relative wish moves towards and away from, change by change; the whole text where it compares nothing.

    >>> directions("longer sleeves")
    (('long sleeves', 'short sleeves'),)
    """
    return tuple((change.toward, change.away_from) for change in relative_changes(text)) or ((text, ""),)
