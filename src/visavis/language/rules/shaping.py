"""Edits of extent: crop, resize, cut out, replace the background."""

from __future__ import annotations

import re

from visavis.language.commands import Clarify, Crop, ImageCutout, PictureRef, ReplaceBackground, Resize
from visavis.language.rules.amounts import NUMBER, numbers_in, share_in, to_number
from visavis.language.rules.colouring import COLOUR
from visavis.language.rules.pointing import picture_in
from visavis.language.rules.scene import Reading, Scene, read
from visavis.language.rules.targets import target, without_article

_CROP = re.compile(r"\bcrop\w*\b|\btrim (?:it|the|this)\b")
_CROP_TO = re.compile(
    r"\bcrop\w*(?: (?:it|out|this|that|the (?:image|picture|photo)))*(?: (?:down|so that|so|tight(?:ly)?|close(?:ly)?|"
    r"right|in))*(?: (?:only|"
    r"just|to|around|at|on|in on|into|for|just|only))*"
    r" (?P<thing>(?:just |only )?(?:the|her|his|its|an?(?! (?:bit|little|lot|touch|tad)\b)|my|this|that)\b.+)"
)
#: "cut off the top 20 percent": rewording.py and photo_talk.py made it "crop off the top 20".
_SHARE_OFF = re.compile(r"^crop off (?:the (?P<side>top|bottom|left|right)|(?P<each>each side)) (?P<share>\d{1,2})$")
_OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
#: "crop out the sky": rewording.py made it "crop away".
_CROP_AWAY = re.compile(r"^crop away (?P<thing>.+)$")
_ASPECT = re.compile(r"\b(\d{1,3}) ?(?::|by|x|to) ?(\d{1,3})\b(?! ?(?:px|pixels?))")
_BOX = re.compile(r"\b(\d{1,5})[ ,]+(\d{1,5})[ ,]+(\d{1,5})[ ,]+(\d{1,5})\b")
_BACKGROUND_GONE = re.compile(
    r"\b(?:remov\w*|get rid of|get(?= the (?:background|backdrop) (?:out|away|off))|eras\w*|delet\w*|"
    r"eliminat\w*|clear|take (?:out|away|off)|strip|cut(?: ?out|"
    r" away)?|drop|kill|discard|hide|lose|(?:knock|mask|blank) out)\b.*\b(?:background|backdrop|"
    r"everything behind (?:it|him|her|"
    r"them))\b"
    r"|\bbackground\b.*\b(?:remov\w*|gone|eras\w*|delet\w*|taken out|away|out(?! of focus))\b|"
    r"\bbackground (?:removal|free)\b"
    r"|\b(?:no|without(?: the| a)?) background\b|\bdon't (?:want|need|like) (?:the|a|any) background\b|"
    r"\btransparent background\b"
    r"|\bbackground (?:to be )?transparent\b|\bmake the background transparent\b"
)
_THE_REST = re.compile(r"(?:remove|delete|erase|lose|get rid of|throw away) (?:the rest|everything else|all the rest)")
_CUT_OUT = re.compile(
    r"\b(?:cut (?P<cut>(?:the|this|that) [\w ]+?) out(?: of (?:it|this|the (?:image|picture|photo)))?$|"
    r"cutout|cut (?:it|them|this|that|him|her) out|cut out|isolate|"
    r"extract)(?:\b|$)(?: (?P<thing>(?:the|"
    r"her|his|this|that|only|just|an?)\b.+|it\b.*))?"
)
_NEW_BACKGROUND = re.compile(
    r"\b(?:replace|swap|substitute|change|switch|set)\b (?:the |its |this )?(?:current |"
    r"whole )?background (?:colou?r )?(?:of (?:it|the (?:image|picture)) )?(?:with|by|to|for|into|"
    r"as) (?P<new>.+)"
    r"|\bmake (?:the |its )?background (?:of (?:it|the (?:image|picture)) )?(?P<made>.+)"
    r"|\b(?:put|place|set|show|want) (?:it|this|them|the \w+|him|her) (?:on|onto|against|in front of|over) (?P<on>.+)"
    r"|\b(?:put|place|add) (?P<behind>.+?) (?:behind|in the back of) (?:it|him|her|them|this|the \w+)$"
    r"|\b(?:use|take|have) (?P<used>.+?) (?:as|for) (?:the |a |its )?(?:new )?background"
    r"|\b(?:put|place|add) (?P<into>(?!it\b|this\b|that\b).+?) (?:in|into|as|for|on) the background$"
    r"|\b(?:the|its) background (?:of (?:it|(?:the|this|my) (?:image|picture|photo)) )?"
    r"(?:should|must|has to|needs to|could) be (?P<be>.+)"
    r"|\b(?:add|give it|with) (?P<added>an? .+?) background"
)
_RESIZE = re.compile(
    r"\b(?:(?:reduce|increase|change|set|halve|double|lower) (?:the |its )?(?:\w+ )?(?:size|width|height)|re-?siz\w*|"
    r"scal(?:e|ed|ing)|"
    r"enlarge|shrink|downsize|downscale|upscale|thumbnail)\b"
)
_TIMES = re.compile(r"\b(\d(?:\.\d+)?|two|three|four|five) ?(?:x|times)\b(?! ?\d)")
_SIZE = re.compile(r"\b(\d{2,5}) ?(?:x|by|×|\*) ?(\d{2,5})\b")
_SIDE = re.compile(
    r"\b(\d{2,5}) ?(?:px|pixels?)? ?(?:in )?(wide|width|high|tall|height|across)\b|\b(width|"
    r"height)(?: (?:of|to))? ?(\d{2,5})\b"
)
_PERCENT = re.compile(rf"({NUMBER}) percent(?: (smaller|bigger|larger))?")
_SMALLER = re.compile(
    rf"\bmake (?:it|this|the (?:image|picture|photo)) (?:a (?:bit|lot) |much |(?:by )?{NUMBER} percent )?"
    r"(smaller|bigger|larger)\b|"
    r"\b(half|quarter|third|twice|double|three times)\b.*\b(?:size|big|large)\b|\bmake (?:it|the (?:image|picture|"
    r"photo)) \d{2,5} (?:px|pixels)"
)


