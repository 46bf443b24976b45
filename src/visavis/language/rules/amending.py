"""An edit that was made is given differently or taken off: "less blur", "a thicker border", "without the caption".

Some edits add up (brightness, turns); others do not: half the blur on a blurred picture makes it more blurred. Those
are taken back first. What the last message did alone is undone; anything further back is made anew from the original.
"""

from __future__ import annotations

import re
from dataclasses import replace

from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Blur,
    Border,
    Caption,
    Command,
    Crop,
    Edit,
    Flip,
    Grayscale,
    Invert,
    ReplaceBackground,
    Reset,
    Resize,
    Rotate,
    Sepia,
    Undo,
    Vignette,
)
from visavis.language.commands.edits import Position
from visavis.language.lexicon import colours
from visavis.language.rules.amounts import numbers_in
from visavis.language.rules.scene import Reading, Scene, read

#: What people call an edit when they speak of it afterwards.
_CALLED: tuple[tuple[type[Edit], str], ...] = (
    (Border, r"borders?|frames?|edging|passe-?partout"),
    (Blur, r"blur(?:ring|riness)?|bokeh"),
    (Sepia, r"sepia(?: (?:tone|effect|look))?|(?:vintage|old) (?:look|effect)"),
    (Vignette, r"vignett\w*|dark (?:corners|edges)"),
    (Caption, r"captions?|text|lettering|writing|words|title|heading"),
    (AdjustColor, r"tint|colou?r (?:filter|tint|cast)|(?:red|green|blue|pink|purple|orange|yellow|brown) tint"),
    (Grayscale, r"black and white|grayscale"),
    (Invert, r"inver(?:sion|t)|negative"),
    (Flip, r"flip(?:ping)?|mirror(?:ing)?"),
    (Rotate, r"rotation|turn(?:ing)?|rotating|tilt"),
    (Crop, r"crop(?:ping)?"),
    (Resize, r"resiz(?:e|ing)|scaling"),
)
_LIGHT = r"brightness|brightening|darkening|contrast|saturation|warmth|sharpness|sharpening"
_NAMES = "|".join(f"(?:{pattern})" for _, pattern in _CALLED)
_TAKEN_OFF = re.compile(
    rf"^(?:please )?(?:take off|take away|take out|remove|undo|drop|get rid of|lose|delete|clear|without|no(?: more)?|"
    rf"forget|i don't (?:want|like|need)|skip) (?:just |only )?(?:the |that |this |an? |its )?(?P<name>{_NAMES})"
    rf"(?: (?:again|please|thanks|any ?more|after all|now))*$"
    rf"|^take (?:the |that )(?P<taken>{_NAMES}|{_LIGHT}) (?:off|away|out)(?: again)?$"
    rf"|^(?:take off|take away|remove|undo|get rid of|without) (?:just |only )?(?:the |that )?(?P<light>{_LIGHT})"
    rf"(?: (?:edit|change|again|please))*$"
)
_BEFORE = re.compile(
    rf"\b(?:before|without|prior to) (?:(?:i|you|we) (?:added|put|made|did|applied) )?(?:the |that |adding the |it )?"
    rf"(?P<name>{_NAMES})\b"
)
_IN_COLOUR = re.compile(
    r"^(?:make it |turn it )?(?:(?:bring|get|put|give)(?: me| it)? (?:back (?:the |its )?colou?rs?|"
    r"(?:the |its )?colou?rs? back)|(?:back )?(?:in|to|with) colou?rs?(?: again)?|colou?r(?:ed)? again|"
    r"restore (?:the |its )?colou?rs?)(?: please)?$"
)
_BACK = re.compile(r"\bback\b|\bhow it (?:was|looked)\b|\bas it was\b|\bundo\b|\breturn\b|\brestore\b|\bgo to\b")
_STRONGER = r"more|stronger|heavier|thicker|wider|bigger|darker|bolder|intenser|double|twice as (?:thick|wide|strong)"
_WEAKER = (
    r"less|not (?:so|that|as) (?:much|strong|thick|heavy|wide)|too (?:much|strong|thick|wide|heavy|big|intense)|weaker|"
    r"subtler|thinner|narrower|lighter|smaller|softer|gentler|half as (?:thick|wide|strong)"
)
_A_BIT = r"(?:a (?:tiny |little |wee )?(?:bit|little|lot|touch|tad)|much|way|far|slightly|even|still|just)"
_AMOUNT = re.compile(
    rf"^(?:make |give it |i want |with |should be )*(?:the |an? )?(?P<first>{_NAMES})? ?(?:(?:is|was|looks|should be|"
    rf"could be) )?(?:{_A_BIT} )*(?:(?P<more>{_STRONGER})|(?P<less>{_WEAKER}))(?: of)?(?: an?| the)?"
    rf" ?(?P<name>{_NAMES})?$"
)
_NUMBERED = re.compile(
    rf"^(?:make )?(?:the )?(?P<name>{_NAMES}) (?:to |of |at |should be )?\S+(?: (?:percent|px|pixels))?$"
)
_RECOLOUR = re.compile(
    r"^(?:no[ ,]+|nah[ ,]+|but |rather )*(?:(?:make|do|have|try|use|want|i'd like|turn|paint|in) )*(?:it |that |"
    r"the (?:border|frame|background) )?(?:be )?(?:in )?(?:an? )?(?P<colour>[a-z]+)(?: one)?"
    r"(?: (?:instead|rather|please|then))*$"
)
_MOVED = re.compile(
    r"^(?:no[ ,]+)?(?:put|move|place|write|have)? ?(?:it|that|the (?:text|caption|letters|words))? ?(?:at|to|in|on|"
    r"into) "
    r"(?:the )?(?P<where>top|bottom|middle|cent(?:er|re))(?: (?:instead|rather|please|then))*$"
)
_OTHER_WAY = re.compile(r"\b(?:other|opposite|wrong) (?:way|direction|axis)\b")


