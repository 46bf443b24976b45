"""Commands as pieces and back.

The written form follows the grammar, one slot after the other, without what code can add: no quotes, colours as
words, a strength in percent, a turn as the angle that people say with its direction. So numbers can be copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from visavis.errors import BadInputError
from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    AtTurn,
    Border,
    Caption,
    Chat,
    Clarify,
    Command,
    Compare,
    Count,
    Crop,
    Edit,
    Export,
    Fewer,
    Filter,
    Flip,
    Keep,
    More,
    Questions,
    Random,
    Recolor,
    Redo,
    Remove,
    Repeat,
    ReplaceBackground,
    Reset,
    Resize,
    Rollback,
    Rotate,
    Shown,
    Sort,
    Straighten,
    This,
    Undo,
    Values,
    parse_command,
)
from visavis.language.commands.base import number_text, quoted
from visavis.language.commands.effects import Blur, Sepia, Vignette
from visavis.language.commands.wishes import field_text
from visavis.language.english import joined_colour, spaced_colour
from visavis.language.pieces import MARK, MARK_NAME, VERB_OF, VERBS, piece_ids, words

#: What "save it" without a name stands for.
UNNAMED_FILE = "picture.png"

Spell = Callable[[Sequence[int]], str]


def number_ids(value: float) -> list[int]:
    """A number: a mark for the sign, the digits, a mark for the decimal point."""
    whole, _, rest = number_text(abs(value)).partition(".")
    return [
        *([MARK["minus"]] if value < 0 else []),
        *piece_ids(whole),
        *([MARK["point"], *piece_ids(rest)] if rest else []),
    ]


def picture_ids(picture: object) -> list[int]:
    """A picture or a turn that a command points at."""
    match picture:
        case Shown():
            return [MARK["#"], *piece_ids(str(picture.number))]
        case AtTurn():
            return [MARK["@"], *piece_ids(str(picture.turn))]
        case This():
            return [MARK["this"]]
    raise BadInputError(f"'{picture}' cannot be written by the network.")


def _arguments(command: Command, message: str) -> list[int]:
    match command:
        case Rotate():
            angle = command.degrees
            if angle > 180 and not re.search(rf"\b{number_text(angle)}\b", message):
                return [MARK["clockwise"], *number_ids(360 - angle)]
            return number_ids(angle)
        case AdjustAttr():
            return [*piece_ids(command.name), *number_ids(command.amount)]
        case AdjustColor():
            return [*piece_ids(spaced_colour(command.name)), *_percent(command.strength)]
        case Recolor():
            return piece_ids(spaced_colour(command.name))
        case Crop(aspect=(wide, high)):
            return [*piece_ids(str(wide)), MARK["colon"], *piece_ids(str(high))]
        case Crop(box=(left, top, right, bottom)):
            return _joined([piece_ids(str(edge)) for edge in (left, top, right, bottom)], MARK["comma"])
        case Flip():
            return piece_ids(command.axis)
        case Resize(percent=float(percent)):
            return [*number_ids(percent), MARK["percent"]]
        case Resize():
            sides = [piece_ids(str(side)) if side else [] for side in (command.width, command.height)]
            return [*sides[0], MARK["x"], *sides[1]]
        case ReplaceBackground(background=str(text)):
            return piece_ids(text)
        case ReplaceBackground():
            return picture_ids(command.background)
        case Straighten(degrees=float(degrees)):
            return number_ids(degrees)
        case Blur() | Sepia() | Vignette():
            return number_ids(command.amount)
        case Border():
            return [*piece_ids(str(command.width)), *piece_ids(spaced_colour(command.colour))]
        case Caption():
            return [MARK[command.position], *piece_ids(command.text)]
        case Remove():
            return piece_ids(command.target or "")
        case Keep():
            return [*piece_ids(command.attribute), *picture_ids(command.source)]
        case Filter():
            values = [
                number_ids(v) if isinstance(v, float) else piece_ids(v) if isinstance(v, str) else picture_ids(v)
                for v in command.values
            ]
            return [*piece_ids(command.field), MARK[command.comparison], *_joined(values, MARK["or"])]
        case Sort():
            return [*piece_ids(command.field), MARK[command.order]]
        case Values():
            return piece_ids(command.field)
        case Rollback():
            return piece_ids(str(command.turn))
        case More() | Fewer() | Random():
            return piece_ids(str(command.count)) if command.count else []
        case Undo() | Redo():
            return piece_ids(str(command.steps)) if command.steps > 1 else []
        case Reset():
            return [MARK["edits"]] if command.what == "edits" else []
        case Repeat(following=int(count)):
            return [MARK["next"], *piece_ids(str(count))]
        case Repeat() | Compare():
            return [piece for picture in command.pictures for piece in picture_ids(picture)]
        case Export():
            return piece_ids(command.file) if command.file and command.file != UNNAMED_FILE else []
        case Chat():
            return piece_ids(command.kind)
        case Questions():
            return piece_ids(command.state)
        case Count():
            return piece_ids(command.text or "")
        case Clarify():
            return []
    picture = getattr(command, "picture", None)
    if picture is not None:
        return picture_ids(picture)
    return piece_ids(getattr(command, "text", ""))


def encode_commands(commands: Iterable[Command], message: str = "") -> list[int]:
    """Commands as the pieces that the network writes, without start and end.

    Args:
        commands: What to write.
        message: What was said: an angle is written the way it was said.
    """
    written: list[int] = []
    for command in commands:
        written += [VERBS[command.verb], *_arguments(command, message)]
        if isinstance(command, Edit) and command.target is not None and not isinstance(command, Remove):
            written += [MARK["on"], *piece_ids(command.target)]
    return written


def _percent(share: float) -> list[int]:
    return number_ids(round(share * 100, 2))


def _joined(parts: Sequence[list[int]], mark: int) -> list[int]:
    return [piece for at, part in enumerate(parts) for piece in ([mark, *part] if at else part)]


_TIGHT = (
    (re.compile(r"(?<=\w) ?(['’]) ?(?=(?:s|t|d|m|re|ve|ll)\b)"), r"\1"),
    (re.compile(r"(?<=\w) ([-/&]) (?=\w)"), r"\1"),
    (re.compile(r"(?<=\d) ([.:]) (?=\d)"), r"\1"),
    (re.compile(r" (?=[,.;:!?%)])"), ""),
    (re.compile(r"(?<=[(#$]) "), ""),
)


def plain_spelling(ids: Sequence[int]) -> str:
    """The text of pieces, with the usual spaces around signs."""
    spelled: list[str] = []
    for piece in ids:
        word = words()[piece]
        if word.startswith("##") and spelled:
            spelled[-1] += word[2:]
        else:
            spelled.append(word.removeprefix("##"))
    text = " ".join(spelled)
    for pattern, replacement in _TIGHT:
        text = pattern.sub(replacement, text)
    return text


def _digits(ids: Sequence[int]) -> str:
    return "".join(words()[piece].removeprefix("##") for piece in ids)


def _number(ids: Sequence[int]) -> str:
    """The text of a number, as far as it is one."""
    parts = {"minus": "-", "point": "."}
    return "".join(parts.get(MARK_NAME[piece], "?") if piece in MARK_NAME else _digits([piece]) for piece in ids)


def _is_number(ids: Sequence[int]) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", _number(ids)) is not None


def _split(ids: Sequence[int], mark: int) -> list[list[int]]:
    parts: list[list[int]] = [[]]
    for piece in ids:
        if piece == mark:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _picture(ids: Sequence[int]) -> str:
    if ids and MARK_NAME.get(ids[0]) in ("#", "@"):
        return MARK_NAME[ids[0]] + _digits(ids[1:])
    return "this"


def _first(ids: Sequence[int], *marks: str) -> int:
    """Where the first of some marks stands; at the end where none does."""
    wanted = {MARK[name] for name in marks}
    return next((at for at, piece in enumerate(ids) if piece in wanted), len(ids))


def _words_then_number(ids: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """A name, then a number at the end."""
    at = len(ids)
    while at and (ids[at - 1] in (MARK["minus"], MARK["point"]) or words()[ids[at - 1]].removeprefix("##").isdigit()):
        at -= 1
    return ids[:at], ids[at:]


def _value(ids: Sequence[int], spell: Spell) -> str:
    if ids and ids[0] in (MARK["#"], MARK["this"]):
        return _picture(ids)
    return _number(ids) if _is_number(ids) else quoted(spell(ids))


def _written(verb: str, ids: list[int], spell: Spell) -> str:
    """The arguments of a command as text; a target is taken off before."""
    match verb:
        case "rotate":
            return (
                number_text((360 - float(_number(ids[1:]))) % 360) if ids[:1] == [MARK["clockwise"]] else _number(ids)
            )
        case "adjust_attr":
            name, amount = _words_then_number(ids)
            return f"{plain_spelling(name)} {_number(amount)}"
        case "adjust_color":
            name, amount = _words_then_number(ids)
            return f"{joined_colour(plain_spelling(name))} {number_text(float(_number(amount)) / 100)}"
        case "recolor":
            return joined_colour(plain_spelling(ids))
        case "crop" if MARK["colon"] in ids:
            return ":".join(map(_digits, _split(ids, MARK["colon"])))
        case "crop":
            return " ".join(map(_digits, _split(ids, MARK["comma"])))
        case "resize":
            signs = {MARK["x"]: "x", MARK["percent"]: "%", MARK["point"]: "."}
            return "".join(signs[piece] if piece in signs else _digits([piece]) for piece in ids)
        case "replace_background" if ids and ids[0] not in (MARK["#"], MARK["this"]):
            return quoted(spell(ids))
        case "straighten" | "blur" | "sepia" | "vignette":
            return _number(ids)
        case "border":
            at = next((at for at, piece in enumerate(ids) if not words()[piece].removeprefix("##").isdigit()), len(ids))
            return f"{_digits(ids[:at])} {joined_colour(plain_spelling(ids[at:]))}"
        case "caption":
            return f"{quoted(spell(ids[1:]))} {MARK_NAME.get(ids[0], '')}"
        case "keep":
            at = _first(ids, "#", "@", "this")
            link = "" if at < len(ids) and ids[at] == MARK["@"] else "of "
            return f"{spell(ids[:at])} {link}{_picture(ids[at:])}"
        case "filter":
            at = _first(ids, "=", "!=", "<", "<=", ">", ">=")
            values = " | ".join(_value(part, spell) for part in _split(ids[at + 1 :], MARK["or"]))
            return f"{field_text(spell(ids[:at]))} {MARK_NAME[ids[at]]} {values}"
        case "sort":
            at = _first(ids, "asc", "desc")
            return f"{field_text(spell(ids[:at]))} {MARK_NAME[ids[at]]}"
        case "values":
            return field_text(spell(ids))
        case "more" | "fewer" | "random" | "undo" | "redo" | "rollback":
            return _digits(ids)
        case "reset":
            return "edits" if ids else ""
        case "repeat" if ids[:1] == [MARK["next"]]:
            return f"next {_digits(ids[1:])}"
        case "repeat" | "compare":
            starts = [at for at, piece in enumerate(ids) if piece in (MARK["#"], MARK["this"])]
            return " ".join(_picture(ids[at:end]) for at, end in zip(starts, [*starts[1:], len(ids)], strict=True))
        case "like" | "unlike" | "select" | "describe" | "why" | "replace_background":
            return _picture(ids)
        case "export":
            return quoted(re.sub(r"\s*([._-])\s*", r"\1", spell(ids)) if ids else UNNAMED_FILE)
        case "clarify":
            return '"?"'
        case "chat" | "questions" | "flip":
            return plain_spelling(ids)
    return spell(ids) if ids else ""


def split_commands(ids: Sequence[int]) -> list[list[int]]:
    """Pieces cut before every verb."""
    parts: list[list[int]] = []
    for piece in ids:
        if piece in VERB_OF:
            parts.append([piece])
        elif parts:
            parts[-1].append(piece)
    return parts


def decode_commands(ids: Sequence[int], spell: Spell = plain_spelling) -> tuple[Command, ...]:
    """The commands that pieces stand for.

    Args:
        ids: What the network wrote.
        spell: Gives the text of pieces: the spelling of the message where they were copied from it.

    Raises:
        BadInputError: Something in them is no command.
    """
    commands = []
    for verb_mark, *rest in split_commands(ids):
        verb = VERB_OF[verb_mark]
        at = _first(rest, "on")
        try:
            text = f"{verb} {_written(verb, rest[:at], spell)}".rstrip()
        except (KeyError, ValueError, IndexError) as error:
            raise BadInputError(f"The pieces of '{verb}' are no command.") from error
        commands.append(parse_command(f"{text} on {spell(rest[at + 1 :])}" if at < len(rest) else text))
    return tuple(commands)
