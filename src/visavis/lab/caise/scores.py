"""The paper's measure: exact match of the command, in any order of search words, colours by name only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

#: The types of command in the order of the paper's tables.
TYPES = ("search", "adjust_color", "adjust_attr brightness", "adjust_attr contrast", "rotate", "image_cutout")


def type_of(command: str) -> str:
    """The type that a command is counted under."""
    words = command.lower().split()
    if not words:
        return "none"
    return " ".join(words[:2]) if words[0] == "adjust_attr" else words[0]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def same_command(predicted: str, truth: str) -> bool:
    """Whether two commands are the same by the paper's rule.

    Letters in any case; the words of a search in any order; of a colour change only the name counts; numbers are
    compared as numbers, so that ``+20`` is ``20``.
    """
    one, other = predicted.lower().split(), truth.lower().split()
    if not one or not other or one[0] != other[0]:
        return False
    if one[0] == "search":
        return Counter(one[1:]) == Counter(other[1:])
    if one[0] == "adjust_color":
        return one[1:2] == other[1:2]
    return [_number(word) for word in one] == [_number(word) for word in other]


@dataclass
class Score:
    """Exact matches by type, and what was taken for what."""

    right: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, predicted: str, truth: str) -> bool:
        """Count one prediction; whether it was right."""
        kind = type_of(truth)
        right = same_command(predicted, truth)
        self.total[kind] += 1
        self.right[kind] += right
        self.confusion[kind, type_of(predicted)] += 1
        return right

    @property
    def accuracy(self) -> float:
        """Exact matches of all."""
        return sum(self.right.values()) / max(1, sum(self.total.values()))

    def by_type(self) -> dict[str, float]:
        """Exact matches of each type."""
        return {kind: self.right[kind] / self.total[kind] for kind in TYPES if self.total[kind]}


def score(pairs: Iterable[tuple[str, str]]) -> Score:
    """The score of predictions, each with its truth."""
    result = Score()
    for predicted, truth in pairs:
        result.add(predicted, truth)
    return result
