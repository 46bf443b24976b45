"""Edits that give a look: blur, sepia, vignette, border, lettering, automatic enhancement."""

from __future__ import annotations

import re

from visavis.language.commands import Blur, Border, Caption, Enhance, Sepia, Vignette
from visavis.language.commands.edits import Position
from visavis.language.lexicon import colours
from visavis.language.rules.amounts import amount_in, numbers_in
from visavis.language.rules.scene import Reading, Scene, read
from visavis.language.rules.targets import THING, THING_END, target

_BLUR = re.compile(
    r"\b(?:blur(?:red|ring)?|defocus|pixelate|(?:make|get|put) (?P<made>.+?) (?:look )?(?:blurry|blurred|"
    r"out of focus))\b"
)
_BLUR_THING = re.compile(
    rf"\b(?:blur(?:ring)?|defocus|pixelate)(?: out)? ({THING}|it|everything[\w ]*?|all){THING_END}"
)
_BUT = re.compile(r"\b(?:everything|all|it all)\b.*\b(?:but|except|apart from|other than|around|behind)\b")
_SEPIA = re.compile(
    r"\bsepia\b|\blook(?:s|ing)? like an (?:old|antique|ancient) (?:photo|picture)\w*|\bold(?:-|"
    r" )(?:photo|time|fashioned) (?:look|effect|filter)|\bvintage (?:look|effect|filter|tone)"
)
_VIGNETTE = re.compile(r"\bvignett\w*\b|\bdark(?:en|er) (?:the )?(?:corners|edges)\b")
_BORDER = re.compile(r"\b(?:border|frame)\b")
_BORDER_REQUEST = re.compile(
    r"\b(?:add|put|give|draw|make|apply|want|need)\b(?: (?:it|this|me))?(?: (?:an?|the|some|\d+|thick|"
    r"thin|px|pixels?|\w+)){0,4}"
    r" (?:border|frame)\b|^(?:an? )?(?:\w+ )?(?:border|frame)\b|\bframe (?:it|this) in\b"
)
_ENHANCE = re.compile(
    r"\b(?:auto[ -]?(?:enhance|correct|fix|adjust|matic\w*)|enhance(?: (?:it|this|the (?:image|picture|"
    r"photo)))?\s*(?:please|a bit|automatically)?$|(?:improve|fix|touch up|polish) (?:it|this|"
    r"the (?:image|picture|photo))|make (?:it|the (?:image|picture|photo)) (?:look )?(?:better|nicer|"
    r"good))"
)
_WRITE = re.compile(r"\b(?:write|caption|text|title|label|letter(?:s|ing)?|words?|heading|saying|put|add|print)\b")
_LETTERS = r"(?:text|caption|title|label|heading|headline|words?|lettering|slogan|inscription)"
_BARE_TEXT = re.compile(
    rf"\b(?:(?:write|caption (?:it|this|that)(?: with)?)|(?:(?:add|put|place|print|write|give it|with)(?: me)? "
    rf"(?:(?:an?|the|some|big|large|small) )*)?{_LETTERS} (?:(?:that |which )?(?:saying|says?|reads?|reading|stating)|"
    rf"with the {_LETTERS})|(?:add|put|print) (?:the )?{_LETTERS}) (?P<text>.+?)"
    r"(?= (?:on (?:it|the|top|this)|at the|in the|over|across|above|below|underneath|to the (?:top|bottom))\b|$)"
)


def _effect(text: str, scene: Scene) -> float:
    usual = scene.conventions.effect
    return max(0.0, min(100.0, amount_in(text, usual / 2, usual, 1.5 * usual)))


def blur(scene: Scene) -> Reading | None:
    """Read "blur the background", "blur everything but the dog"."""
    text = scene.text
    found = _BLUR.search(text)
    if not found or re.search(
        r"\b(?:too|slightly|bit|is) blur\w*\b(?! (?:the|it))|\bblurr?y (?:picture|image|photo)s?\b", text
    ):
        return None
    if _BUT.search(text) or re.search(r"\bbackground blur|\bbackground out of focus\b", text):
        return read(Blur(_effect(text, scene), target="background"))
    named = _BLUR_THING.search(text)
    thing = target(named[1]) if named else target(found["made"])
    return read(Blur(_effect(text, scene), target=None if thing == "everything" else thing))


def look(scene: Scene) -> Reading | None:
    """Read "sepia", "add a vignette", "a white border"."""
    text = scene.text
    if _SEPIA.search(text):
        return read(Sepia(_effect(text, scene)))
    if _VIGNETTE.search(text):
        return read(Vignette(_effect(text, scene)))
    if (
        _BORDER.search(text)
        and _BORDER_REQUEST.search(text)
        and (scene.in_hand or re.search(r"\badd|around it\b", text))
    ):
        named = [word for word in re.findall(r"[a-z]+", text) if word in colours()]
        numbers = [n for n in numbers_in(text) if n >= 1]
        return read(Border(int(numbers[0]) if numbers else scene.conventions.border, named[0] if named else "white"))
    return None


def enhance(scene: Scene) -> Reading | None:
    """Read "enhance it", "make it look better"."""
    return read(Enhance()) if _ENHANCE.search(scene.text) and scene.in_hand else None


def lettering(scene: Scene) -> Reading | None:
    """Read "add the text "Happy Birthday" at the top", "put a caption saying SALE at the bottom"."""
    text = scene.text
    words = scene.quote_in(text) if _WRITE.search(text) else None
    if words is None and (found := _BARE_TEXT.search(text)):
        words = scene.as_written(found["text"].strip(" :,."))
    if not words:
        return None
    position: Position = "bottom"
    if re.search(r"\b(?:top|above|upper|head)\b", text):
        position = "top"
    elif re.search(r"\b(?:middle|cent(?:er|re))\b", text):
        position = "center"
    return read(Caption(words, position))
