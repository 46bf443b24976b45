"""Titles and captions of drawn items; every statement is true of the drawing."""

from __future__ import annotations

from collections.abc import Callable

from visavis.demo.vocabulary import Look

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
