"""Wishes that lean on the picture in hand: "a towel in the colour of the girl's jacket", "the thing on the table"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from visavis.language.commands import AdjustColor, Clarify
from visavis.language.concepts import colour_of
from visavis.language.lexicon import colours
from visavis.language.places import THING_REFERENCE, thing_at
from visavis.language.rules.colouring import TINTS, tint
from visavis.language.rules.phrases import unwrap
from visavis.language.rules.scene import Reading, Scene, read

_COLOUR = r"(?:colou?r|shade|tone|hue|tint)(?:s|ed|ing)?"
_MATCH = (
    r"(?:match(?:es|ing|ed)?|sames?|similar|identical|equal|alike|like|goes?|going|resembl\w+|"
    r"correspond\w*|enhance|coordinat\w+|complement\w*|blend(?:s|ing)?|along|as|of)"
)
#: From what is wanted to what has the colour: "... which matches the colour of ...", "... with the same colour as ...".
_COLOUR_LINK = re.compile(
    rf"[ ,]*\b(?:which|that|having|has|have|with|in|of|whose|and|where|it|its|is|are|should|be|the|a|an|"
    rf"exact(?:ly)?|almost|to|same|similar|match\w*|alike|goes?|going|along|inline|line|both|{_COLOUR}|{_MATCH})\b"
    rf"(?:[ ,]+(?:which|that|having|has|have|with|in|of|whose|where|it|its|is|are|should|be|the|an?|"
    rf"exact(?:ly)?|almost|to|as|same|similar\w*|for|from|on|along|inline|line|goes?|going|been|as same|{_COLOUR}|"
    rf"{_MATCH}))*[ ,]+"
)
_HAS_COLOUR = re.compile(rf"\b{_COLOUR}\b")
_HAS_MATCH = re.compile(
    r"\b(?:match\w*|same|similar\w*|identical|resembl\w+|goes? (?:along )?with|like|as|of|inline|in line|"
    r"enhance|to the)\b"
)
_PAIRED = re.compile(
    rf"^(?:an? )?matching (?P<wanted>[\w -]+?)(?: (?:to|with|"
    rf"matching with) (?:the )?{_COLOUR} of (?:the )?(?P<seen>.+))?$"
)
_MATCHING = re.compile(
    r"^(?P<wanted>.+?),? (?:matching|(?:that|which) (?:will |would )?(?:match(?:es)?|goes? (?:well )?with|resembles?)|"
    r"to match|to go with)(?: with| to)? (?:the|that|this|her|his|their|my) (?P<seen>[\w' -]+)$"
)
_CHANGE = re.compile(
    r"\b(?:chang\w*|adjust\w*|paint(?:ed|ing)|colou?r(?:ed|ing)?|make|making|tint\w*|recolou?r\w*|"
    r"images? colou?r|turn)\b"
)
_CHANGE_VERB = re.compile(
    r"\b(?:chang(?:e|es|ed|ing)|adjust\w*|(?:colou?r|paint|tint|shade|recolou?r|keep) (?:the|this|it|image|above)\b|"
    r"make (?:the|it|this|colou?r)|(?:be|been) colou?red|image colou?r)"
)
_FIND = re.compile(r"\b(?:find|search|fetch|get|look|image of|picture of)\b")
_ASKED = re.compile(
    r"\b(?:chang\w*|adjust\w*|paint|tint|recolou?r|alter|apply|try|match)\b|\b(?:colou?r|shade) (?:the|"
    r"this|it|image|above)\b|"
    r"\b(?:make|turn|keep|set|give) (?:the|this|it|image|colou?r)\b|\bcolou?red\b|\bimage colou?r\b|"
    r"\bcolou?r of (?:the )?image\b|"
    r"\bimage (?:in|that)\b"
)
_NO_THING = re.compile(
    r"images?|pictures?|photos?|it|this|that|if|i|you|we|the|be|is|will|with|good|better|nice|colou?rs?|"
    r"no|yes|please|could|can|would|to|and"
)
_PICTURE_OF = re.compile(
    r"\b(?:images?|pictures?|photos?) (?:of|which has|with an?|for an?) (?:an?|some|the (?!same)|"
    r"another)?\s?(?!image|picture|it\b)\w+"
)
_LEFTOVER = re.compile(
    r"^(?:how about|what about|have|get|my|of|to|an?|the|some|i (?:think i )?(?:will |would )?need|can|"
    r"for|also)\s+"
)
_TRAILING_COLOUR = re.compile(rf"\s+{_COLOUR}\b.*$")


@dataclass(frozen=True)
class ColourWish:
    """Something wanted in the colour of something seen."""

    wanted: str
    seen: str


def split_colour_wish(text: str) -> ColourWish | None:
    """Read "towel in the colour of the girl's jacket" as what is wanted and what has its colour."""
    if paired := _PAIRED.match(text):
        return ColourWish(paired["wanted"], paired["seen"] or "same colour")
    best: tuple[int, int] | None = None
    for found in _COLOUR_LINK.finditer(text):
        link, behind = found[0], text[found.end() :]
        about_colour = _HAS_COLOUR.search(link) or (
            re.search(r"\bmatch|\bsame|\bsimilar", link) and _HAS_COLOUR.search(behind)
        )
        if about_colour and _HAS_MATCH.search(link) and behind:
            best = (found.start(), found.end())
            break
    if best is None:
        return None if _HAS_COLOUR.search(text) else _matching(text)
    wanted, seen = text[: best[0]].strip(" ,"), text[best[1] :].strip(" ,.?!")
    seen = re.sub(rf"^(?:the )?{_COLOUR} (?:of|in)\s+", "", seen)
    return ColourWish(wanted, _TRAILING_COLOUR.sub("", seen) or seen)


def _matching(text: str) -> ColourWish | None:
    """Read "a towel matching the girl's jacket": things match by their colour."""
    found = _MATCHING.match(text)
    return ColourWish(found["wanted"].strip(" ,"), found["seen"].strip(" ,.?!")) if found else None


def _colour_of(seen: str, scene: Scene) -> str | None:
    if (eye := scene.conventions.eye) is not None:
        return eye.colour(seen, scene.context)
    return colour_of(seen, scene.context.concepts, scene.context.topic, scene.conventions.colour_prior)


def _thing_at(text: str, scene: Scene) -> str | None:
    if (eye := scene.conventions.eye) is not None:
        return eye.thing(text, scene.context)
    guess = scene.conventions.colour_prior is not None
    return thing_at(text, scene.context.concepts, scene.context.topic, guess=guess)


def _named_before(seen: str, scene: Scene) -> str:
    """The thing that "the same colour" leans on: "I like the colour of the cap. Find me a bag in the same colour."."""
    if not re.fullmatch(
        rf"(?:(?:the |that )?(?:same )?{_COLOUR}|it|that|this|same|wit(?: the)?)(?: as (?:it|that))?", seen
    ):
        return seen
    found = re.search(rf"\b{_COLOUR} of (?:the |that )?(.+?)(?:,|\.| can | could |$)", scene.message)
    return found[1] if found else seen


def search_text(text: str, scene: Scene) -> tuple[str, float]:
    """What to search for, with talk of the picture resolved, and how sure that is."""
    wish = split_colour_wish(text) if scene.context.concepts or _HAS_COLOUR.search(text) else None
    if wish and wish.wanted and wish.seen not in colours():
        colour = _colour_of(_named_before(wish.seen, scene), scene)
        wanted = _LEFTOVER.sub("", unwrap(wish.wanted).text)
        if colour:
            return f"{colour} {wanted}", 0.8
        return (text if scene.context.concepts == () else wanted), 0.3
    if THING_REFERENCE.search(text) and (scene.context.picture or scene.context.concepts):
        thing = _thing_at(text, scene)
        return (thing, 0.6) if thing else (text, 0.2)
    return text, 0.9


def colour_from_picture(scene: Scene) -> Reading | None:
    """Read "change the colour of the image to the colour of the sofa"."""
    text = scene.text
    asked = _ASKED.search(text)
    again = isinstance(scene.last_edit, AdjustColor) and re.search(r"\b(?:chang\w*|make|try)\b.*\b(?:with|to)\b", text)
    if not (asked and _HAS_COLOUR.search(text)) and not again:
        return None
    if not scene.context.concepts or _wants_a_thing(text):
        return None
    seen = _seen_colour(text)
    colour = _colour_of(seen, scene) if seen else None
    if colour:
        name, strength = tint(None, colour, "", scene)
        return read(AdjustColor(name, strength), confidence=0.7)
    if seen:
        options = tuple((name, f"adjust_color {name} {scene.conventions.strength}") for name in TINTS[:9])
        return read(
            Clarify(f"I cannot make out the colour of {seen}. Which colour should it be?", options), confidence=0.4
        )
    return None


def _wants_a_thing(text: str) -> bool:
    """Whether something is wanted in a colour, rather than the picture changed to it."""
    verb = _CHANGE_VERB.search(text)
    if verb and not _FIND.search(text[: verb.start()]):
        return False
    if _PICTURE_OF.search(text):
        return True
    wish = split_colour_wish(text)
    if wish is None or not wish.wanted or _CHANGE.search(wish.wanted):
        return False
    words = [word for word in unwrap(wish.wanted).text.split() if not _NO_THING.fullmatch(word)]
    return bool(words)


def _seen_colour(text: str) -> str:
    """The thing whose colour is to be used."""
    patterns = (
        rf"\b(?:same|similar|match\w*|identical|like|as|to|with|into|in|by|from)\b[^,]*?\b(?:as|to|with|of|by|"
        rf"into)?\s?(?:the |that )?(?:lighter |darker )?(?:shade of )?{_COLOUR} (?:of|in|as|seen in|"
        rf"on) (?:the |that |these |those )?(?P<seen>.+)$",
        r"\b(?:same|similar|match\w*|identical)\b (?:\w+ )?(?:as|to|with) (?:that of )?(?:the |that )?(?P<seen>.+)$",
        rf"\b(?:to|with|as|into|match\w*|by)\b (?:the |that )?(?P<seen>(?:(?!\b(?:to|with|as|"
        rf"into)\b).)+?) {_COLOUR}\b",
        r"\bmatch(?:es|ing)?(?: with| to)? (?:the |that )?(?P<seen>.+)$",
        r"\b(?:with|to|like) (?:the |that )?(?P<seen>(?!change|see)\w+.*)$",
        rf"\b(?:chang\w*|adjust\w*|keep)\b (?:(?:it|that|this|the image|image|{_COLOUR}|which|is|"
        rf"of) )*(?:the )?(?P<seen>.+)$",
    )
    for pattern in patterns:
        if found := re.search(pattern, text):
            seen = re.sub(rf"^(?:{_COLOUR} of |the |that |same as |as |with )+", "", found["seen"])
            return _TRAILING_COLOUR.sub("", seen).strip(" .?!,") or seen
    return ""
