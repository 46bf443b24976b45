"""Edits that give a look: blur, sepia, vignette, border, lettering, automatic enhancement."""

from __future__ import annotations

import re

from visavis.language.commands import Blur, Border, Caption, Enhance, Grayscale, Sepia, Vignette
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
#: "blur faces": a plural needs no article.
_BLUR_BARE = re.compile(r"\b(?:blur|pixelate)(?: out)? ((?!it\b|this\b|less\b)(?:all )?[a-z]{3,}s)\b(?: please)?$")
_BUT = re.compile(r"\b(?:everything|all|it all)\b.*\b(?:but|except|apart from|other than|around|behind)\b")
#: The thing that alone stays as it is.
_BUT_THING = re.compile(
    r"\b(?:everything|all)(?: else)?(?: (?:black and white|grayscale|grey|blurry|blurred|sepia|darker|brighter))?"
    r" (?:but|except(?: for)?|apart from|other than) (?P<thing>(?:the|her|his|my|that|this) [\w' -]+?)"
    r"(?: (?:black and white|grayscale|grey|gray|blurry|blurred|out of focus|sepia|please|in colou?r))*$"
)
_SEPIA = re.compile(
    r"\bsepia\b|\blook(?:s|ing)? like an (?:old|antique|ancient) (?:photo|picture)\w*|\bold(?:-|"
    r" )(?:photo|time|fashioned) (?:look|effect|filter)|\bvintage (?:look|effect|filter|tone)"
)
_VIGNETTE = re.compile(r"\bvignett\w*\b|\bdark(?:en|er) (?:the )?(?:corners|edges)\b")
_BORDER = re.compile(r"\b(?:borders?|frame|passe-?partout|edging)\b")
_BORDER_WORDS = r"(?:an?|the|some|thick|thin|wide|narrow|\d+|px|pixels?|\w+)"
_BORDER_REQUEST = re.compile(
    rf"\b(?:add|put|give|draw|make|apply|want|need)\b(?: (?:it|this|me))?(?: {_BORDER_WORDS}){{0,4}}"
    rf" {_BORDER.pattern}|^(?:{_BORDER_WORDS} ){{0,4}}{_BORDER.pattern}(?: (?:(?:all )?around(?: (?:it|this))?|"
    rf"please))*$"
    rf"|^(?:an? )?(?:\w+ )?{_BORDER.pattern}|\bframe (?:it|this) in\b"
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


#: "caption: hello world".
_AFTER_COLON = re.compile(
    rf"^(?:(?:add|put|write|give it|with)(?: me)? (?:(?:an?|the|this) )?)?{_LETTERS} ?: ?(?P<text>.+)$"
)
_PUT_SOMEWHERE = re.compile(
    r"^(?:put|write|add|place|print) (?P<text>[^,]+?) (?:at|on|in|to|across|over) (?:the )?(?:very )?"
    r"(?:top|bottom|middle|cent(?:er|re)|it|picture|image|photo)\b"
)


_KEPT_AS_IT_IS = re.compile(
    r"\b(?:black and white|grayscale|blurred|blurry|sepia),? (?:but|and|only|just) (?:keep|leave) "
    r"(?P<thing>(?:the|her|his|my|that|this) [\w' -]+?) (?:in colou?r|colou?red|colou?rful|as (?:it is|is)|sharp|"
    r"in focus)$"
)


def all_but(text: str) -> str | None:
    """What an edit is about that spares one thing: "everything but rose"; None where none is spared."""
    found = _BUT_THING.search(text) or _KEPT_AS_IT_IS.search(text)
    thing = target(found["thing"]) if found else None
    return f"everything but {thing}" if thing else None


def _effect(text: str, scene: Scene) -> float:
    usual = scene.conventions.effect
    return max(0.0, min(100.0, amount_in(text, usual / 2, usual, 1.5 * usual)))


def blur(scene: Scene) -> Reading | None:
    """Read "blur the background", "blur everything but the dog"."""
    text = scene.text
    found = _BLUR.search(text)
    if not found or re.search(
        r"(?<!make )\b(?:too|is) blur\w*\b(?! (?:the|it))|^(?!make|get|put).*\b(?:slightly|bit) blur\w*\b(?! (?:the|"
        r"it))|\bblurr?y (?:picture|image|photo)s?\b",
        text,
    ):
        return None
    if excepted := all_but(text):
        return read(Blur(_effect(text, scene), target=excepted))
    if _BUT.search(text) or re.search(r"\bbackground blur|\bbackground out of focus\b", text):
        return read(Blur(_effect(text, scene), target="background"))
    named = _BLUR_THING.search(text) or _BLUR_BARE.search(text)
    thing = target(named[1]) if named else target(found["made"])
    return read(Blur(_effect(text, scene), target=None if thing == "everything" else thing))


def look(scene: Scene) -> Reading | None:
    """Read "sepia", "add a vignette", "a white border"."""
    text = scene.text
    if _SEPIA.search(text):
        return read(Sepia(_effect(text, scene), target=all_but(text)))
    if (excepted := all_but(text)) and re.search(r"\bblack and white\b|\bgrayscale\b|\bgr[ae]y\b", text):
        return read(Grayscale(target=excepted))
    if _VIGNETTE.search(text):
        return read(Vignette(_effect(text, scene)))
    if (
        _BORDER.search(text)
        and _BORDER_REQUEST.search(text)
        and (scene.in_hand or re.search(r"\badd|around it\b|^frame (?:it|this)\b", text))
    ):
        named = [word for word in re.findall(r"[a-z]+", text) if word in colours()]
        numbers = [n for n in numbers_in(text) if n >= 1]
        return read(Border(int(numbers[0]) if numbers else _width(text, scene), named[0] if named else "white"))
    return None


def _width(text: str, scene: Scene) -> int:
    usual = scene.conventions.border
    if re.search(r"\b(?:thick|wide|big|broad|fat|large|heavy)\b", text):
        return 3 * usual
    return max(1, usual // 4) if re.search(r"\b(?:thin|narrow|small|fine|slim)\b", text) else usual


def enhance(scene: Scene) -> Reading | None:
    """Read "enhance it", "make it look better"."""
    return read(Enhance()) if _ENHANCE.search(scene.text) and scene.in_hand else None


def lettering(scene: Scene) -> Reading | None:
    """Read "add the text "Happy Birthday" at the top", "put a caption saying SALE at the bottom"."""
    text = scene.text
    words = scene.quote_in(text) if _WRITE.search(text) else None
    if words is None and (found := _BARE_TEXT.search(text) or _AFTER_COLON.match(text)):
        words = scene.as_written(found["text"].strip(" :,."))
    if words is None and (found := _PUT_SOMEWHERE.search(text)) and scene.context.picture:
        written = scene.as_written(found["text"])
        words = written if written.isupper() else None  # "put SALE at the top"; capitals are meant to be read
    if not words:
        return None
    position: Position = "bottom"
    if re.search(r"\b(?:top|above|upper|head)\b", text):
        position = "top"
    elif re.search(r"\b(?:middle|cent(?:er|re))\b", text):
        position = "center"
    return read(Caption(words, position))
