"""Pointing at pictures: "the third one", "#4", "the left one in the second row", "this"."""

from __future__ import annotations

import re

from visavis.language.commands import THIS, Clarify, Command, Like, PictureRef, Select, Shown, Unlike
from visavis.language.rules.amounts import ORDINAL, to_number, to_ordinal
from visavis.language.rules.scene import Reading, Scene, read

_NOUN = r"(?:one|picture|image|photo|result|item|option|dress|shirt|thing)"
_NUMBERED = re.compile(rf"(?:#|\b(?:number|no\.?|nr\.?|num|{_NOUN}|option)\s*#?)\s*(\d{{1,4}})\b")
_ROW_COLUMN = re.compile(r"\brow (\d+)\D{1,12}col(?:umn)? (\d+)")
_ROW = rf"(?:({ORDINAL}|top|bottom|middle|upper|lower) row|row (\d+))"
_IN_ROW = re.compile(
    rf"\b({ORDINAL}|left(?:most)?|right(?:most)?|middle|central|cent(?:er|"
    rf"re))(?: {_NOUN})?(?: from the (left|right))? (?:in|of|on|from) (?:the )?{_ROW}"
)
_ROW_FIRST = re.compile(rf"\b{_ROW},? (?:the )?({ORDINAL}|left(?:most)?|right(?:most)?|middle)\b")
_CORNER = re.compile(r"\b(?:in |at )?(?:the )?(top|upper|bottom|lower)[ -](left|right|middle|cent(?:er|re))\b")
_SIDE = re.compile(
    rf"\b(?:the )?(?:(left|right|middle|leftmost|rightmost)(?: {_NOUN})|{_NOUN} (?:on|at|"
    rf"in) the (?:far )?(left|right|middle)(?: side)?)\b"
)
_ORDINAL = re.compile(
    rf"\b(?:the )?({ORDINAL})(?: {_NOUN})?(?: from the (left|right))?\b(?! (?:turn|step|round|row|time|"
    rf"results?|search|two|three|few|change|edit|step|query))"
)
_DEMONSTRATIVE = re.compile(
    rf"\b(?:this|that|these|those)(?: (?:{_NOUN}s?|crop|edit|cutout|version))?(?=$|[.,!?]| (?:but|with|in|and|or|is|"
    rf"please|only|just|too|very|looks|again|best|most)\b)|^(?:it|them)$|"
    rf"\bthe (?:new |last )?(?:crop|cutout|edit|(?:edited|cropped|changed|new) (?:{_NOUN}|version))\b"
)

#: How a text starts that points at a picture, rather than speaking of something else and a picture later.
_POINTS = re.compile(
    rf"(?:only |just |both )?(?:(?:the )?(?:{ORDINAL}|left|right|middle|top|bottom|upper|lower|leftmost|"
    rf"rightmost|row)\b|"
    rf"#|\d|number|no\.|nr|(?:the )?(?:new |last |edited |cropped |changed )?"
    rf"(?:{_NOUN}|crop|cutout|edit|version)\b|this|that|these|those|it\b|them\b)"
)
_UNLIKE = re.compile(
    r"\b(?:don't (?:really )?(?:like|want|love)|not (?:like )?(?=the|number|#|this|that|picture \d|"
    r"image \d|no\.)|less like|hate|dislike|nothing like|unlike|not a fan of|away from|skip)(?:\b|(?=#))"
)
_LIKE = re.compile(
    r"\b(?:i (?:really |quite |do |would )*(?:like|love|prefer|fancy|adore)|(?:more|something|anything|"
    r"others?|ones?|pictures|images|looks?|similar|find (?:me )?(?:more|some|others))(?: \w+)? (?:like|"
    r"similar to|in the style of)|"
    r"along the lines of|in the direction of|similar (?:(?:ones|pictures|images|photos) )?to|closer to|"
    r"nearer to|like|resembling|"
    r"same (?:style )?as|such as)\b"
)
_PRAISED = re.compile(
    r"\bcomes? (?:the )?closest\b|\b(?:is|looks|seems) (?:really |very |quite |so |pretty |the )*(?:nice|"
    r"great|good|perfect|better|best|lovely|beautiful|cool|closest?|awesome|pretty|right)\b"
)
_SIMILAR = re.compile(
    r"^(?:find|show|get|see|search|i want)?(?: me)?(?: for)? ?(?:some |more |other )*(?:similar (?:ones|"
    r"pictures|images|photos|results)?|others like (?:it|this|that)(?: .*)?|(?:i want )?more of (?:this|"
    r"these|those))$"
)
_SELECT = re.compile(
    r"^(?:(?:please|ok|okay|yes|now|let's|i'll|i will|i want|i'd like|i choose|i pick|give me|let me|"
    r"can you|could you|we|go|with|for|to)[ ,]+)*"
    r"(?:(?:select|choose|pick|open|take|show|see|use|enlarge|view|have|get|zoom in on|look at|go with|"
    r"keep)(?: me)? )?(?:the )?(?:(?:one|picture|image) )?(?:in |at |on )?(?:the )?$"
)
#: Several pictures and nothing else; one alone is taken in hand instead.
_SEVERAL = re.compile(
    rf"(?:(?:select|choose|pick|take|i like|i want|i'll take|show me|more like|like) )?(?:both )?"
    rf"(?:(?:the )?(?:pictures |images |numbers |number |no\. )?(?P<digits>#?\d{{1,4}}(?:(?:,| and|, and| &) "
    rf"(?:number )?#?\d{{1,4}})+)|(?:the )?first (?P<first>two|three|four|five|six|\d)(?: (?:ones|{_NOUN}s))?|"
    rf"the (?P<ordinals>{ORDINAL}(?: {_NOUN})?(?:(?:,| and|, and| &) (?:the )?{ORDINAL}(?: (?:ones?|{_NOUN}s?))?)+))"
)


