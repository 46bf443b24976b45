"""An edit of a picture that is pointed at: "rotate the second one", "blur the background of #2"."""

from __future__ import annotations

import re
from dataclasses import replace

from visavis.language.rules.amounts import ORDINAL
from visavis.language.rules.pointing import numbers_pointed_at
from visavis.language.rules.scene import Scene

_NOUN = r"(?:one|picture|image|photo|result|shot)"
_ONE = (
    rf"(?:(?:the )?(?:{_NOUN}s? )?(?:#|number |no\. ?|nr\.? ?)\d{{1,4}}|"
    rf"(?<!the ){_NOUN}s? \d{{1,4}}\b(?! ?(?:deg|percent|°|x|px|pixel|"
    rf"clockwise|anticlockwise|to the))|"
    rf"the {ORDINAL} {_NOUN}|the {ORDINAL}(?=$|[,.]| (?:and|by|to the (?:left|right)|clockwise|anticlockwise|"
    r"horizontally|vertically|upside|black|a bit|into|brighter|darker|please)\b))"
)
_REFERENCE = re.compile(
    rf"(?<!with )(?<!by )(?<!like )(?<!than )(?<!as )(?:\b(?P<of>in|of|on|from|for|to) )?"
    rf"(?P<what>{_ONE}(?:(?:,| and|, and| &) (?:{_ONE}|\d{{1,3}}\b))*)"
)
#: The picture pointed at is what comes behind another one, not what is edited.
_AS_GROUND = re.compile(r"\bbehind\b|\bas (?:the |an? )?(?:new )?(?:background|backdrop)\b|\bin the background\b")
_EDITS = re.compile(
    r"^(?:rotat\w*|turn|tilt|spin|flip|mirror|crop|cut ?out|cut|resize|scale|shrink|enlarge|straighten|blur|brighten|"
    r"darken|lighten|sharpen|desaturate|increase|decrease|reduce|raise|lower|add|remove|erase|make|change|convert|"
    r"invert|write|put|paint|tint|recolou?r|colou?r|enhance|improve|apply|set|boost|adjust|give|save|export|download)\b"
)


def lift(scene: Scene) -> tuple[list[int], Scene] | None:
    """The pictures that an edit is about, and the same request about "it"; None where no other one is pointed at.

    "blur the background of #2" becomes "blur the background" of the second picture.
    """
    if (
        not _EDITS.match(scene.text)
        or _AS_GROUND.search(scene.text)
        or (found := _REFERENCE.search(scene.text)) is None
    ):
        return None
    numbers = numbers_pointed_at(re.sub(r"(?<=and )(?=\d)|(?<=, )(?=\d)", "#", found["what"]), scene)
    if not numbers or min(numbers) < 1:
        return None
    instead = "" if found["of"] else "it"
    text = f"{scene.text[: found.start()]}{instead}{scene.text[found.end() :]}"
    context = replace(scene.context, picture=True)
    return numbers, replace(scene, text=" ".join(text.split()), context=context)
