"""Parsers scored on a split of CAISE by the paper's measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visavis.language.caise.adapter import CAISE_CONVENTIONS, predict, predict_learned
from visavis.language.caise.combining import Combined
from visavis.language.caise.records import Record
from visavis.language.caise.scoring import TYPES, Score
from visavis.language.learned import LearnedParser
from visavis.language.rules import RuleParser

Predict = Callable[[Record], tuple[str, float]]


def by_rules() -> Predict:
    """The rule parser with the conventions of the data."""
    parser = RuleParser(CAISE_CONVENTIONS)
    return lambda record: predict(parser, record)


def by_network(weights: Path | None) -> Predict:
    """The learned parser with the given weights."""
    parser = LearnedParser(weights)
    return lambda record: predict_learned(parser, record)


def by_both(weights: Path) -> Predict:
    """Rules, choices and network together, as trained on CAISE."""
    return Combined.load(weights)


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
