"""Hard negatives: captions with one wrong attribute, for contrastive training."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from visavis.demo.captions import PHRASINGS
from visavis.demo.colours import COLOURS, clearly_different
from visavis.demo.items import DemoItem, contrasting
from visavis.demo.vocabulary import CATEGORIES, EMBLEMS, PATTERNS, VOCABULARY, Look, necklines_for


def hard_negatives(item: DemoItem) -> list[str]:
    """Return captions in the item's own phrasing with one attribute swapped; none of them is true of the picture."""
    random = Random(f"negatives/{item.seed}/{item.index}")
    phrase = next((p for p in PHRASINGS if p(item.look) == item.caption), PHRASINGS[0])
    true = set(item.captions)
    wrong = (phrase(look) for look in wrong_looks(item.look, random))
    return [text for text in dict.fromkeys(wrong) if text not in true]


def wrong_looks(look: Look, random: Random) -> list[Look]:
    """Return looks that differ from this one in exactly one visible attribute."""
    return [
        *_other_colours(look, random),
        *_other_pattern(look, random),
        *_other_thing(look, random),
        *_other_cut(look, random),
    ]


def other_colour(colour: str, random: Random, avoid: str = "") -> str:
    """Return a colour that cannot be called ``colour``."""
    return random.choice([other for other in COLOURS if other != avoid and clearly_different(colour, other)])


def _other_colours(look: Look, random: Random) -> list[Look]:
    looks = [replace(look, colour=other_colour(look.colour, random, look.second_colour))]
    if look.second_colour:
        # Red and white stripes are white and red stripes.
        if look.pattern not in ("striped", "checked") and clearly_different(look.colour, look.second_colour):
            looks.append(replace(look, colour=look.second_colour, second_colour=look.colour))
        looks.append(replace(look, second_colour=other_colour(look.second_colour, random, look.colour)))
    return looks


def _other_pattern(look: Look, random: Random) -> list[Look]:
    # Neither plain nor a logo: some phrasings omit those, and an omission is not false.
    pattern = random.choice([p for p in PATTERNS if p not in (look.pattern, "plain", "logo")])
    second = look.second_colour or random.choice(contrasting(look.colour))
    looks = [replace(look, pattern=pattern, second_colour=second)]
    if look.logo:
        looks.append(replace(look, logo=random.choice([e for e in EMBLEMS if e != look.logo])))
    return looks


def _other_thing(look: Look, random: Random) -> list[Look]:
    looks = []
    kinds = VOCABULARY[look.category].kinds
    if kinds:
        looks.append(replace(look, kind=random.choice([k for k in kinds if k != look.kind])))
    # Only a category that can have the same attributes keeps the sentence sensible.
    near = {
        "dress": ("top", "skirt"),
        "top": ("dress",),
        "shirt": ("coat", "dress"),
        "T-shirt": ("dress", "coat"),
        "skirt": ("trousers", "dress"),
        "trousers": ("skirt",),
        "coat": ("dress", "shirt"),
    }
    others = near.get(look.category, tuple(c for c in CATEGORIES if c != look.category)[:2])
    return looks + [replace(look, category=c, kind=_pick(random, VOCABULARY[c].kinds)) for c in others]


def _other_cut(look: Look, random: Random) -> list[Look]:
    words = VOCABULARY[look.category]
    looks = []
    for name, options in (("sleeves", words.sleeves), ("length", words.lengths), ("fit", words.fits)):
        current = getattr(look, name)
        others = [option for option in options if option not in (current, "regular")]
        if current and others:
            other = random.choice(others)
            looks.append(replace(look, **{name: other}))  # type: ignore[arg-type]  # each of the three is a text
    necklines = [n for n in necklines_for(look.category, look.sleeves) if n != look.neckline]
    if look.neckline and necklines:
        looks.append(replace(look, neckline=random.choice(necklines)))
    return looks


def _pick(random: Random, options: tuple[str, ...]) -> str:
    return random.choice(options) if options else ""
