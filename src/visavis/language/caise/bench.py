"""Parsers scored on a split of CAISE by the paper's measure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visavis.language.caise.adapter import CAISE_CONVENTIONS, predict, predict_learned
from visavis.language.caise.records import Record
from visavis.language.caise.scoring import TYPES, Score, type_of
from visavis.language.learned import LearnedParser
from visavis.language.rules import RuleParser

Predict = Callable[[Record], tuple[str, float]]

#: The network is followed where it is this sure, by what the rules make of a record; everywhere else the rules are.
#: Found by five-fold cross-validation on the train split: for things somewhere in the picture, amounts and angles
#: the rules were better at any sureness.
NETWORK_SURE = {
    "first search": 0.98,
    "search in a colour": 0.95,
    "adjust_color": 0.98,
    "adjust_attr contrast": 0.98,
    "lost": 0.4,
}
_THING = re.compile(r"\b(?:object|thing|item|what)\b", re.IGNORECASE)


def by_rules() -> Predict:
    """The rule parser with the conventions of the data."""
    parser = RuleParser(CAISE_CONVENTIONS)
    return lambda record: predict(parser, record)


def by_network(weights: Path | None) -> Predict:
    """The learned parser with the given weights."""
    parser = LearnedParser(weights)
    return lambda record: predict_learned(parser, record)


def by_both(weights: Path | None) -> Predict:
    """The rules; the network where it is sure, and where cross-validation found that it may be.

    Angles and amounts are arithmetic, which rules do exactly and a network only near the numbers it has seen; what to
    search for is a matter of habit, which a network learns.
    """
    rules, network = by_rules(), by_network(weights)

    def choose(record: Record) -> tuple[str, float]:
        command, confidence = rules(record)
        if (kind := _kind(record, command)) is None:
            return command, confidence
        written, likelihood = network(record)
        if kind in ("first search", "search in a colour") and not written.startswith("search "):
            kind = "lost"
        return (written, likelihood) if likelihood >= NETWORK_SURE[kind] else (command, confidence)

    return choose


def _kind(record: Record, command: str) -> str | None:
    """Which sureness the network needs for a record, by what the rules make of it; None where the rules decide."""
    if not command or command.startswith("search "):
        if not record.concepts:
            return "first search"
        return None if _THING.search(record.message) else "search in a colour"
    return kind if (kind := type_of(command)) in NETWORK_SURE else None


@dataclass(frozen=True)
class Outcome:
    """What one parser made of a split."""

    score: Score
    errors: tuple[tuple[Record, str, float], ...]

    def to_json(self, shown: int = 0) -> dict[str, Any]:
        """Plain values: accuracy in all and by type, confusion between types, the surest errors."""
        surest = sorted(self.errors, key=lambda error: -error[2])[:shown]
        return {
            "accuracy": round(self.score.accuracy, 4),
            "right": sum(self.score.right.values()),
            "total": sum(self.score.total.values()),
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


def run(records: Sequence[Record], predictor: Predict, step: Callable[[], object] = str) -> Outcome:
    """Score one parser on records; ``step`` is called after each."""
    score, errors = Score(), []
    for record in records:
        predicted, confidence = predictor(record)
        if not score.add(predicted, record.command):
            errors.append((record, predicted, confidence))
        step()
    return Outcome(score, tuple(errors))
