"""Edits of colour: tint the picture or a thing, black and white, a new background colour."""

from __future__ import annotations

import re

from visavis.language.commands import AdjustColor, Clarify, Grayscale, Invert
from visavis.language.lexicon import colours
from visavis.language.rules.amounts import numbers_in
from visavis.language.rules.scene import Reading, Scene, read
from visavis.language.rules.targets import THING, target

#: The colours that a picture can be tinted with, as the paper names them, and three more.
TINTS = ("red", "orange", "green", "blue", "skyblue", "purple", "brown", "yellow", "pink", "black", "white", "grey")

_SHADES = (
    "light|lighter|pale|paler|soft|softer|bright|brighter|dark|darker|deep|deeper|strong|stronger|rich|richer|slightly"
)
COLOUR = rf"(?:(?P<shade>{_SHADES})[ -])?(?P<colour>{'|'.join(sorted(colours(), key=len, reverse=True))})"
_COMPARED = {f"{name}{ending}": name for name in TINTS for ending in ("er", "r", "der", "ner")} | {
    "redder": "red",
    "yellower": "yellow",
}

_GRAY = re.compile(
    r"\bblack (?:and|&|n) white\b|\bb ?& ?w\b|\bgrayscale\b|\bmonochrome\b|\bdecolou?ri[sz]e\b|"
    r"\b(?:remove|take out|drop|get rid of|lose|strip) (?:all )?(?:of )?(?:the |its )?colou?rs?\b"
)
_GRAY_REQUEST = re.compile(
    r"\b(?:make|turn|convert|change|apply|go|set|it|into|to|remove|drop|lose|strip|rid)\b|"
    r"^\s*(?:please )?(?:black (?:and|&|n) white|grayscale|monochrome|b ?& ?w)\b"
    # "black and white cows" are no order
    r"(?=[ ,.!?]*(?:$|(?:please|it|now|again|version|filter|effect|look|mode|style|and|then|with|but|only|for|"
    r"everywhere|"
    r"photo|picture|image)\b(?! of\b))|[,.!])"
)
_INVERT = re.compile(
    r"\binvert\b|\bnegative\b(?=.*\b(?:image|picture|of it|effect|colou?rs?)\b)|"
    r"\b(?:reverse|swap|turn|flip) (?:the |its )?colou?rs\b(?! (?:in)?to\b| (?:up|down)\b)"
)
_PAINT = re.compile(
    rf"\b(?:paint|colou?r|tint|dye|shade|recolou?r)\b (?P<thing>{THING}|it|images?)(?: (?:in|with|to|"
    rf"into))?(?: the colou?r)?(?: an?| the)? {COLOUR}\b"
)
_MAKE = re.compile(
    rf"\b(?:make|turn)\b (?P<thing>(?:(?!colou?r)[\w' ])*?|it|images?)"
    rf"(?: (?:look|into|to|be|a bit|a lot|much|even|more|"
    rf"all))*(?: an?)? {COLOUR}\b(?! (?:and|&) white)"
)
_CHANGE = re.compile(
    rf"\b(?:chang\w*|adjust\w*|set|turn|alter|modify|switch|try|giv\w*|add|use|apply|want|like|put|go|"
    rf"do)\b.*?\b{COLOUR}\b"
)
_THING_COLOUR = re.compile(
    rf"\bcolou?rs? (?:of|for) (?P<thing>{THING}|\w+) (?:to|into|in|as)\b|"
    rf"\b(?:the )?(?P<named>[\w']+) colou?r (?:to|into)\b|\b(?:chang\w*|turn) (?P<direct>{THING}) (?:to|"
    rf"into)\b"
)
_GIVEN = re.compile(rf"\bgiv(?:e|ing) ({THING}) an? ")
_WOULD_BE = re.compile(
    rf"\b(?:if|how)\b.*?\b(?:colou?r of )?(?P<thing>{THING}|it|image) (?:was|were|would be|is) (?:of |in )?{COLOUR}\b"
)
_NAMES = "|".join(sorted(colours(), key=len, reverse=True))
#: "turn the red car blue": the first colour tells which car.
_REPAINTED = re.compile(
    rf"^(?:turn|make|paint|colou?r|dye) (?P<thing>(?:the|her|his|my) (?:\w+ )?(?:{_NAMES}) \w+) (?:to |into |"
    rf"in )?(?P<new>{_NAMES})$"
)
_OBJECT = re.compile(r"\b(?:objects?|things?|items?|which|that|ice cream)\b")
_TINT_WORD = re.compile(r"\b(?:tint|tinge|hue|shade|tone|filter|colou?r(?:ed)?|paint|dye)\b")
_BLUER = re.compile(
    rf"\bmake ({THING}|it) (?:look )?(?:a (?:bit|little|lot) |much |even |more |"
    rf"slightly )*({'|'.join(_COMPARED)})\b"
)


