"""Labels by keywords for real editing requests: weak, but only where every clause of a request is known."""

from __future__ import annotations

import re
from collections.abc import Callable

from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Blur,
    Command,
    Edit,
    Enhance,
    Flip,
    Grayscale,
    ImageCutout,
    Remove,
    ReplaceBackground,
    Straighten,
)

_POLITE = re.compile(
    r"^(?:(?:please|kindly|can (?:you|someone|anyone)|could (?:you|someone)|i would like (?:you )?to|i want to|i'd like to|"  # noqa: E501
    r"just|also|then|and|would you|try to|hi|hello)[\s,.:]+)+|[\s,]*(?:please|thanks|thank you)[\s.!]*$",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"^(?:(?:the )?(?:whole |entire |overall )?(?:picture|photo|photograph|image|pic|it|everything|all|colou?rs?|lighting|light)"  # noqa: E501
    r"(?: (?:a|up|overall|in general))?)?$"
)
_LITTLE = re.compile(r"\b(?:a (?:little bit|little|bit|tad|touch)|slight(?:ly)?|little bit|somewhat)\b")
_MUCH = re.compile(r"\b(?:a lot|much|way|dramatically|greatly|significantly|very|strongly|considerably)\b")
_COLOURS = "red green blue yellow orange pink purple brown"
_COLOUR = "|".join(_COLOURS.split())


def _amount(clause: str, usual: float, little: float, much: float) -> float:
    if found := re.search(r"(\d{1,3}) ?(?:%|percent)", clause):
        return min(100.0, float(found[1]))
    return little if _LITTLE.search(clause) else much if _MUCH.search(clause) else usual


def _thing(text: str) -> str | None:
    """The thing that a clause is about; None for the whole picture.

    Raises:
        LookupError: It cannot be told.
    """
    plain = _MUCH.sub("", _LITTLE.sub("", text)).strip(" ,.")
    plain = re.sub(r"\b(?:in|of|on|from|to) (?:the|this) (?:picture|photo|image|pic)$", "", plain).strip()
    plain = re.sub(r"(?:by )?\d+ ?(?:%|percent)$", "", plain).strip()
    if _WHOLE.match(plain):
        return None
    plain = re.sub(r"^(?:of |in |on |for |to )?(?:the |this |that |an? |his |her |all the |all )", "", plain)
    if (
        not plain
        or len(plain.split()) > 6
        or re.search(r"\b(?:and|more|look|so|less|make|to|be|as|is|contrast|add)\b", plain)
    ):
        raise LookupError(text)
    return plain


def _attribute(name: str, sign: int) -> Callable[[re.Match[str], str], Command]:
    def make(found: re.Match[str], clause: str) -> Command:
        return AdjustAttr(name=name, amount=sign * _amount(clause, 20, 10, 40), target=_thing(found["of"] or ""))  # type: ignore[arg-type]

    return make


def _removal(found: re.Match[str], clause: str) -> Command:
    thing = re.sub(
        r"\s*\b(?:from|in|of|out of) (?:the |this )?(?:picture|photo|image|pic|shot|frame)\b", "", found["of"]
    )
    thing = re.sub(r"^(?:the |a |an |all the |all of the |this |that )", "", thing.strip(" .,!")).strip()
    if thing in ("background", "back ground", "backdrop"):
        return ImageCutout()
    if (
        not thing
        or len(thing.split()) > 12
        or re.search(
            r"\b(?:make|colou?r|contrast|brightness|blur|filter|noise|haze|saturation|tones?|tint|hue|cast|fill|zoom|except|so|completely|replace)\b|^background (?!people|person|man|woman)",  # noqa: E501
            thing,
        )
    ):
        raise LookupError(clause)
    return Remove(target=thing)


def _tint(found: re.Match[str], clause: str) -> Command:
    return AdjustColor(name=found["c"], strength=_amount(clause, 30, 15, 50) / 100)


def _background(found: re.Match[str], clause: str) -> Command:
    text = re.sub(r"^(?:an? )", "", found["of"].strip(" .!"))
    if len(text.split()) > 5:
        raise LookupError(clause)
    return ReplaceBackground(background=text)


def _fixed(command: Edit) -> Callable[[re.Match[str], str], Command]:
    return lambda _found, _clause: command


