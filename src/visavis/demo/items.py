"""An item of the demo catalogue, described before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from visavis.demo.captions import PHRASINGS, captions, title
from visavis.demo.colours import COLOURS, colour_distance, distance
from visavis.demo.vocabulary import (
    BACKGROUNDS,
    CATEGORIES,
    EMBLEMS,
    PATTERNS,
    VOCABULARY,
    Look,
    details_for,
    necklines_for,
)

#: Mean colours of the backgrounds, to ensure contrast.
BACKGROUND_COLOURS = {
    "white": (244, 244, 243),
    "light grey": (206, 208, 211),
    "cream": (243, 233, 212),
    "pale pink": (247, 222, 224),
    "pale blue": (210, 227, 243),
    "pale green": (216, 232, 214),
    "dark grey": (84, 86, 90),
    "wooden": (198, 163, 124),
}
_PATTERN_WEIGHTS = (34, 15, 13, 14, 12, 12)
#: Least distance between the two colours of an item, and between an item and its background.
_CONTRAST, _BACKGROUND_CONTRAST = 45.0, 12.0


@dataclass(frozen=True)
class DemoItem:
    """An item of the catalogue: its look and its product data."""

    seed: int
    index: int
    look: Look
    title: str
    caption: str
    price: float

    @property
    def id(self) -> str:
        """An id that is unique across all seeds."""
        return f"demo-{self.seed}-{self.index:06d}"

    @property
    def attributes(self) -> dict[str, str | list[str]]:
        """The flat attributes that apply to this item."""
        return self.look.attributes()

    @property
    def captions(self) -> list[str]:
        """Every phrasing of the look."""
        return captions(self.look)


def describe(seed: int, index: int) -> DemoItem:
    """Return the item with this number in the catalogue of this seed; deterministic."""
    random = Random(f"visavis/{seed}/{index}")
    look = random_look(random, random.choice(CATEGORIES))
    caption = random.choice(PHRASINGS)(look)
    return DemoItem(seed, index, look, title(look), caption, _price(random, look))


def random_look(random: Random, category: str) -> Look:
    """Return a random look of the category with compatible attributes."""
    words = VOCABULARY[category]
    sleeves = _pick(random, words.sleeves)
    look = Look(
        category=category,
        colour=random.choice(tuple(COLOURS)),
        pattern=random.choices(PATTERNS, _PATTERN_WEIGHTS)[0],
        kind=_pick(random, words.kinds),
        sleeves=sleeves,
        neckline=_pick(random, necklines_for(category, sleeves)),
        length=_pick(random, words.lengths),
        fit=_pick(random, words.fits),
    )
    optional = details_for(look)
    details = set(random.sample(optional, min(len(optional), random.choice((0, 0, 1, 1, 2)))))
    ordered = tuple(d for d in (*words.always, *words.details) if d in details or d in words.always)
    look = replace(look, details=ordered, logo=random.choice(EMBLEMS) if look.pattern == "logo" else "")
    if look.pattern != "plain" or set(ordered) & set(words.accents):
        look = replace(look, second_colour=random.choice(contrasting(look.colour)))
    return replace(look, background=random.choice(backgrounds_for(look.colour)))


def contrasting(colour: str) -> list[str]:
    """Return the colours with enough contrast to ``colour``."""
    return [other for other in COLOURS if colour_distance(colour, other) >= _CONTRAST]


def backgrounds_for(colour: str) -> list[str]:
    """Return the backgrounds with enough contrast to ``colour``."""
    return [name for name in BACKGROUNDS if distance(COLOURS[colour], BACKGROUND_COLOURS[name]) >= _BACKGROUND_CONTRAST]


def _pick(random: Random, options: tuple[str, ...]) -> str:
    return random.choice(options) if options else ""


def _price(random: Random, look: Look) -> float:
    """Return a price that depends on the look: more cloth, more details and a pattern cost more."""
    factor = {"mini": 0.9, "cropped": 0.9, "short": 0.9, "midi": 1.1, "maxi": 1.25, "long": 1.2}.get(look.length, 1.0)
    factor += 0.06 * len(look.details) + (0.08 if look.pattern != "plain" else 0)
    return round(VOCABULARY[look.category].base_price * factor * random.uniform(0.75, 1.35)) - 0.01
