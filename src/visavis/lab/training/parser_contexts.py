"""Contexts as real collections and real conversations have them, around rows that were written in barer ones.

A shop tells a dozen attributes with every message, a conversation has wishes, results and often a question that waits.
A row keeps its meaning in such a context as long as its message mentions nothing of what is added.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from visavis.lab.datasets.talk import Row
from visavis.language.commands import (
    AdjustAttr,
    Answer,
    Avoid,
    Blur,
    Caption,
    Chat,
    Clarify,
    Edit,
    Filter,
    Forget,
    Grayscale,
    Keep,
    Like,
    Refine,
    Remove,
    Reset,
    Search,
    Sort,
    Unlike,
    Values,
)
from visavis.language.context import Attribute, NumberRange
from visavis.language.prompt import stems
from visavis.language.references import places
from visavis.questions.informed import OPEN_QUESTIONS
from visavis.types import Question

#: So many attributes make a shop.
_SHOP = 6
_ABOUT_ATTRIBUTES = (Filter, Sort, Values, Forget)
_NOT_TO_A_QUESTION = (Answer, Clarify, Chat, Reset)
_ORDERED = re.compile(
    r"\d|cheap|expens|dear|new|old|big|small|pric|cost|size|large|tall|long|heav|light|wide", re.IGNORECASE
)
_COLOURS = re.compile(r"colou?r", re.IGNORECASE)
#: Attributes of looks and kinds, whose values stay in the text of a first search; brands, places and sizes do not.
_LOOKS = re.compile(
    r"colou?r|pattern|length|fit\b|sleeve|neck|detail|categor|kind|type|style|shape|finish|background|logo|subject|theme",
    re.IGNORECASE,
)
_COLUMNS = (0, 0, 3, 4, 4, 4, 5, 6)
_BETWEEN = ", |, |. | and |, and |; | but | plus | also "
_AT_THE_START = re.compile(r"^(?:please|ok|okay|and|but|hmm|actually|oh|well|so|also|then)[\s,]+", re.IGNORECASE)
#: What leans on what was said before cannot follow something else.
_LEANS = re.compile(
    r"\b(?:more|less|again|same|too|undo|instead|other|another|still|that|those|these|it|this|them|one|ones|rather|"
    r"actually|sorry|wait|said|meant|no,|not,|what|why|how|which|never|forget)\b|[?\"“”]",
    re.IGNORECASE,
)
_LONGEST = 60


class RealContexts:
    """Puts rows into contexts of other rows.

    Args:
        rows: The rows to borrow from.
        chance: Chooses.
    """

    def __init__(self, rows: Sequence[Row], chance: random.Random) -> None:
        self._chance = chance
        shops = {tuple(row.context.attributes): row.context.attributes for row in rows}
        self._shops = [shop for shop in shops.values() if len(shop) >= _SHOP]
        self._topics = sorted({row.context.topic for row in rows if row.context.topic})
        self._wishes = sorted({c.text for row in rows for c in row.commands if isinstance(c, Refine)})

    def within_a_shop(self, row: Row) -> Row:
        """A row that came without attributes, in a collection that has many; those that it mentions are left out."""
        if row.context.attributes or not self._shops or any(isinstance(c, _ABOUT_ATTRIBUTES) for c in row.commands):
            return row
        shop = self._chance.choice(self._shops)
        row = _filtering(row, shop) if self._chance.random() < 0.7 else row
        first_search = all(isinstance(c, Search | Avoid) for c in row.commands)
        needed = {c.field for c in row.commands if isinstance(c, Filter)}
        kept = {
            name: values
            for name, values in shop.items()
            if name in needed or self._unsaid(name, values, row, first_search)
        }
        return replace(row, context=replace(row.context, attributes=MappingProxyType(kept)))

    def _unsaid(self, name: str, values: Attribute, row: Row, first_search: bool) -> bool:
        """Whether an attribute would not change what a row means."""
        if isinstance(values, NumberRange):
            points = bool(row.commands) and not any(
                isinstance(c, Search | Refine | Avoid | Clarify) for c in row.commands
            )
            return not stems(name) & stems(row.message) and (points or not _ORDERED.search(row.message))
        if first_search and _LOOKS.search(name):
            return True  # colours and looks stay in the text of a first search
        return not _mentioned(row.message, (name, *values))

    def with_a_question(self, row: Row) -> Row:
        """A row that answers nothing, while a question waits."""
        context = row.context
        if context.question or not context.turns or any(isinstance(c, _NOT_TO_A_QUESTION) for c in row.commands):
            return row
        question = Question(self._chance.choice(OPEN_QUESTIONS), (), "open")
        listed = {n: v for n, v in context.attributes.items() if not isinstance(v, NumberRange) and len(v) > 1}
        if listed and "#" not in " ".join(map(str, row.commands)) and self._chance.random() < 0.7:
            question = self._which(listed)
            if _mentioned(row.message, [label for label, _ in question.options]):
                return row
        return replace(row, context=replace(context, question=question))

    def _which(self, listed: Mapping[str, tuple[str, ...]]) -> Question:
        name = self._chance.choice(sorted(listed))
        values = self._chance.sample(listed[name], min(len(listed[name]), self._chance.choice((2, 3, 3, 4))))
        options = tuple((value, str(Filter(name, "=", (value,)))) for value in values)
        text = f"Which {name.replace('_', ' ')}: {', '.join(values[:-1])} or {values[-1]}?"
        return Question(text, options, "choice", f"attribute:{name}")

    def with_more_wishes(self, row: Row) -> Row:
        """A row whose topic is what several messages said."""
        if not row.context.topic or not self._wishes or any(isinstance(c, Forget | Avoid) for c in row.commands):
            return row
        wishes = self._chance.sample(self._wishes, min(len(self._wishes), self._chance.choice((1, 1, 2, 3))))
        said = stems(row.message)
        topic = ", ".join((row.context.topic, *(wish for wish in wishes if not stems(wish) & said)))
        return replace(row, context=replace(row.context, topic=topic))

    def with_results(self, row: Row) -> Row:
        """A picture in hand that was found by a search, or results in an unknown number of columns."""
        context, chance = row.context, self._chance
        if context.picture and not context.shown and self._topics:
            turns = max(context.turns, chance.randint(2, 8))
            columns, topic = chance.choice(_COLUMNS), context.topic or chance.choice(self._topics)
            if not stems(topic) & stems(row.message):
                context = replace(context, turns=turns, shown=12, columns=columns, topic=topic)
        elif context.columns and chance.random() < 0.3 and not places(row.message, context.shown, context.columns):
            context = replace(context, columns=0)
        return replace(row, context=context)


def _filtering(row: Row, shop: Mapping[str, Attribute]) -> Row:
    """A row whose wishes for a colour alone are filters, where a shop has that colour; but not beside a picture."""
    name = next((n for n, v in shop.items() if _COLOURS.search(n) and not isinstance(v, NumberRange)), None)
    if name is None or any(isinstance(c, Like | Unlike | Search | Keep) for c in row.commands):
        return row
    values = shop[name]
    assert not isinstance(values, NumberRange)
    spelled = {value.lower(): value for value in values}
    commands = tuple(
        Filter(name, "=" if isinstance(c, Refine) else "!=", (spelled[c.text.lower()],))
        if isinstance(c, Refine | Avoid) and c.text.lower() in spelled
        else c
        for c in row.commands
    )
    return replace(row, commands=commands, also=()) if commands != row.commands else row


def _mentioned(message: str, texts: Sequence[str]) -> bool:
    """Whether a message has a word, or its beginning, of one of the texts."""
    said = {word[:4] for word in stems(message) if len(word) > 2}
    return any(word[:4] in said for text in texts for word in stems(text) if len(word) > 2)


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