_UP = r"(?:increase|raise|boost|add(?: some| more)?|turn up|up|bump up|enhance|improve|more|higher|strengthen)"
_DOWN = r"(?:decrease|reduce|lower|turn down|less|tone down|drop)"
_IT = r"(?:the )?(?:whole |entire )?(?:picture|photo|image|pic|it)"
_RULES: tuple[tuple[str, Callable[[re.Match[str], str], Command]], ...] = (
    (r"(?:remove|delete|erase|take out|get rid of|edit out|photoshop out|eliminate|clone out) (?P<of>.+)", _removal),
    (r"(?:brighten|lighten)(?: up)?(?P<of> .*)?", _attribute("brightness", 1)),
    (
        r"make (?P<of>.*?) ?(?:a (?:little|bit|lot|little bit) |slightly |much )?(?:brighter|lighter)(?: .{0,12})?",
        _attribute("brightness", 1),
    ),
    (rf"{_UP} (?:the )?(?:brightness|exposure)(?: level)?(?P<of> .*)?", _attribute("brightness", 1)),
    (r"darken(?: up)?(?P<of> .*)?", _attribute("brightness", -1)),
    (
        r"make (?P<of>.*?) ?(?:a (?:little|bit|lot|little bit) |slightly |much )?darker(?: .{0,12})?",
        _attribute("brightness", -1),
    ),
    (rf"{_DOWN} (?:the )?(?:brightness|exposure)(?P<of> .*)?", _attribute("brightness", -1)),
    (rf"{_UP} (?:the )?contrast(?P<of> .*)?", _attribute("contrast", 1)),
    (rf"{_DOWN} (?:the )?contrast(?P<of> .*)?", _attribute("contrast", -1)),
    (
        rf"{_UP} (?:the )?(?:colou?r )?(?:saturation|vibrance|vibrancy|colou?r intensity)(?P<of> .*)?",
        _attribute("saturation", 1),
    ),
    (rf"{_DOWN} (?:the )?(?:colou?r )?(?:saturation|vibrance|vibrancy)(?P<of> .*)?", _attribute("saturation", -1)),
    (
        r"make (?P<of>.*?) ?(?:a bit |a little |much )?more (?:vivid|vibrant|saturated|colou?rful)",
        _attribute("saturation", 1),
    ),
    (r"sharpen(?: up)?(?P<of> .*)?", _attribute("sharpness", 1)),
    (rf"{_UP} (?:the )?(?:sharpness|clarity)(?P<of> .*)?", _attribute("sharpness", 1)),
    (r"make (?P<of>.*?) ?(?:a bit |a little |much )?(?:sharper|clearer|crisper)", _attribute("sharpness", 1)),
    (
        r"(?:warm(?: up)?)(?P<of> .*)?|make (?P<of2>.*?) warmer",
        lambda f, c: AdjustAttr(name="warmth", amount=_amount(c, 20, 10, 40), target=_thing(f["of"] or f["of2"] or "")),
    ),
    (
        r"(?:cool(?: down)?)(?P<of> .*)?|make (?P<of2>.*?) cooler",
        lambda f, c: AdjustAttr(
            name="warmth", amount=-_amount(c, 20, 10, 40), target=_thing(f["of"] or f["of2"] or "")
        ),
    ),
    (
        rf"(?:convert|turn|change|make) {_IT} (?:to |into |in )?(?:black (?:and|&) white|b&w|grayscale|greyscale)|black and white",  # noqa: E501
        _fixed(Grayscale()),
    ),
    (
        r"blur (?:out )?(?:the )?(?:back ?ground|backdrop)|make the background (?:more )?blurr(?:y|ed)",
        _fixed(Blur(amount=50, target="background")),
    ),
    (
        rf"(?:add|give)(?: {_IT})? (?:an? )?(?:slight |bit of |little )*(?:more )?(?P<c>{_COLOUR})(?: (?:tint|tone|hue|color|colour)s?)(?: to {_IT})?",  # noqa: E501
        _tint,
    ),
    (rf"make {_IT} (?:a bit |slightly |much )?more (?P<c>{_COLOUR})(?:ish)?", _tint),
    (r"(?:change|replace) (?:the )?background (?:to|with|by|into|for) (?P<of>.+)", _background),
    (
        r"make the background (?P<of>white|black|transparent|gr[ae]y|blue|green|red|pink|yellow)",
        lambda f, _: ImageCutout() if f["of"] == "transparent" else ReplaceBackground(background=f["of"]),
    ),
    (rf"straighten(?: (?:{_IT}|the horizon|up))*", _fixed(Straighten())),
    (rf"flip {_IT}(?: horizontally)?|mirror {_IT}", _fixed(Flip())),
    (
        rf"(?:enhance|improve|fix|touch up|retouch) (?:{_IT}|(?:the )?(?:quality|overall quality|quality of {_IT}))",
        _fixed(Enhance()),
    ),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), make) for pattern, make in _RULES)
_CLAUSES = re.compile(r"\s*(?:[;,.]|\band then\b|\bthen\b|\band\b|&)\s*(?=\S)", re.IGNORECASE)
_AFTER_AND = re.compile(
    r"^(?:also |then |please )*(?:remove|delete|erase|take|get|brighten|lighten|darken|sharpen|make|increase|decrease|reduce|"  # noqa: E501
    r"lower|raise|boost|add|blur|change|replace|convert|turn|crop|enhance|improve|adjust|fix|straighten|warm|more|less)\b",
    re.IGNORECASE,
)


def _clauses(text: str) -> list[str]:
    """The clauses of a request: cut only where another request begins."""
    parts: list[str] = []
    for part in _CLAUSES.split(text.strip()):
        if parts and not _AFTER_AND.match(part):
            parts[-1] += f" and {part}"
        elif part:
            parts.append(part)
    return parts


def labelled(text: str) -> tuple[Command, ...]:
    """The commands of a request, or none where some of it is not known for sure.

    >>> [str(c) for c in labelled("Please, remove the white car and brighten the photo a bit")]
    ['remove white car', 'adjust_attr brightness 10']
    """
    commands: list[Command] = []
    for clause in _clauses(_POLITE.sub("", text.strip())):
        plain = _POLITE.sub("", clause).strip(" .!?,")
        for pattern, make in _COMPILED:
            if found := pattern.fullmatch(plain):
                try:
                    commands.append(make(found, plain.lower()))
                    break
                except LookupError:
                    return ()
        else:
            return ()
    return tuple(commands)
