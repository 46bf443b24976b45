"""Attributes of products, mined from a catalogue's columns and titles: Fashion IQ's five types, aspects to speak of.

DeepFashion's vocabulary is for clothes alone, so the words of a catalogue of clothes, shoes, bags and watches are
grouped anew. A label is there when the catalogue says so; what nobody wrote down is missing, as in Fashion IQ.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from visavis.lab.datasets.base import ProtocolPicture

TYPES = ("texture", "fabric", "shape", "part", "style")
#: Attributes of a picture that the networks read.
TOP = 8
#: A label that fewer products have is not learned.
LEAST = 40

#: The catalogue's columns with the type of their values; season and year cannot be seen.
_COLUMNS = {"articleType": "shape", "baseColour": "texture", "gender": "style", "usage": "style"}
_NOTHING = frozenset({"", "na", "nan", "none", "multi"})
#: Words of titles by type; one that stands for another is written ``word=label``.
_WORDS = {
    "texture": """printed print=printed graphic striped stripes=striped stripe=striped check checked=check checks=check
        solid plain=solid floral flower=floral logo washed faded metallic polka dots=polka camouflage camo=camouflage
        melange textured embossed animal colourblock colorblock=colourblock abstract paisley glitter matte glossy=shine
        shine transparent""",
    "fabric": """leather leatherette cotton denim canvas silk wool woollen=wool linen satin velvet suede mesh nylon
        polyester knit knitted=knit fleece rubber steel metal stone pearl gold-plated chiffon georgette net lace
        lycra corduroy jute""",
    "shape": """slim skinny regular straight bootcut round square oval aviator wayfarer rectangular oversized maxi mini
        long short wrap tunic cropped crop=cropped low high ankle knee bootleg flared pleated a-line boxer bikini
        hipster""",
    "part": """dial strap straps=strap collar polo=collar sleeve sleeves=sleeve sleeveless v-neck round-neck crew hooded
        hood=hooded neck pocket pockets=pocket zip zipper=zip button buttons=button buckle lace-up laces=lace-up slip-on
        heel heels=heel wedge wedges=wedge platform peep frame chain pendant sling tote clutch backpack laptop flap
        padded underwired strapless""",
    "style": """classic vintage retro basic sporty running=sport training=sport sport football basketball cricket tennis
        yoga gym outdoor trekking travel party ethnic traditional funky urban trendy elegant chic street beach winter
        digital chronograph analogue analog=analogue reversible automatic men's=men women's=women""",
}
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


def _words() -> dict[str, tuple[str, str]]:
    made = {}
    for kind, words in _WORDS.items():
        for entry in words.split():
            word, _, label = entry.partition("=")
            made[word] = (label or word, kind)
    return made


_KNOWN = _words()
_TOKEN = re.compile(r"[a-z][a-z'-]*[a-z]|[a-z]")


def labels_of(row: Mapping[str, object]) -> dict[str, str]:
    """A product's attributes with their types: columns first, then words of its title.

    >>> labels_of({"articleType": "Shirts", "baseColour": "Navy Blue", "productDisplayName": "Turtle Check Shirt"})
    {'shirts': 'shape', 'navy blue': 'texture', 'check': 'texture'}
    """
    made: dict[str, str] = {}
    for column, kind in _COLUMNS.items():
        value = str(row.get(column) or "").strip().lower()
        if value not in _NOTHING:
            made[value] = kind
    for word in _TOKEN.findall(str(row.get("productDisplayName") or "").lower()):
        if word in _KNOWN:
            label, kind = _KNOWN[word]
            made.setdefault(label, kind)
    return made


@dataclass(frozen=True)
class AttributeTable:
    """The attributes that a network knows, by number."""

    names: tuple[str, ...]
    types: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, row: Mapping[str, object]) -> list[int]:
        """The numbers of a product's attributes."""
        known = {name: number for number, name in enumerate(self.names)}
        return [known[name] for name in labels_of(row) if name in known]

    def of_type(self, kind: str) -> list[int]:
        """The numbers of a type's attributes."""
        return [number for number, own in enumerate(self.types) if own == kind]

    def as_json(self) -> dict[str, list[str]]:
        """Plain values, for the description beside weights."""
        return {"names": list(self.names), "types": list(self.types)}

    @classmethod
    def from_json(cls, value: Mapping[str, Sequence[str]]) -> AttributeTable:
        """Parse what :meth:`as_json` returns."""
        return cls(tuple(value["names"]), tuple(value["types"]))


