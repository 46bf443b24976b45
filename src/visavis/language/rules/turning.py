"""Edits that move a picture: rotate, flip, straighten."""

from __future__ import annotations

import re

from visavis.language.commands import Clarify, Command, Flip, Rotate, Straighten
from visavis.language.rules.amounts import amount_in, numbers_in
from visavis.language.rules.scene import Reading, Scene, read

_CLOCKWISE = re.compile(r"\bclockwise\b|\b(?:to(?:wards?)? |on |in |by )*(?:the |your )?right\b(?! side of)")
_ANTICLOCKWISE = re.compile(r"\banticlockwise\b|\b(?:to(?:wards?)? |on |in )*(?:the |your )?left\b(?! side of)")
_TURN = re.compile(
    r"\b(?:rotat\w*|spin|twist|tilt\w*|swivel|(?:half|quarter) turn|\d+ ?(?:degrees?|deg|°)? turn)\b"
    r"|\bturn(?:ing|ed)?\b(?! ?(?:\d+\b(?! ?deg)|into|up|down|on|off|one|two|three))(?=.*\b(?:left|right|"
    r"clockwise|anticlockwise|degrees?|around|over|upside|\d+)\b)"
    r"|\b(?:move|change|shift|lean)\b.*\bdegrees?\b"
    r"|\ban? (?:quarter|half)\b.*\b(?:clockwise|anticlockwise|left|right)\b"
)
_UPSIDE_DOWN = re.compile(r"\bupside[ -]down\b")
_FLIP = re.compile(
    r"\b(?:flip\w*|mirrored|mirror image|reverse)\b"
    # A mirror that somebody stands before is no order to mirror anything.
    r"|(?:^|\b(?:please|and|then|to|you|also|now|just|can|could)[ ,]+)mirror\b(?! (?:on|in|above|with|over|of)\b)"
)
_STRAIGHTEN = re.compile(
    r"\b(?:straighten\w*|horizon (?:is|gets|becomes) (?:straight|level)|so (?:that )?(?:it's|it is) (?:straight|"
    r"level)|level (?:the |it|out)|horizon is (?:crooked|tilted|not straight)|make (?:it|"
    r"the horizon) (?:straight|level))\b"
)
_ON_THE_SAME_LINE = re.compile(r"\b(?:further|more|again|another|additional|same)\b")


def turned(degrees: float, clockwise: bool) -> Rotate:
    """A turn in a direction as the command, which counts anticlockwise."""
    degrees = abs(degrees) % 360
    return Rotate((360 - degrees) % 360 if clockwise else degrees)


def direction_in(text: str) -> bool | None:
    """True for clockwise (or to the right), False for anticlockwise, None when nothing is said."""
    clockwise = [m.start() for m in _CLOCKWISE.finditer(text)]
    against = [m.start() for m in _ANTICLOCKWISE.finditer(text)]
    if not clockwise and not against:
        return None
    return max(clockwise, default=-1) > max(against, default=-1)


def angle_in(text: str, scene: Scene) -> float | None:
    """The angle that a text asks for, or None."""
    if re.search(r"\bquarter\b", text):
        return 90
    if re.search(r"\bhalf\b", text) or _UPSIDE_DOWN.search(text):
        return 180
    if numbers_in(re.sub(r"\b(?:one|another|once|two) (?:last |more )?(?:thing|time)s?\b", "", text)):
        return numbers_in(text)[-1]
    small = amount_in(text, -1, -2, -2)
    return scene.conventions.small_turn if small == -1 else None


def ask_direction(degrees: float) -> Clarify:
    """The question which way to turn."""
    options = (("clockwise", str(turned(degrees, True))), ("anticlockwise", str(turned(degrees, False))))
    return Clarify("Clockwise or anticlockwise?", options)


def _last_turn(scene: Scene) -> bool | None:
    last = scene.last_edit
    return last.degrees > 180 if isinstance(last, Rotate) and last.degrees not in (0, 180, 360) else None


def _turn_command(scene: Scene) -> Command:
    text = scene.text
    degrees, clockwise = angle_in(text, scene), direction_in(text)
    if clockwise is None and _ON_THE_SAME_LINE.search(text):
        clockwise = _last_turn(scene)
    if degrees is None and clockwise is None and scene.conventions.ask_direction:
        options = (("a quarter turn clockwise", "rotate 270"), ("a quarter turn anticlockwise", "rotate 90"))
        return Clarify("How far should I rotate it, and which way?", (*options, ("upside down", "rotate 180")))
    if degrees is None:
        degrees = scene.conventions.turn
    if clockwise is None and scene.conventions.ask_direction and degrees % 180:
        return ask_direction(degrees)
    return turned(degrees, bool(clockwise))


def _straighten_command(text: str) -> Command:
    """By itself, or by as much as is said; which way is asked for where it is not said."""
    angles = [abs(n) for n in numbers_in(text) if 0 < abs(n) <= 45]
    if not angles:
        return Straighten()
    clockwise = direction_in(text)
    if clockwise is None:
        options = (("clockwise", str(Straighten(-angles[-1]))), ("anticlockwise", str(Straighten(angles[-1]))))
        return Clarify("Clockwise or anticlockwise?", options)
    return Straighten(-angles[-1] if clockwise else angles[-1])


def flip_or_turn(scene: Scene) -> Reading | None:
    """Read "rotate it clockwise by 90", "turn the image upside down", "mirror it", "straighten the horizon"."""
    text = scene.text
    if _STRAIGHTEN.search(text):
        return read(_straighten_command(text))
    if _FLIP.search(text) and re.search(r"\bdiagonal", text):
        options = (("left and right", "flip horizontal"), ("top and bottom", "flip vertical"))
        return read(Clarify("Which sides should change places?", options))
    if _FLIP.search(text) and not re.search(r"\b(?:rotate|find|search|show|picture of)\b", text):
        vertical = not re.search(r"\bhorizontal\w*", text) and re.search(
            r"\bvertical\w*|\bupside|\btop (?:to|and|with) bottom\b|\bover\b", text
        )
        return read(Flip("vertical" if vertical else "horizontal"))
    if _UPSIDE_DOWN.search(text) and re.search(
        r"\b(?:turn|rotate|put|make|hold|is|it's|see|want|have|get|show|need)\b", text
    ):
        return read(Rotate(180)) if scene.in_hand else None
    if _UPSIDE_DOWN.fullmatch(text.strip(" .!?")) and scene.context.picture:
        return read(Rotate(180))
    return read(_turn_command(scene)) if _TURN.search(text) else None
