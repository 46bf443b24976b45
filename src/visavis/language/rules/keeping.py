"""Combining what was seen: "keep the colour of the first and the sleeves of turn 2"."""

from __future__ import annotations

import re

from visavis.language.commands import THIS, AtTurn, Keep, PictureRef, Shown
from visavis.language.rules.amounts import ORDINAL, to_number, to_ordinal
from visavis.language.rules.scene import Reading, Scene, read

_TURN = r"(?:turn|step|round|message|stage)"
_SOURCE = (
    rf"(?:{_TURN} (?:number |#)?(?P<turn>\d{{1,4}}|one|two|three|four|five|six|seven|eight|nine|ten)"
    rf"|(?:the )?(?P<nth_turn>{ORDINAL}) {_TURN}"
    r"|(?:#|number |no\.? ?|(?:picture|image|photo|result|item|option) #?)(?P<number>\d{1,4})"
    rf"|(?:the )?(?P<nth>{ORDINAL})(?: (?:one|picture|image|photo|result|item))?"
    r"|(?P<this>this|that|it)(?: (?:one|picture|image|photo))?)"
)
_ASPECT = r"(?:the |its )?(?P<aspect>(?!turn\b)[a-z'-]+(?: [a-z'-]+){0,2}?)"
_KEEP_OF = re.compile(
    rf"{_ASPECT} (?:should be (?:as|like) in|of|from|in|on|at|as in|like in|used in) (?:the one (?:in|from|"
    rf"of) )?{_SOURCE}\b"
)
_TRIGGER = re.compile(
    r"\b(?:keep(?:ing)?|retain|hold on to|preserve|combine|use|take|want|with|same|like|mix|maintain|"
    r"stick (?:to|with)|as in|like in)\b"
)
_HOLDS = re.compile(
    r"\b(?:keep(?:ing)?|retain|hold on|preserve|combine|same|mix|maintain|stick|take|use|as in|like in)\b"
)
_KEEP_THIS = re.compile(
    r"^(?:please |but |and |now |also |just |can you |could you )*(?:keep(?:ing)?|retain|preserve|"
    r"maintain|stick (?:to|with)) (?:the |this |that |its |"
    r"same )*(?P<aspect>[a-z'-]+(?: [a-z'-]+)?)(?: (?:as it is|as is|please|though|the same))?(?=$|,| but|"
    r" and (?:make|change))"
)
_SAME = re.compile(
    r"^(?:in |with |of )?(?:the )?(?:exact )?same (?P<aspect>colou?rs?|patterns?|shape|style|sleeves?|"
    r"material|fabric|length|neckline|collar|print|background|size|texture|design|fit|type|brand|logo|"
    r"mood|light(?:ing)?|pose|place|scene)(?=$|,| but| and)(?:,| but| and)?"
)
_LEADING = re.compile(
    r"^(?:(?:please|keep(?:ing)?|retain|use|take|want|combine|with|i|i'd|like|have|the|same|and|but|mix|"
    r"maintain|can|you|could|now|also|let's|it|to)\s+)+"
)

#: "Dresses in this colour", "the same but with this colour".
_IN_THIS_COLOUR = re.compile(
    r"^(?P<wanted>.*?)[ ,]*\b(?:in|with|of|having) (?:exactly |just |really )?(?:this|that|its) (?:new |same )?"
    r"(?P<aspect>colou?rs?)(?: (?:instead|please|though))*[ .!?]*$"
)
_IN_COLOUR_OF = re.compile(
    rf"^(?P<wanted>.*?)[ ,]*\b(?:in|with|of|having) the (?:same |exact )*colou?rs? (?:of|as|like) {_SOURCE}[ .!?]*$"
)
_JUST_THE_SAME = re.compile(
    r"(?:(?:please|now|and|but|show|find|give|get|search|me|for|i|want|the|a|an|some|exact(?:ly)?|very)\b\s*)*"
    r"(?:(?:same|it|them|ones?|others?|something|anything|this|that|pictures?|images?)\b\s*)*(?:but|only|just)?"
)

_CHANGED = re.compile(r"\b(?:chang|adjust|paint|tint|colou?red|increas|decreas|reduc)\w*\b")
#: Not an aspect of a picture, whatever stands behind them.
_NO_ASPECTS = frozenset(
    ["back", "one", "rest", "most", "picture", "image", "all", "i don't", "don't", "contrast", "brightness"]
)


def _source(found: re.Match[str], turns_are_meant: bool, shown: int) -> AtTurn | PictureRef | None:
    if found["turn"] or found["nth_turn"]:
        number = int(to_number(found["turn"])) if found["turn"] else to_ordinal(found["nth_turn"])
        return AtTurn(number) if number else None
    if found["number"]:
        return Shown(int(found["number"])) if int(found["number"]) else None
    if found["nth"]:
        number = to_ordinal(found["nth"], shown)
        return (AtTurn(number) if turns_are_meant else Shown(number)) if number else None
    return THIS


def keep(scene: Scene) -> Reading | None:
    """Read "keep the colour of the first and the sleeves of turn 2", "same colour but longer"."""
    text = scene.text
    turns_are_meant = bool(re.search(rf"\b{_TURN}\b", text))
    found = list(_KEEP_OF.finditer(text)) if _TRIGGER.search(text) else []
    kept = []
    for match in found:
        if _CHANGED.search(text[: match.end("aspect")]):
            continue
        aspect = _LEADING.sub("", match["aspect"]).strip()
        source = _source(match, turns_are_meant, scene.context.shown)
        if source == THIS and not _HOLDS.search(text):  # "anything with a tractor in it" keeps nothing
            continue
        if (
            aspect
            and source is not None
            and aspect not in _NO_ASPECTS
            and not (aspect == "background" and source == THIS)
        ):
            kept.append(Keep(aspect, source))
    if kept:
        rest = re.sub(r"^[ ,.]*(?:again)?(?:and|but|with)?[ ,]*", "", text[found[-1].end() :])
        return read(*kept, rest=rest)
    for pattern in (_KEEP_THIS, _SAME):
        if (single := pattern.search(text)) and (scene.context.turns or scene.context.picture):
            return read(Keep(single["aspect"], THIS), rest=re.sub(r"^[ ,]*(?:but|and)?[ ,]*", "", text[single.end() :]))
    return None


def in_colour_of(scene: Scene) -> Reading | None:
    """Read "a handbag in the colour of the first one": the colour of a picture that is pointed at."""
    found = _IN_COLOUR_OF.match(scene.text)
    if not found or _CHANGED.search(scene.text):
        return None
    source = _source(found, False, scene.context.shown)
    if source is None or source == THIS:
        return None
    rest = "" if _JUST_THE_SAME.fullmatch(found["wanted"]) else found["wanted"]
    return Reading((Keep("colour", source),), rest=rest, rest_first=True)


def in_this_colour(scene: Scene) -> Reading | None:
    """Read "dresses in this colour", "the same but with this colour": the colour of the picture in hand."""
    found = _IN_THIS_COLOUR.match(scene.text)
    if not found or not (scene.context.turns or scene.context.picture):
        return None
    if _CHANGED.search(scene.text) or re.search(r"\b(?:make|turn|don't|not|like|love|hate)\b", found["wanted"]):
        return None
    rest = (
        "" if _JUST_THE_SAME.fullmatch(found["wanted"]) else re.sub(r"[ ,]*\b(?:but|only|just)$", "", found["wanted"])
    )
    return read(Keep("colour", THIS), rest=rest)