def mined_table(rows: Iterable[Mapping[str, object]], least: int = LEAST) -> AttributeTable:
    """The attributes that at least so many products have, the commonest first."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts.update(labels_of(row).items())
    kept: dict[str, str] = {}
    for (name, kind), number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        if number >= least:
            kept.setdefault(name, kind)
    return AttributeTable(tuple(kept), tuple(kept.values()))


# -- what is said of products --------------------------------------------------------------------------

_CHANGES = {
    "colour": ("is {}", "is {} in color", "is {} colored", "has {} color", "is more {}", "the color is {}"),
    "kind": ("is {}", "are {}", "is one of the {}", "shows {} instead"),
    "people": ("is for {}", "is made for {}", "is a {} style"),
    "use": ("is more {}", "is for {} wear", "is {}", "looks more {}"),
    "fabric": ("is {}", "is made of {}", "has {} material"),
    "part": ("has a {}", "has {}", "comes with a {}"),
    "other": ("is {}", "has a {} look", "is more {}", "has a {} design"),
}
_FIELDS = {"articleType": "kind", "baseColour": "colour", "gender": "people", "usage": "use"}
_FORMS = {"texture": "other", "fabric": "fabric", "shape": "other", "part": "part", "style": "use"}
_OPENINGS = ("{colour} {kind}", "{kind} for {people}", "{colour} {kind} for {people}", "{kind}", "{use} {kind}")


@dataclass(frozen=True)
class ProductText:
    """What can be said of a product.

    Attributes:
        forms: Its attributes with the kind of sentence that says them.
        title: Its title, in lower case.
    """

    forms: Mapping[str, str]
    title: str = ""

    @classmethod
    def of(cls, row: Mapping[str, object]) -> ProductText:
        """Read a row of a catalogue."""
        columns = {str(row.get(column) or "").strip().lower(): form for column, form in _FIELDS.items()}
        forms = {name: columns.get(name) or _FORMS[kind] for name, kind in labels_of(row).items()}
        return cls(forms, str(row.get("productDisplayName") or "").lower())


def described(product: ProductText, draw: random.Random) -> str:
    """How a conversation about a product may begin: "navy blue shirts for men", or a part of its title."""
    if product.title and draw.random() < 0.25:
        words = product.title.split()
        first = draw.randrange(max(1, len(words) - 3))
        return " ".join(words[first : first + draw.randint(3, 6)])
    values = {form: name for name, form in product.forms.items()}
    fitting = [form for form in _OPENINGS if all(part in values for part in re.findall(r"{(\w+)}", form))]
    return draw.choice(fitting).format(**values) if fitting else product.title or "something like this"


def compared(reference: ProductText, target: ProductText, draw: random.Random) -> str:
    """A relative caption in Fashion IQ's style, made of what the catalogue says of the target alone.

    One to three differences; the kind of product, where it is another one, is named first.
    """
    differing = [name for name in target.forms if name not in reference.forms]
    draw.shuffle(differing)
    differing.sort(key=lambda name: target.forms[name] != "kind")
    if not differing:
        return f"is {target.title}" if target.title else "is similar"
    chosen = differing[: draw.choice((1, 2, 2, 3))]
    return " and ".join(draw.choice(_CHANGES[target.forms[name]]).format(name) for name in chosen)


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
