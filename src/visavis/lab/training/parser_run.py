"""A whole training of the parser: material, training, export, and what its probabilities are worth (calibration)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from visavis.lab.datasets.talk import Row, read_rows
from visavis.lab.evaluation.metrics import expected_error
from visavis.lab.networks.parser import read_shipped_parser, read_trained_on
from visavis.lab.training.parser import new_network, report, train
from visavis.lab.training.parser_export import export
from visavis.lab.training.parser_material import HELD_BACK, PLAYED, VALIDATION, ParserSources, build, caise_material
from visavis.lab.training.parser_samples import Course, ParserSamples
from visavis.lab.training.parser_state import ExportedEncoder, save_start, save_state, save_table
from visavis.language.base import Reading
from visavis.language.english import same_commands
from visavis.language.network import DESCRIPTION, calibrated
from visavis.language.parser import NetworkParser


@dataclass(frozen=True)
class ParserSettings:
    """What to train on, and where to write (see ``visavis train parser --help``).

    Attributes:
        course: How to train, but for what weights to go on from ask for.
        start: Exported weights to go on from; MiniLM's when None.
        rate: The highest learning rate; 5e-4 for a whole training, 1e-4 from exported weights when None.
        decoder: Whether only the decoder learns, on the states of the exported encoder: enough for a processor.
    """

    data: Path
    out: Path
    course: Course
    more: Path | None = None
    caise: Path | None = None
    minilm: Path | None = None
    variants: int = 12
    device: str = "auto"
    limit: int | None = None
    start: Path | None = None
    rate: float | None = None
    decoder: bool = False


def run(settings: ParserSettings, tell: Callable[[str], object] = str) -> dict[str, float]:
    """Train, export and calibrate; returns the share of exactly right outputs on the writers held back."""
    device = torch.device(
        settings.device if settings.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    )
    more = settings.more
    state, pieces = read_shipped_parser(settings.start) if settings.start else (None, None)
    sources = ParserSources(
        corpus=settings.data,
        coco=more / "coco" / "captions.jsonl" if more else None,
        products=more / "products" / "styles.csv" if more else None,
        fashion=more / "fashioniq" if more else None,
        requests=more / "requests" if more else None,
        generated=60_000 if more else 0,
        shops=40_000 if more else 0,
        situations=40_000 if more else 0,
        inquiries=40_000 if more else 0,
        turns=20_000 if more else 0,
        variants=settings.variants,
        seed=settings.course.seed,
        pieces=[] if pieces is None else pieces.tolist(),
    )
    course = _course(settings)
    with TemporaryDirectory(prefix="visavis-parser-") as scratch:
        folder = Path(scratch)
        material, generated = build(sources)
        tell(f"{len(material.inputs):,} samples")
        material.save(folder / "material.npz", generated)
        if state is None:
            save_start(folder, settings.minilm)
        else:
            save_table(folder)
        samples = ParserSamples(folder / "material.npz", device, settings.limit)
        network = new_network(samples, folder, course, state)
        if settings.start and settings.decoder:
            network.exported_encoder = ExportedEncoder(settings.start)
        learned, _ = train(samples, network, course, tell)
        scores = {name: part["exact"] for name, part in report(samples, network, learned, course).items()}
        if settings.caise:
            save_state(learned, folder, "talk")
            part, pieces = caise_material(settings.caise, generated)
            part.save(folder / "caise.npz", pieces)
            samples = ParserSamples(folder / "caise.npz", device, settings.limit)
            course = replace(course, sources="caise/train", validation="caise/valid", test="caise/valid", batch=128)
            network = new_network(samples, folder, course, (folder, "talk"))
            learned, _ = train(samples, network, course, tell)
            scores |= {name: part["exact"] for name, part in report(samples, network, learned, course).items()}
        network.load_state_dict(dict(learned))
    held_back = (*HELD_BACK, PLAYED)
    writers = sorted(path.stem for path in settings.data.glob("*.jsonl") if path.stem not in held_back)
    told = f"the corpus of talk, writers {', '.join(writers)}"
    told += f"; started from {read_trained_on(settings.start)}" if settings.start else ""
    told += "; CAISE train (CC BY-NC-SA 4.0, not to be shipped)" if settings.caise else ""
    export(network, settings.out, name="parser", trained_on=told)
    calibrating = settings.data / f"{VALIDATION}.jsonl"
    if calibrating.is_file():
        scores |= calibrate(settings.out, list(read_rows(calibrating))[: settings.limit])
    return scores


def _course(settings: ParserSettings) -> Course:
    given = settings.course
    if settings.start is None:
        return replace(given, rate=settings.rate or given.rate)
    # A network that reads well already: small steps, the corpus almost alone, an average over less.
    learned = replace(given, rate=settings.rate or 1e-4, warm_up=20, weak_first=0.1, weak_last=0.1, average=0.99)
    return replace(
        learned, encoder_rate=0.0 if settings.decoder else 0.5, checks=1 if settings.decoder else given.checks
    )


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
