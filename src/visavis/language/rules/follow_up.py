"""Talk about the last edit: "again", "a bit more", "too much", "the other way", "try purple instead"."""

from __future__ import annotations

import re
from dataclasses import replace

from visavis.language.commands import AdjustAttr, AdjustColor, Blur, Command, Edit, Rotate, Sepia, Undo, Vignette
from visavis.language.lexicon import colours
from visavis.language.rules.amending import again_with, replaced
from visavis.language.rules.amounts import NUMBER, amount_in, is_small, numbers_in
from visavis.language.rules.colouring import tint
from visavis.language.rules.scene import Reading, Scene, read
from visavis.language.rules.tones import LOWER, RAISE, sign_in
from visavis.language.rules.turning import direction_in, turned

_AGAIN = re.compile(
    r"\b(?:overdone|lower|higher|half|twice|double|not (?:so|that|as|quite so)|again|once more|more|further|another|"
    r"repeat|"
    r"same again|"
    r"one more time|"
    r"additional|extra|stronger|"
    r"increas\w*|reduc\w*|decreas\w*|less|"
    r"too (?:much|bright|dark|strong|far)|over ?done|a (?:bit|little)|by|degrees?|percent|lighter|darker|"
    r"weaker|back)\b"
)
#: A verb and what it leans on: whatever else is said, this is about the last edit.
_LEANING = re.compile(
    r"\b(?:increas|decreas|reduc|rais|lower|add)\w*\b(?: \w+){0,4}? \b(?:it|further|again|more|another|by|"
    r"slightly|same|little)\b|\b(?:further|again|another)\b.*\b(?:increas|decreas|reduc|rais|lower)\w*"
    r"|\b(?:further|same (?:action|amount|thing)|repeat)\b"
)
_OTHER_SUBJECT = re.compile(
    r"\b(?:brightness|contrast|saturation|warmth|sharpness|background|rotate|rotation|crop|find|search|"
    r"fetch|image of|picture of|blur\w*|sleeves?|border|text|size|resize)\b"
)
_OTHER_WAY = re.compile(
    r"\b(?:other|opposite|wrong|reverse) (?:way|side|direction)\b|\b(?:reverse|opposite) (?:it|that)\b"
)
_TOO_MUCH = re.compile(
    r"\btoo (?:much|bright|strong|far|intense|blurry|dark|saturated|warm|sharp)\b|\bover ?(?:done|did)\b|"
    r"\bnot (?:so|that|as|quite so) (?:much|strong|bright|far)\b"
)
_LESS = re.compile(r"\b(?:less|lighter|weaker|reduce|decrease|softer|lower|subtler)\b")
_CHEERFUL = re.compile(
    r"^(?:(?:yes|no|ok|okay|nice|great|perfect|good|nah|na+h|nash|well|hmm|now|please|and|but|so|then|"
    r"that's|it's|this is|it is|can (?:you|we)|could (?:you|we)|is it possible to|"
    r"i thin[kg] (?:we should|you should)?|it could be better to|let's|would you|wait|either|"
    r"what if you can)[ ,.!]+)+(?=\S)"
)


#: A search after all: "more like this".
_LIKENESS = re.compile(r"\b(?:more|others?|something|anything|ones?|pictures?|images?) like (?:this|that|these|it)\b")
#: Measured by what was done: half of it goes again, or as much comes on top.
_HALF_OF_IT = re.compile(r"\bhalf (?:of )?(?:that|it|this|as (?:much|far))\b")
_TWICE_IT = re.compile(r"\b(?:twice|double) (?:that|it|this|as (?:much|far))\b")
#: No number: "one more time".
_ONE_MORE = re.compile(r"\bone (?:more|last)(?: time)?\b")
#: Nobody says it of a turn.
_OF_LIGHT = re.compile(r"\b(?:lighter|darker|bright|dark|brighter)\b")


def _own_angle(turn: Rotate) -> float:
    return 360 - turn.degrees if turn.degrees > 180 else turn.degrees