def _several(found: re.Match[str], scene: Scene) -> list[int]:
    if found["digits"]:
        return [int(number) for number in re.findall(r"\d+", found["digits"])]
    if found["first"]:
        return list(range(1, int(to_number(found["first"])) + 1))
    return [to_ordinal(word, scene.context.shown) for word in re.findall(ORDINAL, found["ordinals"])]


def _rows(scene: Scene) -> int:
    columns = scene.context.columns or scene.context.shown or 1
    return -(-scene.context.shown // columns)


def _row_number(word: str, scene: Scene) -> int:
    rows = _rows(scene)
    named = {"top": 1, "upper": 1, "bottom": rows, "lower": rows, "middle": (rows + 1) // 2}
    return named[word] if word in named else to_ordinal(word, rows) if not word.isdigit() else int(word)


def _place_in_row(word: str, side: str | None, row: int, scene: Scene) -> int:
    columns = scene.context.columns or scene.context.shown or 1
    length = min(columns, scene.context.shown - (row - 1) * columns) if scene.context.shown else columns
    word = word.removesuffix("most")
    if word in ("left", "right"):
        return 1 if word == "left" else length
    if word in ("middle", "central", "center", "centre"):
        return (length + 1) // 2
    place = to_ordinal(word, length)
    return length + 1 - place if side == "right" else place


def _at(row: int, place: int, scene: Scene) -> int:
    return (row - 1) * (scene.context.columns or scene.context.shown or 1) + place


def _grid_number(text: str, scene: Scene) -> int | None:
    """The picture at a place of the grid."""
    if found := _ROW_COLUMN.search(text):
        return _at(int(found[1]), int(found[2]), scene)
    if found := _IN_ROW.search(text):
        row = _row_number(found[3] or found[4], scene)
        return _at(row, _place_in_row(found[1], found[2], row, scene), scene)
    if found := _ROW_FIRST.search(text):
        row = _row_number(found[1] or found[2], scene)
        return _at(row, _place_in_row(found[3], None, row, scene), scene)
    if found := _CORNER.search(text):
        row = _row_number(found[1], scene)
        return _at(row, _place_in_row(found[2], None, row, scene), scene)
    return None


def numbers_pointed_at(text: str, scene: Scene) -> list[int]:
    """The places of the pictures that a text points at, in the order of the text."""
    if scene.context.columns and (number := _grid_number(text, scene)) is not None:
        return [number]
    numbers = [int(found[1]) for found in _NUMBERED.finditer(text)]
    if numbers:
        # "number 2 and 5": the later ones lean on the first.
        return numbers + [int(n) for n in re.findall(r"(?:,|and|&) #?(\d{1,3})\b", text) if int(n) not in numbers]
    if (found := _SIDE.search(text)) and _rows(scene) == 1 and scene.context.shown:
        return [_place_in_row(found[1] or found[2], None, 1, scene)]
    ordinals = [m for m in _ORDINAL.finditer(text) if m[1] not in ("last", "final") or scene.context.shown]
    return [_place_in_row(m[1], m[2], 1, scene) if m[2] else to_ordinal(m[1], scene.context.shown) for m in ordinals]


def picture_in(text: str, scene: Scene) -> PictureRef | None:
    """The one picture that a text points at, or None."""
    numbers = numbers_pointed_at(text, scene)
    if numbers:
        return Shown(numbers[0]) if numbers[0] > 0 else None
    return THIS if _DEMONSTRATIVE.search(text) else None


def _ask_row(text: str, scene: Scene, verb: str) -> Clarify | None:
    """The question which row is meant, when only a side was said and there are several rows."""
    found = _SIDE.search(text)
    if not found or _rows(scene) < 2 or not scene.context.columns or _grid_number(text, scene) is not None:
        return None
    options = []
    for row in range(1, min(_rows(scene), 6) + 1):
        number = _at(row, _place_in_row(found[1] or found[2], None, row, scene), scene)
        options.append((f"row {row}", f"{verb} #{number}"))
    return Clarify("In which row?", tuple(options))


def _ask_number(text: str, scene: Scene) -> Clarify | None:
    """The question which number is meant, when a row was said and nobody knows how the pictures are laid out."""
    if scene.context.columns or not any(pattern.search(text) for pattern in (_ROW_COLUMN, _IN_ROW, _ROW_FIRST)):
        return None
    return Clarify("Which number has the picture that you mean?")


def _checked(numbers: list[int], scene: Scene, kind: type[Like | Unlike | Select]) -> tuple[Command, ...]:
    shown = scene.context.shown
    if any(number < 1 or (shown and number > shown) for number in numbers):
        return (Clarify(f"I show {shown} picture{'s' if shown > 1 else ''}. Which one do you mean?"),)
    return tuple(kind(Shown(number)) for number in numbers)


def _read_pointing(head: str, scene: Scene, kind: type[Like | Unlike | Select]) -> tuple[Command, ...]:
    if kind is not Select and not _POINTS.match(head):
        return ()
    if question := _ask_row(head, scene, kind.verb) or _ask_number(head, scene):
        return (question,)
    if kind is not Select and (bare := re.findall(r"(?<![\w#])(\d{1,2})(?=\s*(?:,|and|&|$))", head)):
        return _checked([int(n) for n in bare], scene, kind)
    numbers = numbers_pointed_at(head, scene)
    if numbers:
        return _checked(numbers, scene, kind)
    return (kind(THIS),) if _DEMONSTRATIVE.search(head) else ()


def point(scene: Scene) -> Reading | None:
    """Read "I like #4 but blue", "not the first one", "the left one in the second row"."""
    head, but, rest = scene.text.partition(" but ")
    if several := _SEVERAL.fullmatch(head.strip(" .?!")):
        return read(*_checked(_several(several, scene), scene, Like), rest=rest)
    if _SIMILAR.match(head.strip()) and scene.context.turns:
        return read(Like(THIS), rest=rest)
    if found := _UNLIKE.search(head):
        commands = _read_pointing(head[found.end() :].strip(), scene, Unlike)
        return read(*commands, rest=rest) if commands else None
    if found := _LIKE.search(head):
        commands = _read_pointing(head[found.end() :].strip(), scene, Like)
        if commands:
            return read(*commands, rest=rest)
    if (
        _PRAISED.search(head)
        and not re.match(r"^(?:this|that|it)\b(?! one| picture| image)", head)
        and (commands := _read_pointing(_PRAISED.split(head)[0].strip(), scene, Like))
    ):
        return read(*commands, rest=rest)
    return _bare(head.strip(" .?!"), but, rest, scene)


def _bare(head: str, but: str, rest: str, scene: Scene) -> Reading | None:
    """Nothing but a place: to take that picture in hand, or with "but" to go on from it."""
    places = (_ROW_COLUMN, _IN_ROW, _ROW_FIRST, _CORNER, _NUMBERED, _SIDE, _ORDINAL)
    found = next((match for pattern in places if (match := pattern.search(head))), None)
    if found is None or (found.re in (_CORNER, _SIDE) and not scene.context.shown):
        return None
    behind = re.sub(
        rf"^(?: (?:{_NOUN}|please|then|is (?:it|mine)|corner|up close|in detail|closer|bigger|again|from the (?:left|"
        rf"right)))*[ .!?]*",
        "",
        head[found.end() :],
    )
    if behind or not _SELECT.match(head[: found.start()]):
        return None
    commands = _read_pointing(head, scene, Like if but else Select)
    return read(*commands, rest=rest) if commands else None