#: Where a thing can be put that is no place behind it.
_NO_SCENERY = (
    r"(?:left|right|top|bottom|side|middle|cent|corner|edge|list|other|first|second|third|last|picture|image|photo)"
)
#: How much is not said, so it is asked back.
_SOME_OFF = re.compile(
    r"\b(?:a (?:bit|little)|some|slightly|more)\b.*\b(?:from|off|at|of) the\b|\bcrop (?:the )?edges?\b"
)
_OTHER_EDIT = re.compile(r"\b(?:blurr?(?:y|ed)?|brighter|darker|lighter|more|less|transparent|disappear)\b")


def crop(scene: Scene) -> Reading | None:
    """Read "crop to the dog", "crop it to a square", "crop 10 10 200 200"."""
    text = scene.text
    if not _CROP.search(text) or re.search(
        r"\b(?:this|that|the) crop\b|\bcrop (?:top(?! (?:half|third|part|left|right))|tops|field)\b", text
    ):
        return None
    if found := _BOX.search(text):
        left, top, right, bottom = (int(edge) for edge in found.groups())
        if left < right and top < bottom:
            return read(Crop((left, top, right, bottom)))
    aspect = (1, 1) if re.search(r"\bsquare\b", text) else None
    if found := _ASPECT.search(text):
        aspect = (int(found[1]), int(found[2]))
    if aspect:
        return read(Crop(None, aspect))
    if found := _SHARE_OFF.match(text):
        kept, side = 100 - int(found["share"]), found["side"]
        if found["each"]:
            return read(Crop(target=f"middle {max(1, 100 - 2 * int(found['share']))} percent"))
        return read(Crop(target=f"{_OPPOSITE[side]} {kept} percent"))
    if "crop it for a post" in text:
        options = (("square", "crop 1:1"), ("upright", "crop 4:5"), ("a story", "crop 9:16"))
        return read(Clarify("Which shape should it have?", options))
    if (found := _CROP_AWAY.search(text)) and (thing := target(found["thing"])):
        return read(Crop(target=f"everything but {thing}"))
    found = None if _SOME_OFF.search(text) else _CROP_TO.search(text)
    if found and (thing := target(re.sub(r" (?:is|are) (?:left|visible|seen)\b.*$", "", found["thing"]))):
        return read(Crop(target=thing))
    options = (("to a square", "crop 1:1"), ("to 16:9", "crop 16:9"), ("to the main thing", "crop on main thing"))
    return read(Clarify("What should I crop it to?", options))


