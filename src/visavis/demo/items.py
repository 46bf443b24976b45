"""An item of the demo catalogue before it is drawn, its titles and captions, and captions that are wrong of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from visavis.demo.vocabulary import (
    BACKGROUNDS,
    CATEGORIES,
    COLOURS,
    EMBLEMS,
    PATTERNS,
    VOCABULARY,
    Look,
    clearly_different,
    colour_distance,
    details_for,
    distance,
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


_NECKLINES = {
    "round": "a round neck",
    "V-neck": "a V-neck",
    "square": "a square neckline",
    "boat": "a boat neck",
    "off-shoulder": "an off-shoulder neckline",
    "high": "a high neck",
    "collar": "a collar",
    "lapels": "lapels",
    "stand collar": "a stand collar",
}
_SLEEVES = {"straps": "thin straps", "short": "short sleeves", "long": "long sleeves"}
_SURFACES = {"wooden": "on wooden boards"}
_PAIRS = ("shoes", "trousers")


def article(phrase: str) -> str:
    """Prefix the right indefinite article."""
    return f"{'an' if phrase[0].lower() in 'aeio' else 'a'} {phrase}"


def joined(parts: list[str]) -> str:
    """Join parts as a list in words: ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def noun(look: Look) -> str:
    """Return the name of the item: its kind when it has one, else its category."""
    return look.kind or look.category


def one(phrase: str, look: Look) -> str:
    """Return the phrase with an article, or as a pair."""
    return f"a pair of {phrase}" if look.category in _PAIRS else article(phrase)


def adjectives(look: Look) -> str:
    """Return colour and pattern as adjectives."""
    match look.pattern:
        case "striped" | "checked":
            return f"{look.colour} and {look.second_colour} {look.pattern}"
        case "dotted":
            return f"{look.colour} polka dot"
        case "floral":
            return f"{look.colour} floral"
        case _:
            return look.colour


def print_phrase(look: Look) -> str:
    """Return the pattern as a noun phrase, or nothing for a plain one."""
    match look.pattern:
        case "striped":
            return f"{look.second_colour} stripes"
        case "checked":
            return f"{look.second_colour} checks"
        case "dotted":
            return f"{look.second_colour} dots"
        case "floral":
            return f"{look.second_colour} flowers"
        case "logo":
            return article(f"{look.second_colour} {look.logo} logo")
        case _:
            return ""


def detail_phrases(look: Look) -> list[str]:
    """Return the details in words, with the second colour where they have it."""
    return [_detail(detail, look) for detail in look.details]


def _detail(detail: str, look: Look) -> str:
    match detail:
        case "belt" | "band":
            return article(f"{look.second_colour} {detail}")
        case "contrast straps" if look.kind == "shoulder bag":
            return article(f"{look.second_colour} strap")
        case "contrast straps" if look.kind == "tote bag":
            return f"{look.second_colour} handles"
        case "contrast sleeves" | "contrast soles" | "contrast straps":
            return f"{look.second_colour} {detail.removeprefix('contrast ')}"
        case "lace":
            return "lace trim"
        case "pockets" if look.category in ("shirt", "T-shirt"):
            return "a chest pocket"
        case "pockets" if look.category == "bag":
            return "a front pocket"
        case "hood":
            return "a hood"
        case _:
            return detail


def features(look: Look) -> list[str]:
    """Return sleeves, neckline and details in words."""
    sleeves = _SLEEVES.get(look.sleeves, "")
    if "contrast sleeves" in look.details:
        sleeves = ""  # the detail already includes it, with the colour
    parts = [sleeves, _NECKLINES.get(look.neckline, "")]
    return [part for part in parts if part] + detail_phrases(look)


def _shape(look: Look) -> list[str]:
    fit = "" if look.fit == "regular" else look.fit
    sleeveless = "sleeveless" if look.sleeves == "sleeveless" else ""
    return [word for word in (fit, sleeveless, look.length) if word]


def _with(parts: list[str]) -> str:
    return f" with {joined(parts)}" if parts else ""


def surface(look: Look) -> str:
    """Return the background in words: ``on a pale blue background``."""
    return _SURFACES.get(look.background, f"on {article(look.background)} background")


def title(look: Look) -> str:
    """Return a shop's title: colour, pattern, length and item."""
    words = " ".join([adjectives(look), *_shape(look)[-1:], noun(look)])
    print_words = [print_phrase(look)] if look.pattern == "logo" else []
    text = words + _with((print_words + features(look))[:2])
    return text[0].upper() + text[1:]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _full(look: Look) -> str:
    words = " ".join([*_shape(look), adjectives(look), noun(look)])
    prints = [print_phrase(look)] if look.pattern in ("dotted", "floral", "logo") else []
    return one(words, look) + _with(prints + features(look))


def _brief(look: Look) -> str:
    return one(f"{adjectives(look)} {noun(look)}", look)


def _printed(look: Look) -> str:
    prints = [print_phrase(look)] if look.pattern != "plain" else []
    return one(f"{look.colour} {noun(look)}", look) + _with(prints)


def _statement(look: Look) -> str:
    verb, has = ("are", "have") if look.category in _PAIRS else ("is", "has")
    this = "these" if look.category in _PAIRS else "this"
    coloured = f"{look.colour}" + (_with([print_phrase(look)]) if look.pattern != "plain" else "")
    parts = features(look)
    return f"{this} {' '.join([*_shape(look), noun(look)])} {verb} {coloured}" + (
        f" and {has} {joined(parts)}" if parts else ""
    )


def _listed(look: Look) -> str:
    prints = [print_phrase(look)] if look.pattern != "plain" else ["no pattern"]
    return ", ".join([f"{look.colour} {noun(look)}", *prints, *_shape(look), *features(look)])


#: The phrasings; each can describe any look.
PHRASINGS: tuple[Callable[[Look], str], ...] = (
    lambda look: _sentence(_full(look)),
    lambda look: _sentence(f"{_full(look)}, {surface(look)}"),
    lambda look: _sentence(_brief(look)),
    lambda look: _sentence(f"{_brief(look)} {surface(look)}"),
    lambda look: _sentence(_printed(look)),
    lambda look: _sentence(_statement(look)),
    lambda look: _sentence(f"a shop picture of {_full(look)}"),
    lambda look: _listed(look),
)


def captions(look: Look) -> list[str]:
    """Return every phrasing of the look, without repeats."""
    return list(dict.fromkeys(phrase(look) for phrase in PHRASINGS))
