"""The parser scored on a split of CAISE by the paper's measure: exact match of the command."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visavis.lab.caise.records import CaiseRecord, predict
from visavis.language.parser import NetworkParser

Predict = Callable[[CaiseRecord], tuple[str, float]]


def by_network(weights: Path | None) -> Predict:
    """The parser with the given weights, or with those that ship, which never learned from CAISE."""
    parser = NetworkParser(weights)
    return lambda record: predict(parser, record)


@dataclass(frozen=True)
class CaiseOutcome:
    """What a parser made of a split."""

    score: Score
    errors: tuple[tuple[CaiseRecord, str, float], ...]
    dialogues: float

    def to_json(self, shown: int = 0) -> dict[str, Any]:
        """Plain values: accuracy in all and by type, whole dialogues, confusion between types, the surest errors."""
        surest = sorted(self.errors, key=lambda error: -error[2])[:shown]
        return {
            "accuracy": round(self.score.accuracy, 4),
            "right": sum(self.score.right.values()),
            "total": sum(self.score.total.values()),
            "dialogues": round(self.dialogues, 4),
            "by_type": {kind: round(share, 4) for kind, share in self.score.by_type().items()},
            "confusion": {
                kind: {
                    other: count
                    for (truth, other), count in sorted(self.score.confusion.items())
                    if truth == kind and other != kind
                }
                for kind in TYPES
            },
            "errors": [
                {"uid": record.uid, "message": record.message, "truth": record.command, "predicted": predicted}
                for record, predicted, _ in surest
            ],
        }


def dialogue_of(record: CaiseRecord) -> str:
    """The dialogue that a record belongs to: its name without the number at the end."""
    return record.uid.rpartition("_")[0]


def run(records: Sequence[CaiseRecord], predictor: Predict, step: Callable[[], object] = str) -> CaiseOutcome:
    """Score a parser on records; ``step`` is called after each. A dialogue is right when all its commands are."""
    score, errors = Score(), []
    right: dict[str, bool] = defaultdict(lambda: True)
    for record in records:
        predicted, confidence = predictor(record)
        fits = score.add(predicted, record.command)
        right[dialogue_of(record)] &= fits
        if not fits:
            errors.append((record, predicted, confidence))
        step()
    return CaiseOutcome(score, tuple(errors), sum(right.values()) / max(1, len(right)))


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