def tint(shade: str | None, colour: str, text: str, scene: Scene) -> tuple[str, float]:
    """The tint and its strength for a colour as it was said."""
    conventions = scene.conventions
    strength = conventions.strength
    if shade in ("light", "lighter", "pale", "paler", "soft", "softer", "slightly"):
        strength = conventions.light_strength
    elif shade in ("dark", "darker", "deep", "deeper", "strong", "stronger", "rich", "richer"):
        strength = conventions.dark_strength
    numbers = [n for n in numbers_in(text) if 0 < n <= 100]
    if numbers and re.search(r"\bpercent\b|\bstrength\b|\bopacity\b|\bintensity\b|\bby \d|\b0?\.\d", text):
        strength = numbers[-1] / 100 if numbers[-1] > 1 else numbers[-1]
    return colours().get(colour, colour), strength


def _thing_of(found: re.Match[str], text: str) -> str | None:
    thing = found.groupdict().get("thing")
    if not thing and (given := _GIVEN.search(text)):
        thing = given[1]
    if not thing and (named := _THING_COLOUR.search(text)):
        thing = named["thing"] or named["named"] or named["direct"]
    return target(re.sub(r"^(?:the )?colou?r of ", "", thing)) if thing else None


def change_colour(scene: Scene) -> Reading | None:
    """Read "change the colour of the image to pink", "make the sky bluer", "black and white", "invert the colours"."""
    text = scene.text
    if _INVERT.search(text):
        return read(Invert())
    if (
        _GRAY.search(text)
        and (_GRAY_REQUEST.search(text))
        and not re.search(
            r"\b(?:find|search|show|looking)\b|\b(?:pictures|images|ones)\b.*\bonly\b|\bonly\b.*\b(?:pictures|images|"
            r"ones)\b",
            text,
        )
    ):
        return read(Grayscale())
    if found := _REPAINTED.match(text):
        name, strength = tint(None, found["new"], text, scene)
        return read(AdjustColor(name, strength, target=target(found["thing"])))
    if found := _BLUER.search(text):
        thing = target(found[1])
        if thing or scene.in_hand:
            return read(AdjustColor(_COMPARED[found[2]], scene.conventions.strength, target=thing))
    for pattern in (_PAINT, _MAKE, _CHANGE):
        found = pattern.search(text)
        if not found:
            continue
        thing = _thing_of(found, text)
        if pattern is _MAKE and not thing and not _about_picture(text, scene):
            return None
        if pattern is _CHANGE and _OBJECT.search(text) and not re.search(r"\b(?:chang|adjust|tint|paint)", text):
            return None
        if pattern is _CHANGE and not (_TINT_WORD.search(text) or (thing and scene.in_hand)):
            return None
        if thing and thing.split()[-1] == "background":
            return None
        name, strength = tint(found["shade"], found["colour"], text, scene)
        return read(AdjustColor(name, strength, target=thing))
    if (found := _WOULD_BE.search(text)) and _about_picture(text, scene):
        name, strength = tint(found["shade"], found["colour"], text, scene)
        return read(AdjustColor(name, strength, target=target(found["thing"])))
    if (
        re.search(r"\bchange (?:the |its )?colou?rs?(?: of (?:it|the (?:image|picture|photo)))?\W*$", text)
        and scene.in_hand
    ):
        options = tuple((name, f"adjust_color {name} {scene.conventions.strength}") for name in TINTS[:9])
        return read(Clarify("Which colour should it get?", options))
    return None


def _about_picture(text: str, scene: Scene) -> bool:
    return scene.in_hand or bool(re.search(r"\b(?:image|picture|photo)\b", text))
