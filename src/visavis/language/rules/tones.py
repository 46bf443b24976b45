"""Edits of light and colourfulness: brightness, contrast, saturation, warmth, sharpness."""

from __future__ import annotations

import re

from visavis.language.commands import AdjustAttr
from visavis.language.commands.edits import AttributeName
from visavis.language.rules.amounts import amount_in, numbers_in
from visavis.language.rules.scene import Reading, Scene, read
from visavis.language.rules.targets import THING, THING_END, target

#: What names an attribute, and the sign it carries in itself ("darker" is less brightness).
_NAMES: tuple[tuple[AttributeName, int, str], ...] = (
    ("brightness", 0, r"bright?ness|exposure"),
    ("brightness", 1, r"bright(?:en(?:s|ed|ing)?|er)?|lighten(?:ing)?|lighter|illuminate"),
    ("brightness", -1, r"darkness|dark(?:en(?:s|ed|ing)?|er)?|dim(?:mer|med)?"),
    ("contrast", 0, r"contrasts?"),
    ("saturation", -1, r"desaturate[ds]?|desaturation|muted|less (?:vivid|vibrant|colou?rful|saturated)"),
    ("saturation", 1, r"vivid|vibran(?:t|ce|cy)|saturated?|colou?rful|colou?rs? (?:to )?pop"),
    ("saturation", 0, r"saturation"),
    ("warmth", 1, r"warmer|warm(?:ing)? (?:it|the)"),
    ("warmth", -1, r"cooler|colder|cool (?:it|the)"),
    ("warmth", 0, r"warmth|(?:colou?r )?temperature"),
    ("sharpness", 1, r"sharpen(?:ed|ing)?|sharper|crisper|crisp"),
    ("sharpness", -1, r"soften(?:ed|ing)?"),
    ("sharpness", 0, r"sharpness"),
)
_ANY = re.compile("|".join(rf"(?P<n{i}>\b(?:{pattern})\b)" for i, (_, _, pattern) in enumerate(_NAMES)))
UP = re.compile(
    r"\b(?:increas\w*|rais\w*|add(?:ing)?|more|boost\w*|higher|enhanc\w*|improv\w*|up|bump|lift|extra|"
    r"intensify|stronger|"
    r"maximi[sz]e|further|greater)\b"
)
DOWN = re.compile(
    r"\b(?:decreas\w*|reduc\w*|lower\w*|less|down|minus|drop|kill|lose|diminish|lessen|minimi[sz]e|remove some|weaker|"
    r"cut)\b"
)
#: Verbs say the direction more clearly than "more" or "further" do.
RAISE = re.compile(r"\b(?:increas|rais|boost|add)\w*\b")
LOWER = re.compile(r"\b(?:decreas|reduc|lower|diminish)\w*\b")
_NOUN_ONLY = re.compile(r"\b(?:too|so) (?:dark|bright|vivid|cold|warm)\b")
#: A second wish beside the light, about what the picture should show: "brighter, less formal".
_OTHER_QUALITY = re.compile(
    r", (?:and |but )?(?:more|less) (?!(?:of |the )?(?:bright|dark|contrast|satur|warm|cold|cool|sharp|light|colou?r|"
    r"vivid|crisp|blur|dim|noise|strong|intense)|(?:\d|please\b))\w+"
)
#: Said of the picture that is looked for: "is darker and has longer sleeves".
_STATED = re.compile(r"^(?:is|has|are) (?!it\b|this\b|that\b|there\b|possible\b)")
_VERBS = re.compile(
    r"\b(?:make|chang\w*|adjust\w*|set|alter\w*|modify|correct|fix|turn|give|need\w*|want|use|apply|get|"
    r"bring)\b"
)
_OF_THING = re.compile(
    rf"\b(?:brightness|contrast|saturation|warmth|sharpness|temperature) (?:of|for|on|"
    rf"in) ({THING}){THING_END}"
)
_VERB_THING = re.compile(
    rf"\b(?:brighten|darken|lighten|dim|sharpen|soften|desaturate|saturate)(?: up)? ({THING}|it){THING_END}"
)
_FELT = r"(?:bright|dark|dim|light|vivid|vibrant|warm|cool|cold|sharp|crisp|saturated|colou?rful|muted)(?:er|mer)?\b"
_HOW = r"(?:(?:a (?:bit|little|lot|touch)|slightly|much|more|less|even|far|way) )*"
_MAKE_THING = re.compile(
    rf"\b(?:make|want|need|have) ({THING}) (?:(?:to )?(?:look|appear|be) )?{_HOW}{_FELT}"
    rf"|^(?:can )?({THING}) (?:should |must |needs to |has to |could )?(?:be|look) {_HOW}{_FELT}"
)


