"""The parser scored on a split of CAISE by the paper's measure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visavis.lab.caise.adapter import predict
from visavis.lab.caise.records import CaiseRecord
from visavis.lab.caise.scores import TYPES, Score
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