def _turn_again(last: Rotate, text: str, scene: Scene) -> Rotate:
    said, way, own = direction_in(text), last.degrees > 180, _own_angle(last)
    overdone = _TOO_MUCH.search(text) and not numbers_in(text) and not scene.conventions.again_is_same
    if said is None and (_HALF_OF_IT.search(text) or overdone):
        return turned(own / 2, not way)
    if said is None and _TWICE_IT.search(text):
        return turned(own, way)
    clockwise = way if said is None else said
    if said is None and (sign_in(text) < 0 or _TOO_MUCH.search(text) or re.search(r"\bback\b", text)):
        clockwise = not clockwise
    return turned(
        amount_in(text, own if scene.conventions.again_is_same else scene.conventions.small_turn, own, own), clockwise
    )


def _way_of_light(text: str) -> int:
    """1 where more light is asked for, -1 where less is, whatever the last edit did; 0 where neither is said."""
    if re.search(r"\b(?:darker|dimmer)\b|\bdarken|\b(?:too|less|not (?:so|that)) bright\b", text):
        return -1
    return 1 if re.search(r"\b(?:brighter|lighter)\b|\bbrighten|\blighten|\b(?:too|less|not so) dark\b", text) else 0


def _light_again(last: AdjustAttr, text: str, scene: Scene) -> AdjustAttr:
    conventions = scene.conventions
    if _HALF_OF_IT.search(text):
        return replace(last, amount=-last.amount / 2)
    if _TWICE_IT.search(text):
        return last
    said = _way_of_light(text) if last.name == "brightness" else 0
    overdone = said in (0, -1 if last.amount > 0 else 1)
    if _TOO_MUCH.search(text) and not numbers_in(text) and not sign_in(text) and overdone:
        return replace(last, amount=-last.amount / 2)
    if _LESS.fullmatch(text.strip(" .!?")) and not conventions.again_is_same:
        return replace(last, amount=-last.amount / 2)
    small = abs(last.amount) if conventions.again_is_same else conventions.small_step
    amount = amount_in(text, small, abs(last.amount), conventions.big_step)
    grow = 1 if last.amount >= 0 else -1
    if amount < 0:  # "again by -20" says itself which way
        return replace(last, amount=max(-100.0, amount))
    sign = said or (-1 if LOWER.search(text) else 1 if RAISE.search(text) else -grow if _LESS.search(text) else grow)
    return replace(last, amount=max(-100.0, min(100.0, abs(amount) * sign)))


def _again(last: Edit, text: str, scene: Scene) -> tuple[Command, ...]:
    conventions = scene.conventions
    if isinstance(last, Rotate):
        return (_turn_again(last, text, scene),)
    if isinstance(last, AdjustAttr):
        return (_light_again(last, text, scene),)
    if isinstance(last, AdjustColor):
        weaker = _LESS.search(text) or _TOO_MUCH.search(text)
        numbers = numbers_in(text)
        strength = numbers[-1] / 100 if numbers else conventions.light_strength if weaker else conventions.dark_strength
        return replaced(scene, replace(last, strength=max(0.0, min(1.0, strength))))
    if isinstance(last, Blur | Sepia | Vignette):
        factor = 0.5 if _LESS.search(text) or _TOO_MUCH.search(text) else 1.25 if is_small(text) else 1.5
        return again_with(
            scene,
            last,
            amount_in(text, factor, factor, 2) if not numbers_in(text) else numbers_in(text)[-1] / max(last.amount, 1),
        )
    return (last,) if re.search(r"\bagain\b|\bonce more\b|\brepeat\b", text) else ()


def other_way(scene: Scene) -> Reading | None:
    """Read "the other way", "on the other side by 10"."""
    last = scene.last_edit
    if not isinstance(last, Rotate) or not _OTHER_WAY.search(scene.text):
        return None
    if numbers := numbers_in(scene.text):
        return Reading((turned(numbers[-1], last.degrees <= 180),), follows=True)
    # Turned back as far as it was turned, it would only be where it was before.
    return Reading(replaced(scene, turned(_own_angle(last), last.degrees <= 180)), follows=True)