def cut_out(scene: Scene) -> Reading | None:
    """Read "remove the background", "cut out the woman on the left"."""
    text = scene.text
    if (
        re.fullmatch(r"(?:please )?(?:remove|erase|delete|drop|clear) (?:it|that|this)", text)
        and "background" in scene.message
    ):
        return read(ImageCutout())
    if _THE_REST.fullmatch(text):
        cut = any(isinstance(command, ImageCutout) for command in scene.before)
        return Reading(()) if cut else read(ImageCutout())  # who cut something out has removed the rest
    if _BACKGROUND_GONE.search(text) and not re.search(
        r"\bblur\w*\b|\b(?:find|search|show) (?:me )?(?:an?|some)\b", text
    ):
        return read(ImageCutout())
    found = _CUT_OUT.search(text)
    if not found:
        return None
    thing = target(found["cut"] or found["thing"])
    if thing and re.match(r"(?:main|central|biggest) (?:object|thing|subject|person)|subject|foreground|object", thing):
        thing = None
    return read(ImageCutout(target=thing))


def new_background(scene: Scene) -> Reading | None:
    """Read "make the background white", "replace the background with a beach", "use #2 as the background"."""
    found = _NEW_BACKGROUND.search(scene.text)
    if not found:
        return None
    said = next(group for group in found.groups() if group)
    if re.match(r"(?:an? )?(?:different|other|another|similar|nicer|better)\b", said):
        return None  # it does not say which: a wish for other pictures
    if found["added"] and (said.endswith(" in the") or (found[0].startswith("with ") and not scene.context.picture)):
        return None  # what lies behind the thing that is searched for: "with a window in the background"
    # "put it on a beach", "put her on the moon"
    scenery = scene.context.picture and re.fullmatch(rf"(?:an?|the(?! {_NO_SCENERY})) [a-z -]+", said)
    shown = scene.context.picture and picture_in(said, scene) is not None  # "put it in front of #3"
    if found["on"] and not (scenery or shown) and "background" not in said and "backdrop" not in said:
        return None
    if (found["added"] or found["made"] or found["be"] or found["into"]) and _OTHER_EDIT.search(said):
        return None
    place = scene.context.picture and re.fullmatch(
        r"(?:into )?an? (?!bit\b|little\b|lot\b|touch\b|tad\b)[a-z -]+", said
    )
    if (found["made"] or found["be"]) and not (
        place or re.fullmatch(rf"(?:an? |all |look |plain )*{COLOUR}(?: please)?", said)
    ):
        return None
    return read(ReplaceBackground(_background(said, scene)))


def _background(said: str, scene: Scene) -> str | PictureRef:
    picture = picture_in(said, scene)
    if picture is not None:
        return picture
    words = re.sub(r"\b(?:backgrounds?|backdrop|please|colou?r|one|image of|picture of|plain|solid|all)\b", " ", said)
    return without_article(" ".join(words.split())) or "white"


def resize(scene: Scene) -> Reading | None:
    """Read "resize it to 800 by 600", "make it half the size", "1200 pixels wide"."""
    text = scene.text
    compared = _SMALLER.search(text)
    asked = _RESIZE.search(text) or (compared and scene.in_hand) or (_SIDE.search(text) and "pixel" in text)
    if not asked:
        return None
    if found := _SIZE.search(text):
        return read(Resize(int(found[1]), int(found[2])))
    if found := _SIDE.search(text):
        length, side = int(found[1] or found[4]), found[2] or found[3]
        return read(Resize(length) if side in ("wide", "width", "across") else Resize(None, length))
    if found := _PERCENT.search(text):
        percent = to_number(found[1])
        if re.search(rf"\bby (?:about )?{re.escape(found[1])}", text) and not found[2]:
            grows = re.search(r"\b(?:enlarge|increase|upscale|up|bigger|larger)\b", text)
            return read(Resize(percent=max(1, 100 + percent if grows else 100 - percent)))
        change = {"smaller": 100 - percent, "bigger": 100 + percent, "larger": 100 + percent}
        return read(Resize(percent=max(1, change.get(found[2] or "", percent))))
    if found := _TIMES.search(text):
        return read(Resize(percent=min(1000, 100 * to_number(found[1]))))
    if (share := share_in(text)) is not None and not compared:
        return read(Resize(percent=100 - share if re.search(r"\bby\b", text) else share))
    if compared:
        words = compared[1] or compared[2] or ""
        return read(
            Resize(percent={"smaller": 50, "half": 50, "quarter": 25, "third": 33, "three times": 300}.get(words, 200))
        )
    if numbers := [n for n in numbers_in(text) if n >= 16]:
        return read(Resize(int(numbers[0])))
    if re.search(r"\b(?:enlarge|upscale)\b", text):
        return read(Resize(percent=200))
    if re.search(r"\b(?:shrink|downsize|smaller)\b", text):
        return read(Resize(percent=50))
    options = (("half the size", "resize 50%"), ("twice the size", "resize 200%"), ("1024 pixels wide", "resize 1024x"))
    return read(Clarify("How big should it be?", options))
