"""Products with what can be said of each: values of the catalogue, and words of the title by type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from visavis.lab.datasets.protocol import ProtocolPicture

#: Words of titles by what they tell. A title of several words of one type is described by the first.
_TITLE_WORDS: Mapping[str, Mapping[str, str]] = {
    "pattern": {
        "printed": "printed", "print": "printed", "prints": "printed", "solid": "solid", "plain": "solid",
        "check": "checked", "checks": "checked", "checked": "checked", "plaid": "checked", "striped": "striped",
        "stripe": "striped", "stripes": "striped", "graphic": "graphic", "floral": "floral", "flower": "floral",
        "polka": "dotted", "dot": "dotted", "dots": "dotted", "washed": "washed", "melange": "melange", "logo": "logo",
        "embroidered": "embroidered", "colourblock": "colour-blocked", "camouflage": "camouflage", "block": "block",
        "butterfly": "butterfly", "heart": "heart", "skull": "skull", "star": "star", "shimmer": "shimmer",
    },
    "material": {
        "leather": "leather", "leatherette": "leatherette", "canvas": "canvas", "cotton": "cotton", "silk": "silk",
        "denim": "denim", "lace": "lace", "satin": "satin", "suede": "suede", "woven": "woven", "knit": "knitted",
        "knitted": "knitted", "jersey": "jersey", "steel": "steel", "pearl": "pearl", "crystal": "crystal",
        "beaded": "beaded", "metal": "metal", "rubber": "rubber", "wool": "wool", "linen": "linen", "nylon": "nylon",
    },
    "cut": {
        "polo": "polo", "crew": "crew neck", "round": "round neck", "v-neck": "v-neck", "hooded": "hooded",
        "sleeveless": "sleeveless", "slim": "slim", "skinny": "skinny", "short": "short", "long": "long", "low": "low",
        "high": "high", "mid": "mid", "wedges": "wedge", "wedge": "wedge", "slip-on": "slip-on", "thong": "thong",
        "tote": "tote", "sling": "sling", "hobo": "hobo", "aviator": "aviator", "wayfarer": "wayfarer", "tank": "tank",
        "boat": "boat", "square": "square", "cargo": "cargo", "bikini": "bikini", "boxer": "boxer", "hip": "hip",
        "strap": "strap", "chronograph": "chronograph", "digital": "digital", "analogue": "analogue",
        "analog": "analogue", "reversible": "reversible", "laptop": "laptop", "ankle": "ankle", "zip": "zip",
    },
}  # fmt: skip
_WEARERS = {"men": "men", "women": "women", "boys": "boys", "girls": "girls", "unisex": "everybody"}
_WEARER_WORD = re.compile(r"\b(?:men|women|man|woman|unisex|boys?|girls?|kids?|mens|womens)(?:'s)?\b", re.IGNORECASE)
#: A brand has at most so many words.
_BRAND_WORDS = 4
#: What a person says first, first.
ASPECTS = ("colour", "pattern", "cut", "material", "style", "wearer", "brand")


@dataclass(frozen=True)
class Product:
    """A product.

    Attributes:
        id: Its id.
        category: Its article type: sessions stay within one.
        title: Its title, which serves as its caption.
        aspects: What can be said of it; an aspect of which nothing is known is left out.
        split: ``val`` for what is held out.
    """

    id: str
    category: str
    title: str
    aspects: Mapping[str, str] = field(default_factory=dict)
    split: str = "train"

    def agreement(self, other: Product) -> int:
        """In how many aspects both are the same."""
        return sum(other.aspects.get(aspect) == value for aspect, value in self.aspects.items())

    def differences(self, other: Product) -> list[str]:
        """The aspects in which it is something that the other is not, in the order in which people name them."""
        return [a for a in ASPECTS if a in self.aspects and self.aspects[a] != other.aspects.get(a)]


def products_of(rows: Iterable[ProtocolPicture]) -> list[Product]:
    """The products of ``styles.csv`` that have a title and a category."""
    made = []
    for row in rows:
        category = str(row.attributes.get("articleType") or "").strip()
        title = str(row.attributes.get("productDisplayName") or "").strip()
        if category and title:
            made.append(Product(row.id, category, title, _aspects(row.attributes, title), row.split or "train"))
    return made


def _aspects(row: Mapping[str, str], title: str) -> dict[str, str]:
    known = {"colour": str(row.get("baseColour") or ""), "style": str(row.get("usage") or "")}
    found = {aspect: value.lower() for aspect, value in known.items() if value and value != "NA"}
    if wearer := _WEARERS.get(str(row.get("gender") or "").lower()):
        found["wearer"] = wearer
    words = re.findall(r"[a-z][a-z-]+", title.lower())
    for aspect, table in _TITLE_WORDS.items():
        if value := next((table[word] for word in words if word in table), ""):
            found[aspect] = value
    brand = _WEARER_WORD.split(title, maxsplit=1)[0].strip().lower()
    if brand != title.lower() and 0 < len(brand.split()) <= _BRAND_WORDS:
        found["brand"] = brand
    return found
