"""Two messages said as one: what people want comes in lists, and no part of a list may be dropped."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from visavis.lab.datasets.talk import Row
from visavis.language.commands import AdjustAttr, Avoid, Blur, Caption, Edit, Grayscale, Refine, Remove, Search

_BETWEEN = ", |, |. | and |, and |; | but | plus | also "
_AT_THE_START = re.compile(r"^(?:please|ok|okay|and|but|hmm|actually|oh|well|so|also|then)[\s,]+", re.IGNORECASE)
#: What leans on what was said before cannot follow something else.
_LEANS = re.compile(
    r"\b(?:more|less|again|same|too|undo|instead|other|another|still|that|those|these|it|this|them|one|ones|rather|"
    r"actually|sorry|wait|said|meant|no,|not,|what|why|how|which|never|forget)\b|[?\"“”]",
    re.IGNORECASE,
)
_LONGEST = 60


class Joins:
    """Joins rows to others of their kind.

    Args:
        rows: The rows to join to others.
        chance: Chooses.
    """

    def __init__(self, rows: Sequence[Row], chance: random.Random) -> None:
        self._chance = chance
        plain = [
            row for row in rows if len(row.message) <= _LONGEST and not _LEANS.search(row.message) and row.commands
        ]
        self._wishes = [row for row in plain if not row.context.picture and _all(row, Refine, Avoid)]
        self._refusals = [
            row for row in self._wishes if _all(row, Avoid) and row.message.lower().startswith(("no ", "without "))
        ]
        self._edits = [row for row in plain if row.context.picture and _all(row, AdjustAttr, Blur, Grayscale, Remove)]

    def joined(self, row: Row) -> Row:
        """A row and another one of its kind, one after the other; others stay as they are."""
        context = row.context
        if (
            len(row.message) > _LONGEST
            or context.question
            or len(row.commands) > 2
            or re.search(r"[?\"“]", row.message)
        ):
            return row
        others: list[Row] = []
        if not context.picture and _all(row, Refine, Avoid):
            others = self._wishes
        elif not context.picture and _all(row, Search):
            others = self._refusals
        elif context.picture and not context.edits and _all(row, Edit) and not isinstance(row.commands[-1], Caption):
            others = self._edits
        if not others:
            return row
        other = self._chance.choice(others)
        commands = (*row.commands, *other.commands)
        if len({str(command) for command in commands}) < len(commands) or _speaks_of(row.message, other.message):
            return row
        between = ", " if others is self._refusals else self._chance.choice(_BETWEEN.split("|"))
        second = _AT_THE_START.sub("", other.message)
        if not between.startswith("."):
            second = second[:1].lower() + second[1:]
        message = f"{row.message.rstrip(' .!,')}{between}{second}"
        return replace(row, message=message, commands=commands, also=())


def _all(row: Row, *kinds: type) -> bool:
    return bool(row.commands) and all(isinstance(command, kinds) for command in row.commands)


def _speaks_of(one: str, other: str) -> bool:
    """Whether two messages share a longer word."""
    words = [set(re.findall(r"[a-z]{4,}", text.lower())) for text in (one, other)]
    return bool(words[0] & words[1])