def called(text: str) -> type[Edit] | None:
    """The kind of edit that a name stands for."""
    return next((kind for kind, pattern in _CALLED if re.fullmatch(pattern, text)), None)


def amended(scene: Scene, at: int, *instead: Edit) -> tuple[Command, ...]:
    """Commands that put something else, or nothing, in the place of an edit that was made.

    Args:
        scene: The scene.
        at: The place of the edit among those made.
        instead: What takes its place.
    """
    edits = scene.context.edits
    if at == len(edits) - 1 and scene.context.recent == 1:
        return (Undo(), *instead)
    return (Reset("edits"), *edits[:at], *instead, *edits[at + 1 :])


def replaced(scene: Scene, new: Edit) -> tuple[Command, ...]:
    """The last edit given anew; alone where it was only just said, or where edits are told one by one."""
    if scene.last_edit in scene.before or not scene.conventions.replaces:
        return (new,)
    return amended(scene, len(scene.context.edits) - 1, new)


def take_off(scene: Scene) -> Reading | None:
    """Read "take off the border", "back to how it was before the border"."""
    edits, text = scene.context.edits, scene.text.strip(" .!?")
    if not edits or not scene.context.picture:
        return None
    if (found := _TAKEN_OFF.match(text)) and (
        at := _place(edits, found["name"] or found["taken"] or found["light"])
    ) is not None:
        return read(*amended(scene, at))
    if _IN_COLOUR.match(text) and (at := _place(edits, "black and white")) is not None:
        return read(*amended(scene, at))
    if (found := _BEFORE.search(text)) and _BACK.search(text) and (at := _place(edits, found["name"])) is not None:
        if at == len(edits) - 1:
            return read(*amended(scene, at))
        return read(Reset("edits"), *edits[:at])
    return None


def amend(scene: Scene) -> Reading | None:
    """Read "less blur", "thicker", "make the border black instead" of the edit just made."""
    last, text = scene.last_edit, scene.text.strip(" .!?")
    if last is None or last not in scene.context.edits or last in scene.before or not scene.context.picture:
        return None
    if isinstance(last, Flip) and _OTHER_WAY.search(text) and len(text.split()) < 6:
        return read(*replaced(scene, Flip("vertical" if last.axis == "horizontal" else "horizontal")))
    if isinstance(last, Caption) and (place := _MOVED.match(text)):
        position: Position = "center" if place["where"] in ("middle", "centre", "center") else place["where"]  # type: ignore[assignment]
        return read(*replaced(scene, replace(last, position=position)))
    if (coloured := _recoloured(last, text, scene)) is not None:
        return read(*replaced(scene, coloured))
    if not isinstance(last, Blur | Sepia | Vignette | Border):
        return None
    if (found := _NUMBERED.match(text)) and called(found["name"]) is type(last) and (numbers := numbers_in(text)):
        return read(*replaced(scene, _with_amount(last, numbers[-1])))
    found = _AMOUNT.match(text)
    if not found or any(found[name] and called(found[name]) is not type(last) for name in ("first", "name")):
        return None
    named = found["first"] or found["name"]
    if not named and re.search(r"\b(?:bigger|smaller|darker|lighter)\b", text):
        return None  # of the picture
    factor = 0.5 if found["less"] else 2.0 if isinstance(last, Border) else 1.5
    return read(*replaced(scene, _with_amount(last, _amount(last) * factor)))


def again_with(scene: Scene, last: Edit, factor: float) -> tuple[Command, ...]:
    """An effect that does not add up, given more or less strongly."""
    assert isinstance(last, Blur | Sepia | Vignette)
    return replaced(scene, replace(last, amount=max(0.0, min(100.0, last.amount * factor))))


def _recoloured(last: Edit, text: str, scene: Scene) -> Edit | None:
    found = _RECOLOUR.match(text)
    contradicts = re.search(r"\b(?:instead|rather|border|frame)\b|^in ", text) or re.match(
        r"(?:no|nah)\b", scene.message
    )
    if not found or found["colour"] not in colours() or not contradicts:
        return None
    colour = colours()[found["colour"]]
    if isinstance(last, Border):
        return replace(last, colour=colour)
    if isinstance(last, AdjustColor):
        return replace(last, name=colour)
    return replace(last, background=colour) if isinstance(last, ReplaceBackground) else None


def _place(edits: tuple[Edit, ...], name: str) -> int | None:
    if re.fullmatch(_LIGHT, name):
        wanted = {"brightening": "brightness", "darkening": "brightness", "sharpening": "sharpness"}.get(name, name)
        lit = [at for at, edit in enumerate(edits) if isinstance(edit, AdjustAttr) and edit.name == wanted]
        return lit[-1] if lit else None
    kind = called(name)
    places = [at for at, edit in enumerate(edits) if kind is not None and isinstance(edit, kind)]
    return places[-1] if places else None


def _amount(edit: Edit) -> float:
    return float(edit.width) if isinstance(edit, Border) else edit.amount  # type: ignore[attr-defined]


def _with_amount(edit: Edit, amount: float) -> Edit:
    if isinstance(edit, Border):
        return replace(edit, width=max(1, min(1000, round(amount))))
    return replace(edit, amount=max(0.0, min(100.0, amount)))  # type: ignore[call-arg]
