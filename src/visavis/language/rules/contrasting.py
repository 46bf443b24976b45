"""One thing in the place of another: "not the beach, the mountains", "a cat instead of a dog", "swap red for blue"."""

from __future__ import annotations

import re

from visavis.language.commands import Avoid, Forget, Refine, Search
from visavis.language.lexicon import colours
from visavis.language.rules.scene import Reading, Scene, read

_THING = r"(?:(?:the|an?|some|any) )?"
_PICTURE = r"(?:picture|image|photo|background|colou?r|brightness|contrast|size|one|#\d)"
_NOT_BUT = re.compile(
    rf"^(?:i (?:said|meant|want) )?not (?:in |at |on )?{_THING}(?P<old>(?!only\b|just\b)[\w -]+?)(?:,| but)"
    rf"(?: rather| but)?(?: in| at| on)? {_THING}(?P<new>(?!like\b|not\b|no\b|with\b|without\b|more\b|less\b)[\w -]+)$"
)
_INSTEAD_FIRST = re.compile(
    rf"^(?:instead|in place) of {_THING}(?P<old>[\w -]+?),? (?:(?:i(?:'d)? )?(?:want|like|prefer|need|take|"
    rf"rather have)|show me|give me|find me|use|i'd like|rather|an?(?= \w+$))(?: to (?:see|have))? "
    rf"{_THING}(?P<new>[\w -]+)$"
)
_INSTEAD_BEHIND = re.compile(
    rf"^(?:i(?:'d)? (?:want|like|prefer|need) )?{_THING}(?P<new>[\w -]+?),? (?:instead|in place) of {_THING}"
    r"(?P<old>[\w -]+)$"
)
_REPLACE = re.compile(
    rf"^(?:replace|exchange|substitute|swap) (?!.*\b{_PICTURE}\b){_THING}(?P<old>[\w -]+?) (?:with|by|for) {_THING}"
    r"(?P<new>[\w -]+)$"
)
_CHANGE = re.compile(
    rf"^(?:change|turn|make) (?!.*\b(?:{_PICTURE}|it|this|that|them)\b){_THING}(?P<old>[\w -]+?) (?:to|into) {_THING}"
    r"(?P<new>[\w -]+)$"
)
_WAYS = (_NOT_BUT, _INSTEAD_FIRST, _INSTEAD_BEHIND, _REPLACE, _CHANGE)


def contrast(scene: Scene) -> Reading | None:
    """Read "not the beach, the mountains" as something to avoid, "a cat instead of a dog" as a wish that gives way."""
    found = next((match for pattern in _WAYS if (match := pattern.match(scene.text))), None)
    if found is None or (found.re is _CHANGE and scene.context.picture):  # of the picture in hand: an edit
        return None
    old, new = found["old"], found["new"]
    if scene.context.turns == 0:
        return read(Search(new)) if found.re in (_REPLACE, _CHANGE) else read(Search(new), Avoid(old))
    if new in colours() and old not in colours():  # "change the dress to green"
        return read(Refine(f"{new} {old}"))
    if found.re is not _NOT_BUT and _was_wanted(old, scene):
        return read(Forget(old), Refine(new))
    return read(Refine(new)) if found.re in (_REPLACE, _CHANGE) else read(Avoid(old), Refine(new))


def _was_wanted(thing: str, scene: Scene) -> bool:
    return re.search(rf"\b{re.escape(thing)}(?:e?s)?\b", scene.context.topic, re.IGNORECASE) is not None
