"""Variants of a row of the corpus: other letters, other numbers and values, another context; the same meaning."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from visavis.errors import BadInputError
from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_contexts import Joins, RealContexts
from visavis.language.commands import (
    AtTurn,
    Command,
    Edit,
    Filter,
    Forget,
    Keep,
    Rollback,
    Search,
    Sort,
    Values,
    parse_command,
)
from visavis.language.context import Attribute, Context, NumberRange
from visavis.language.english import hidden_numbers
from visavis.language.references import places, turns_ago

_KEYS = {"a": "sq", "e": "wr", "i": "uo", "o": "ip", "n": "bm", "r": "et", "s": "ad", "t": "ry", "l": "k", "h": "gj"}
_BEFORE = "please|ok|hey|hmm|so|right|well|ok so|hi|can you|could you please|um|alright"
_AFTER = "please|thanks|pls|thank you|thx|ok?|!|..|:)"
_GRIDS = ((12, 4), (12, 3), (9, 3), (8, 4), (15, 5), (20, 5), (24, 6), (16, 4), (10, 5), (6, 3), (18, 6), (12, 6))
_NUMBER = re.compile(r"(?<![\w#.,:/x-])\d+(?![\w.,:/%x-])")


#: Messages that may be about what was done before.
_LEANS_BACK = re.compile(
    r"\b(?:more|less|again|same|too|back|undo|redo|revert|before|instead|better|further|another|still|now|that|thicker|"
    r"thinner|stronger|weaker|other way|opposite|actually|wait|no|not|only|said|meant|make that|it should)\b",
    re.IGNORECASE,
)
_ABOUT_EDITS = frozenset({"undo", "redo", "repeat", "reset", "clarify", "chat"})


class Variation:
    """Makes variants of rows.

    Args:
        rows: The rows to borrow attributes and values from.
        spellable: Whether the network can write a word by itself; others are not misspelled where they are wanted.
        seed: The same seed gives the same variants.
    """

    def __init__(self, rows: Sequence[Row], spellable: Callable[[str], bool], seed: int = 0) -> None:
        self._chance = random.Random(seed)
        self._spellable = spellable
        contexts = RealContexts(rows, self._chance)
        joins = Joins(rows, self._chance)
        self._attributes = [(name, v) for row in rows for name, v in row.context.attributes.items()]
        self._edits = [command for row in rows for command in row.commands if isinstance(command, Edit)]
        self._values = [v for _, values in self._attributes if not isinstance(values, NumberRange) for v in values]
        self._changes: tuple[tuple[Callable[[Row], Row], float], ...] = (
            (joins.joined, 0.2),
            (self._other_value, 0.3),
            (self._other_number, 0.3),
            (self._other_grid, 0.4),
            (self._other_state, 0.5),
            (self._other_edits, 0.4),
            (self._other_attributes, 0.5),
            (contexts.within_a_shop, 0.5),
            (contexts.with_a_question, 0.15),
            (contexts.with_more_wishes, 0.25),
            (contexts.with_results, 0.3),
        )

    def variant(self, row: Row) -> Row:
        """Another row with the same meaning."""
        chance = self._chance
        for change, share in self._changes:
            if chance.random() < share:
                try:
                    row = change(row)
                except BadInputError:
                    continue  # the change made a command impossible: the row stays as it is
        return replace(row, message=self._other_letters(row))

    def _other_letters(self, row: Row) -> str:
        chance, message = self._chance, row.message
        if chance.random() < 0.08:
            message = f"{chance.choice(_BEFORE.split('|'))} {message[:1].lower()}{message[1:]}"
        if chance.random() < 0.08:
            message = f"{message.rstrip('.!? ')} {chance.choice(_AFTER.split('|'))}"
        if chance.random() < 0.3:
            message = message.rstrip(" .!?")
        if chance.random() < 0.12:
            message = re.sub(r"[,.;:!?'’](?!\d)", "", message) or message
        if chance.random() < 0.06:
            message = re.sub(r"[,.] ", chance.choice((" ", "... ", " and ")), message)
        case = chance.random()
        if not re.search(r'"|caption|export', " ".join(map(str, row.commands))):
            message = message.lower() if case < 0.35 else message.upper() if case < 0.37 else message
        return self._misspelled(message, row) if chance.random() < 0.2 else message

    def _misspelled(self, message: str, row: Row) -> str:
        wanted = set(re.findall(r"[a-z]+", " ".join(map(str, row.commands)).lower()))
        words = list(re.finditer(r"[A-Za-z]{4,}", message))
        chance = self._chance
        for match in chance.sample(words, min(len(words), chance.choice((1, 1, 2)))):
            word = match[0]
            if len(word) != match.end() - match.start() or message[match.start() : match.end()] != word:
                continue  # an earlier slip moved it
            if word.lower() in wanted and not self._spellable(word.lower()):
                continue
            message = message[: match.start()] + self._slip(word) + message[match.end() :]
        return message

    def _slip(self, word: str) -> str:
        chance = self._chance
        at = chance.randrange(1, len(word) - 1)
        kind = chance.randrange(4)
        if kind == 0:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if kind == 1:
            return word[:at] + word[at + 1 :]
        if kind == 2:
            return word[:at] + word[at] + word[at:]
        return word[:at] + chance.choice(_KEYS.get(word[at].lower(), "e")) + word[at + 1 :]

    def _other_value(self, row: Row) -> Row:
        """One value of a filter exchanged for another one, wherever it stands."""
        named = [v for c in row.commands if isinstance(c, Filter) for v in c.values if isinstance(v, str)]
        here = [v for v in named if re.search(rf"\b{re.escape(v)}\b", row.message, re.IGNORECASE)]
        if not here or not self._values:
            return row
        old, new = self._chance.choice(here), self._chance.choice(self._values)
        if re.match(r"\d", new) or len(new) > 24:
            return row
        pattern = re.compile(rf"\b{re.escape(old)}\b", re.IGNORECASE)
        attributes = {
            name: values if isinstance(values, NumberRange) else tuple(new if v == old else v for v in values)
            for name, values in row.context.attributes.items()
        }
        said = new if self._chance.random() < 0.5 else new.lower()
        commands = tuple(
            Filter(c.field, c.comparison, tuple(new if v == old else v for v in c.values))
            if isinstance(c, Filter)
            else c
            for c in row.commands
        )
        if any(isinstance(c, Filter) is False and pattern.search(str(c)) for c in commands):
            return row
        context = replace(row.context, attributes=MappingProxyType(attributes))
        return replace(
            row, message=pattern.sub(lambda _: said, row.message), commands=commands, context=context, also=()
        )

    def _other_number(self, row: Row) -> Row:
        """One number exchanged for another one, in the message and in the one command that has it."""
        numbers = _NUMBER.findall(row.message)
        once = [n for n in numbers if numbers.count(n) == 1 and hidden_numbers(row.message) == []]
        if not once:
            return row
        old = self._chance.choice(once)
        pattern = re.compile(rf"(?<![\w.]){old}(?![\w.])")
        lines = [str(command) for command in row.commands]
        holding = [at for at, line in enumerate(lines) if pattern.search(line)]
        if len(holding) != 1 or len(pattern.findall(lines[holding[0]])) != 1:
            return row
        command = row.commands[holding[0]]
        new = self._number_for(command, int(old), row.context)
        if new is None or str(new) in numbers:
            return row
        lines[holding[0]] = pattern.sub(str(new), lines[holding[0]])
        message = re.sub(rf"(?<![\w#.,:/x-]){old}(?![\w.,:/%x-])", str(new), row.message)
        return replace(row, message=message, commands=tuple(map(parse_command, lines)), also=())

    def _number_for(self, command: Command, old: int, context: Context) -> int | None:
        chance = self._chance
        match command.verb:
            case "filter" if 1900 <= old <= 2030:
                return chance.randint(1950, 2025)
            case "filter":
                return max(1, round(old * chance.uniform(0.3, 3)))
            case "select" | "like" | "unlike" | "why" | "describe" | "repeat" | "compare" | "keep":
                return chance.randint(1, context.shown or 12)
            case "adjust_attr" | "sepia" | "vignette" | "blur":
                return chance.choice((5, 10, 12, 15, 18, 20, 25, 30, 33, 35, 40, 45, 50, 55, 60, 70, 75, 80, 90))
            case "more" | "fewer":
                return chance.choice((3, 4, 5, 6, 8, 10, 15, 20, 24, 25, 30, 40, 50, 60, 100))
            case "border":
                return chance.randint(2, 90)
            case "undo" | "redo":
                return chance.randint(2, 6)
        return None

    def _other_grid(self, row: Row) -> Row:
        """Another number of pictures in other columns; places are computed anew."""
        context = row.context
        lines = " ".join(map(str, row.commands))
        numbers = [int(n) for n in re.findall(r"#(\d+)", lines)]
        shown, columns = self._chance.choice(_GRIDS)
        if not context.shown or shown < max(numbers, default=1):
            return row
        old, new = places(row.message, context.shown, context.columns), places(row.message, shown, columns)
        if not numbers:
            return replace(row, context=replace(context, shown=shown, columns=columns))
        if not old:
            return replace(row, context=replace(context, shown=shown, columns=columns))
        if len(old) != len(new) or not set(old) <= set(numbers) or not context.columns:
            return row
        exchange = dict(zip(old, new, strict=True))
        if any(exchange.get(n, n) != n and re.search(rf"\b{n}\b", row.message) for n in numbers):
            return row
        swapped = tuple(
            parse_command(re.sub(r"#(\d+)", lambda m: f"#{exchange.get(int(m[1]), int(m[1]))}", str(c)))
            for c in row.commands
        )
        return replace(row, context=replace(context, shown=shown, columns=columns), commands=swapped, also=())

    def _other_state(self, row: Row) -> Row:
        """Another number of turns; sometimes less is known."""
        chance, context = self._chance, row.context
        turns = [c.turn for c in row.commands if isinstance(c, Rollback)]
        turns += [c.source.turn for c in row.commands if isinstance(c, Keep) and isinstance(c.source, AtTurn)]
        if context.turns and not turns and turns_ago(row.message, 9) is None:
            context = replace(context, turns=max(1, context.turns + chance.randint(-2, 6)))
        if context.picture and chance.random() < 0.3:
            context = replace(
                context, topic="", shown=0 if "#" not in " ".join(map(str, row.commands)) else context.shown
            )
        return replace(row, context=context)

    def _other_edits(self, row: Row) -> Row:
        """Edits before a message that says all by itself; those before one that leans on them stay."""
        context, chance = row.context, self._chance
        if context.edits or not context.picture or _LEANS_BACK.search(row.message) or not self._edits:
            return row
        if any(command.verb in _ABOUT_EDITS for command in row.commands):
            return row
        edits = tuple(chance.choice(self._edits) for _ in range(chance.choice((1, 1, 2, 3))))
        return replace(row, context=replace(context, edits=edits))

    def _other_attributes(self, row: Row) -> Row:
        """Attributes in another order, some more that no message asks for, or fewer."""
        chance, context = self._chance, row.context
        if not context.attributes or not self._attributes:
            return row
        needed = {c.field for c in row.commands if isinstance(c, Filter | Sort | Values)}
        message = row.message.lower()
        kept: dict[str, Attribute] = {}
        for name, values in chance.sample(list(context.attributes.items()), len(context.attributes)):
            if name not in needed and not _touches(message, name, values) and chance.random() < 0.3:
                continue
            shuffled = values if isinstance(values, NumberRange) else tuple(chance.sample(values, len(values)))
            kept[name] = shuffled
        more = min(len(self._attributes), chance.choice((0, 0, 1, 2, 3, 5, 8)))
        for name, values in chance.sample(self._attributes, more):
            if name not in kept and name != "taken" and not _touches(message, name, values):
                kept[name] = values
        if not any(isinstance(c, Forget | Search) for c in row.commands) and not needed and chance.random() < 0.1:
            kept = {}
        return replace(row, context=replace(context, attributes=MappingProxyType(kept)))


def _touches(message: str, name: str, values: Attribute) -> bool:
    if name.lower()[:4] in message or (
        isinstance(values, NumberRange) and re.search(r"\d|cheap|expens|new|old", message)
    ):
        return True
    return not isinstance(values, NumberRange) and any(w[:4] in message for v in values for w in v.lower().split())


def plain(row: Row) -> Mapping[str, Any]:
    """A row in short, to look at."""
    return {"message": row.message, "commands": [*map(str, row.commands)], "shown": row.context.shown}
