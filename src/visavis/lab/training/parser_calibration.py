"""Calibration of the parser: what its probabilities prove to be worth, and from which on it need not ask."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from visavis.lab.datasets.talk import Row
from visavis.lab.evaluation.metrics import expected_error
from visavis.language.base import Reading
from visavis.language.meaning import same_commands
from visavis.language.network import DESCRIPTION
from visavis.language.parser import NetworkParser, calibrated

#: At most so many messages may be answered by a question.
MOST_ASKED = 0.12
#: ... and no more than are needed so that at most so many are wrong without one.
MOST_WRONG = 0.05


@dataclass(frozen=True)
class Judged:
    """How probable the best reading of a row was, whether it was right, and whether it was to ask back."""

    probability: float
    right: bool
    asks: bool


def judge(parser: NetworkParser, rows: Sequence[Row]) -> list[Judged]:
    """What a parser's best reading of each row is worth."""
    return [_judged(row, parser.readings(row.message, row.context)[0]) for row in rows]


def _judged(row: Row, best: Reading) -> Judged:
    wanted = [row.commands, *row.also] if row.commands else []
    right = any(same_commands(best.commands, one) for one in wanted) if best.commands else not wanted
    return Judged(best.probability, right, not best.commands)


def fit(judged: Sequence[Judged]) -> tuple[float, float]:
    """The temperature and the shift of log odds with the least surprise (Platt scaling)."""
    odds = np.array([_odds(one.probability) for one in judged])
    truth = np.array([one.right for one in judged], dtype=float)
    scale, shift = 1.0, 0.0
    for _ in range(200):  # Newton's method on two numbers
        likely = 1 / (1 + np.exp(-(scale * odds + shift)))
        weight = likely * (1 - likely) + 1e-6
        gradient = np.array([((truth - likely) * odds).sum() - 1e-3 * (scale - 1), (truth - likely).sum()])
        curve = np.array(
            [[(weight * odds**2).sum() + 1e-3, (weight * odds).sum()], [(weight * odds).sum(), weight.sum()]]
        )
        step = np.linalg.solve(curve, gradient)
        scale, shift = scale + step[0], shift + step[1]
        if np.abs(step).max() < 1e-8:
            break
    return 1 / max(float(scale), 1e-3), float(shift)


def _odds(probability: float) -> float:
    bounded = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(bounded / (1 - bounded))


def threshold(judged: Sequence[Judged], most_asked: float = MOST_ASKED, most_wrong: float = MOST_WRONG) -> float:
    """The lowest probability to act on: few wrong without asking, and not many asked."""
    acted = sorted((one for one in judged if not one.asks), key=lambda one: one.probability)
    asked = sum(one.asks for one in judged)
    wrong = sum(not one.right for one in acted)
    chosen = 0.0
    for one in acted:
        if wrong <= most_wrong * len(judged) or asked + 1 > most_asked * len(judged):
            break
        asked += 1
        wrong -= not one.right
        chosen = one.probability + 1e-6
    return chosen


def calibration_error(judged: Sequence[Judged]) -> float:
    """The mean distance between probability and truth."""
    return expected_error(np.array([one.probability for one in judged]), np.array([one.right for one in judged]))


def calibrate(folder: Path, rows: Sequence[Row]) -> dict[str, float]:
    """Fit temperature, shift and threshold on rows that were not learned from, and write them to the weights."""
    path = folder / DESCRIPTION
    description: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    parser = NetworkParser(folder)
    parser.network.description["calibration"] = {"temperature": 1.0, "shift": 0.0, "threshold": 0.0}
    judged = judge(parser, rows)
    temperature, shift = fit(judged)
    fitted = [Judged(calibrated(one.probability, temperature, shift), one.right, one.asks) for one in judged]
    found = {"temperature": temperature, "shift": shift, "threshold": threshold(fitted)}
    description["calibration"] = found
    path.write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    parser.network.description["calibration"] = found
    return {
        "right": sum(one.right for one in judged) / max(1, len(judged)),
        "calibration_error_before": calibration_error(judged),
        "calibration_error": calibration_error(fitted),
        **found,
    }
