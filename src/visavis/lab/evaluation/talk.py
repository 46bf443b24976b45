"""How well a parser reads a corpus of talk: the same meaning, asked, or wrong without asking."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.talk import Row
from visavis.lab.evaluation.metrics import Bin, expected_error, reliability
from visavis.language.base import Parser, Understanding
from visavis.language.commands import AdjustAttr, Command
from visavis.language.context import Context
from visavis.language.english import normal, same_commands


@dataclass
class TalkScore:
    """Counts over the rows of a corpus; ``said`` has how probable the best reading was, and whether it was right."""

    n: int = 0
    same: int = 0
    exact: int = 0
    verbs: int = 0
    asked: int = 0
    wrong_unasked: int = 0
    said: list[tuple[float, bool]] = field(default_factory=list)
    by_command: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, row: Row, understanding: Understanding) -> bool:
        """Count one row; whether it was read right."""
        asked = understanding.clarify is not None
        readings = [row.commands, *row.also] if row.commands else []
        done = understanding.commands
        same = asked if not readings else not asked and any(same_commands(done, wanted) for wanted in readings)
        lines, verbs = [normal(c) for c in done], [c.verb for c in done]
        self.n += 1
        self.same += same
        self.asked += asked
        self.wrong_unasked += not same and not asked
        best = understanding.alternatives[0].commands if understanding.alternatives else done
        right = any(same_commands(best, wanted) for wanted in readings) if best else not readings
        self.said.append((understanding.confidence, right))
        self.exact += asked if not readings else not asked and any(lines == [*map(normal, w)] for w in readings)
        self.verbs += asked if not readings else not asked and any(verbs == [c.verb for c in w] for w in readings)
        for verb in {command.verb for command in row.commands} or {"clarify"}:
            self.by_command.setdefault(verb, Counter()).update(n=1, same=int(same))
        return same

    def to_json(self) -> dict[str, Any]:
        """Shares in 0..1."""
        names = ("same", "exact", "verbs", "asked", "wrong_unasked")
        shares = {name: round(getattr(self, name) / max(1, self.n), 4) for name in names}
        by_command = {
            verb: {"n": count["n"], "same": round(count["same"] / count["n"], 4)}
            for verb, count in sorted(self.by_command.items())
        }
        error = round(expected_error(*self._chances()), 4) if self.said else 0.0
        return {"n": self.n, **shares, "calibration_error": error, "by_command": by_command}

    def reliability(self) -> list[Bin]:
        """Said and true of the best readings."""
        return reliability(*self._chances())

    def _chances(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        chances, right = zip(*self.said, strict=True)
        return np.array(chances), np.array(right)


Wrong = Callable[[Row, Understanding], object]


def score_talk(parser: Parser, rows: Iterable[Row], wrong: Wrong = lambda _row, _understanding: None) -> TalkScore:
    """Score a parser on rows; ``wrong`` is told what was misread."""
    score = TalkScore()
    for row in rows:
        understanding = parser.understand(row.message, row.context)
        if not score.add(row, understanding):
            wrong(row, understanding)
    return score


#: The operators of GIER, each with the commands that do it.
_LIGHT, _CONTRAST, _SATURATION = ("adjust_attr brightness",), ("adjust_attr contrast",), ("adjust_attr saturation",)
_COLOUR = ("adjust_color", "adjust_attr warmth", "recolor")
_BLUR = ("blur",)
OPERATORS: dict[str, tuple[str, ...]] = {
    "brightness": _LIGHT,
    "lightness": _LIGHT,
    "exposure": _LIGHT,
    "contrast": _CONTRAST,
    "dehaze": _CONTRAST,
    "saturation": _SATURATION,
    "hue": _COLOUR,
    "tint": _COLOUR,
    "sharpness": ("adjust_attr sharpness",),
    "crop": ("crop",),
    "rotate": ("rotate", "straighten"),
    "flip": ("flip",),
    "inpaint_obj": ("remove",),
    "color_bg": ("replace_background", "image_cutout"),
    "gaussain_blur": _BLUR,
    "radial_blur": _BLUR,
    "black&white": ("grayscale",),
}
#: Requests with more operators than this say too little of what was done.
MOST_OPERATORS = 3


def operation(command: Command) -> str:
    """What a command does, as the table of operators names it."""
    return f"{command.verb} {command.name}" if isinstance(command, AdjustAttr) else command.verb


def read_requests(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    """The first expert text of each record of GIER with few operators, and its operators as far as they are known."""
    try:
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        kept = [r for r in records if r["expert"] and 1 <= len(r["operators"]) <= MOST_OPERATORS]
        return [(r["expert"][0], tuple(r["operators"])) for r in kept]
    except FileNotFoundError:
        raise NotFoundError(
            f"{path} does not exist.", "Give a file of GIER requests, one JSON record a line."
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{path} cannot be read as GIER requests: {error}.") from error


def score_requests(
    parser: Parser,
    requests: Sequence[tuple[str, tuple[str, ...]]],
    wrong: Callable[[str, tuple[str, ...], Understanding], object] = lambda _text, _operators, _understanding: None,
) -> dict[str, Any]:
    """The share of requests whose commands contain an operation of one of the expert's operators."""
    right = 0
    by_operator: dict[str, Counter[str]] = {}
    for text, operators in requests:
        understanding = parser.understand(text, Context(turns=1, shown=1, columns=1, picture=True))
        wanted = {name for operator in operators for name in OPERATORS.get(operator, ())}
        fits = bool(wanted & {operation(command) for command in understanding.commands})
        right += fits
        if not fits:
            wrong(text, operators, understanding)
        for operator in operators:
            by_operator.setdefault(operator, Counter()).update(n=1, right=int(fits))
    shares = {
        name: {"n": count["n"], "right": round(count["right"] / count["n"], 4)}
        for name, count in sorted(by_operator.items())
    }
    return {"n": len(requests), "right": round(right / max(1, len(requests)), 4), "by_operator": shares}