def follow_up(scene: Scene) -> Reading | None:
    """What a short clause means after an edit; None when there was none or the clause is about something else."""
    last = scene.last_edit
    if last is None:
        return None
    text = _ONE_MORE.sub(" more", _CHEERFUL.sub("", scene.text.strip()))
    if _LIKENESS.search(text) or (isinstance(last, Rotate) and _OF_LIGHT.search(text)):
        return None
    if isinstance(last, AdjustColor) and (named := _new_colour(text, scene)):
        return Reading(replaced(scene, named), follows=True)
    if isinstance(last, Rotate) and direction_in(text) is not None and _is_short(text):
        return Reading((_turn_again(last, text, scene),), follows=True)
    if isinstance(last, AdjustColor) and re.search(r"\b(?:opacity|intensity|strength)\b", text):
        return Reading(_again(last, text, scene), 0.85, follows=True)
    leaning = _LEANING.search(text) and not _OTHER_SUBJECT.search(text) and isinstance(last, AdjustAttr | Rotate)
    amends = bool(numbers_in(text)) and last in scene.before
    if leaning or ((_AGAIN.search(text) or amends) and _is_short(text)):
        commands = _again(last, text, scene)
        return Reading(commands, 0.85, follows=True) if commands else None
    return None


def _new_colour(text: str, scene: Scene) -> AdjustColor | None:
    words = re.findall(r"[a-z-]+", text)
    named = [word for word in words if word in colours()]
    rest = [w for w in words if w not in colours() and w not in _COLOUR_TALK]
    if not named or len(rest) > (2 if re.search(r"\bbetter\b|\btry\b|\bchang", text) else 0):
        return None
    shade = next((w for w in words if w in ("light", "dark", "lighter", "darker")), None)
    name, strength = tint(shade, named[-1], text, scene)
    return AdjustColor(name, strength, target=scene.last_edit.target if scene.last_edit else None)


_COLOUR_TALK = frozenset(
    "try instead no make it in to a the with light dark lighter darker rather how about what we should "
    "shade of change further"
    " colour color can you would have been better will be look looks changing option giv trying doing i "
    "think let's could would like please do go for maybe then this that's image use now".split()
)
_FOLLOW_WORDS = re.compile(
    rf"\b(?:{NUMBER}|was|were|been|again|once|more|further|another|repeat|same|time|additional|extra|"
    rf"stronger|weaker|increas\w*|"
    r"reduc\w*|decreas\w*|less|too|much|bright|dark|strong|far|over|done|did|a|bit|little|overdone|lower|higher|half|"
    r"twice|"
    r"double|tiny|"
    r"touch|tad|notch|by|to|"
    r"of|"
    r"degrees?|percent|"
    r"lighter|darker|shade|it|this|that|the|do|try|make|let's|say|can|you|we|i|think|it's|that's|should|"
    r"if|will|be|better|perfect|please|on|in|towards?|left|right|side|direction|clockwise|anticlockwise|"
    r"up|down|and|change|"
    r"turn|tilt|move|still|even|some|adjust|add|still|image|picture|is|looks?|just|would|could|like|have|"
    r"may|would|now|need|for|me|at|angle|an|also|possible|want|also|lot|way|effect|image|there|then|one|"
    r"so|not|as|"
    r"good|fine|great|enough|actually|maybe|slightly|amount|action|back|what|i'm|looking|ore|naah|nash|"
    r"nah|thing|rather|preferably|alter|carry|out|last|previous|perform|lol)\b|[\d.,!?'+%-]+"
)


def _is_short(text: str) -> bool:
    """Whether a clause says nothing beside what can be said of the last edit."""
    return not _FOLLOW_WORDS.sub(" ", text).strip()


def instead(scene: Scene) -> Reading | None:
    """Read "no, do contrast instead": take the last edit back before the next one."""
    last = scene.last_edit
    if last is None or "instead" not in scene.text or not re.match(r"^(?:no|nah)\b", scene.message):
        return None
    if isinstance(last, AdjustColor) and _new_colour(scene.text, scene):
        return None  # a new tint replaces the old one without an undo
    rest = re.sub(r"\binstead\b|^no[ ,]*|^nah[ ,]*|^do\b", " ", scene.text)
    return read(Undo(), rest=" ".join(rest.split()))