def thing_in(text: str) -> str | None:
    """The thing whose light is to change, or None for the whole picture."""
    for pattern in (_OF_THING, _VERB_THING, _MAKE_THING):
        if found := pattern.search(text):
            return target(next(group for group in found.groups() if group))
    return None


def sign_in(text: str) -> int:
    """+1 or -1 for words that raise or lower, 0 when there are none; the last one counts."""
    for up, down in ((RAISE, LOWER), (UP, DOWN)):
        last_up = max((m.start() for m in up.finditer(text)), default=-1)
        last_down = max((m.start() for m in down.finditer(text)), default=-1)
        if last_up != last_down:
            return 1 if last_up > last_down else -1
    return 0


def _amount(segment: str, sign: int, scene: Scene) -> float:
    conventions = scene.conventions
    amount = amount_in(segment, conventions.small_step, conventions.step, conventions.big_step)
    if amount < 0:
        return max(amount, -100)
    return max(-100, min(100, (sign or 1) * amount))


def adjust_light(scene: Scene) -> Reading | None:
    """Read "increase the brightness by 40 percent", "make it a bit darker", "more contrast"."""
    text = _NOUN_ONLY.sub("", scene.text)
    found = list(_ANY.finditer(text))
    if not found or not _is_request(text, found[0], scene) or _OTHER_QUALITY.search(text) or _STATED.match(text):
        return None
    commands: list[AdjustAttr] = []
    sign = 0
    for at, match in enumerate(found):
        name, own_sign, _ = _NAMES[int(match.lastgroup[1:])]  # type: ignore[index]  # some group matched
        start = found[at - 1].end() if at else 0
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        # "by 10 and contrast by 20": the number behind an attribute is its own, one before it only if none follows.
        behind = text[match.end() : end]
        if at + 1 < len(found):  # what stands behind "and" belongs to the next attribute
            behind = re.split(r",|\b(?:and|but)\b", behind)[0]
        segment = behind if numbers_in(behind) else text[start : match.end()] + behind
        said = sign_in(text[start : match.start()]) or (sign_in(behind) if not at else 0)
        sign = own_sign * (said if said < 0 and own_sign else 1) or said or sign
        if commands and commands[-1].name == name:
            continue
        commands.append(AdjustAttr(name, _amount(segment, sign, scene), target=thing_in(text)))
    return read(*commands)


def _is_request(text: str, match: re.Match[str], scene: Scene) -> bool:
    """Whether a word for light is about editing and not about what the picture should show."""
    own_sign = _NAMES[int(match.lastgroup[1:])][1]  # type: ignore[index]  # some group matched
    if own_sign == 0:
        return bool(UP.search(text) or DOWN.search(text) or _VERBS.search(text) or numbers_in(text) or scene.in_hand)
    word = match[0]
    if re.fullmatch(r"(?:de)?saturate[ds]?|\w+en(?:s|ed|ing)?|warm(?:ing)? (?:it|the)|cool (?:it|the)", word):
        return True
    if word == "darkness":
        return bool(UP.search(text) or DOWN.search(text))
    if word in ("bright", "dark", "dim", "warm", "crisp"):
        return bool(re.search(r"\bmore bright\b|\bless (?:bright|dark)\b", text)) and scene.in_hand
    if thing_in(text) and scene.in_hand:
        return True
    if re.search(r"\bmake (?:the |this |that )?(?:images?|pictures?|photos?|whole|colou?rs?)\b", text):
        return True
    asked = re.search(r"\b(?:make|should be|want|can (?:it|this|the \w+) be)\b", text)
    return scene.in_hand and (scene.context.turns > 0 or asked is not None)
