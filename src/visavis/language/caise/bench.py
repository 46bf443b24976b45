"""Parsers scored on a split of CAISE by the paper's measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visavis.language.caise.adapter import CAISE_CONVENTIONS, predict, predict_learned
from visavis.language.caise.colour_choice import COLOURS
from visavis.language.caise.combining import Combined
from visavis.language.caise.drafts import MARKS, draft_of
from visavis.language.caise.records import Record
from visavis.language.caise.scoring import TYPES, Score, same_command
from visavis.language.caise.thing_choice import thing_candidates
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


def open_words(records: Sequence[Record], outcome: Outcome) -> dict[str, dict[str, int]]:
    """For each kind of word that the rules leave open: how many records, how many could be right, how many are.

    A record could be right if the best colour, or the best noun that the detector names, were chosen.
    """
    wrong = {record.uid for record, _, _ in outcome.errors}
    counts = {hole: {"records": 0, "possible": 0, "right": 0} for hole in MARKS}
    for record in records:
        draft = draft_of(record)
        if not draft.hole:
            continue
        words = COLOURS if draft.hole == "colour" else [text for text, _ in thing_candidates(record, draft)]
        count = counts[draft.hole]
        count["records"] += 1
        count["possible"] += any(same_command(draft.filled(word), record.command) for word in words)
        count["right"] += record.uid not in wrong
    return {str(hole): count for hole, count in counts.items()}


def run(records: Sequence[Record], predictor: Predict, step: Callable[[], object] = str) -> Outcome:
    """Score one parser on records; ``step`` is called after each."""
    score, errors = Score(), []
    for record in records:
        predicted, confidence = predictor(record)
        if not score.add(predicted, record.command):
            errors.append((record, predicted, confidence))
        step()
    return Outcome(score, tuple(errors))
