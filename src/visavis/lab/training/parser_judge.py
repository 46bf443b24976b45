"""Weights of a training as they would ship: exported, calibrated, and scored inside the grammar.

``python -m visavis.lab.training.parser_judge --name main --material DIR/material.npz --start DIR --out DIR --rows DIR``
exports ``DIR/main.*.npz`` to ``DIR/main.onnx/`` and writes ``DIR/main.json``. ``--rows`` is a folder with what to score
on: rows of talk, GIER's requests as ``gier.val.jsonl``; with ``--caise`` records of CAISE are read instead.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import torch

from visavis.lab.datasets.talk import read_rows
from visavis.lab.evaluation.talk import read_requests, score_requests, score_talk
from visavis.lab.training.parser import decoder_layers, new_network
from visavis.lab.training.parser_export import export
from visavis.lab.training.parser_material import VALIDATION
from visavis.lab.training.parser_run import calibrate
from visavis.lab.training.parser_samples import Course, ParserSamples
from visavis.lab.training.parser_state import load_state
from visavis.language.parser import NetworkParser

GIER = "gier.val"


def exported(folder: Path, name: str, material: Path, start: Path, trained_on: str) -> Path:
    """Export the weights ``folder/NAME.*.npz``; returns the folder of the export."""
    state = load_state(folder, name)
    samples = ParserSamples(material, torch.device("cpu"))
    course = Course(decoder_layers=decoder_layers(state), copy=len(state["bias"]) == len(samples.generated), dropout=0)
    network = new_network(samples, start, course, state)
    out = folder / f"{name}.onnx"
    export(network, out, name="parser", trained_on=trained_on)
    return out


def judged(weights: Path, rows: Path, limit: int | None = None) -> dict[str, Any]:
    """Calibrate exported weights, and score them on each file of a folder."""
    scores: dict[str, Any] = {}
    calibrating = rows / f"{VALIDATION}.jsonl"
    if calibrating.is_file():
        scores["calibration"] = calibrate(weights, list(read_rows(calibrating))[:limit])
    parser = NetworkParser(weights)
    for path in sorted(rows.glob("*.jsonl")):
        if path.stem == GIER:
            scores[GIER] = score_requests(parser, read_requests(path)[:limit])
        else:
            scores[path.stem] = score_talk(parser, list(read_rows(path))[:limit]).to_json()
    return scores


def _caise(weights: Path, folder: Path, limit: int | None) -> dict[str, Any]:
    from visavis.lab.evaluation import caise

    return caise.run(caise.read_records(folder, "valid")[:limit], caise.by_network(weights)).to_json(0)


def main() -> None:
    """Judge from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    for name in ("material", "start", "out", "rows"):
        options.add_argument(f"--{name}", type=Path, required=True)
    options.add_argument("--name", required=True)
    options.add_argument("--caise", action="store_true")
    options.add_argument("--trained-on", default="the corpus of talk")
    options.add_argument("--limit", type=int, default=0)
    given = options.parse_args()
    began = time.monotonic()
    folder = exported(given.out, given.name, given.material, given.start, given.trained_on)
    limit = given.limit or None
    scores = {"caise": _caise(folder, given.rows, limit)} if given.caise else judged(folder, given.rows, limit)
    result = {"name": f"{given.name}-judged", "scores": scores, "seconds": time.monotonic() - began}
    (given.out / f"{given.name}-judged.json").write_text(json.dumps(result), encoding="utf-8")
    short = {name: part.get("same", part.get("right", part.get("accuracy"))) for name, part in scores.items()}
    print(f"{given.name}: {short}", flush=True)


if __name__ == "__main__":
    main()
