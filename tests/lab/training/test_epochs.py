"""A run by epochs: the best weights stay, a stopped run goes on, and it stops where nothing gets better."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from visavis.lab.training.epochs import EpochRun  # noqa: E402

pytestmark = pytest.mark.train


def started(out: Path, patience: int = 5) -> EpochRun:
    model = torch.nn.Linear(1, 1)
    torch.nn.init.zeros_(model.weight)
    return EpochRun(model, torch.optim.SGD(model.parameters(), 0.1), out, patience)


def add_one(run: EpochRun):
    def train(epoch: int) -> dict[str, float]:
        with torch.no_grad():
            run.model.weight += 1
        return {"loss": float(epoch)}

    return train


def test_the_best_weights_are_kept_the_first_ones_included(tmp_path: Path):
    run = started(tmp_path / "up")
    scores = iter([0.1, 0.5, 0.9, 0.3])
    run.run(3, add_one(run), lambda: next(scores))
    assert run.model.weight.item() == 2
    worse = started(tmp_path / "down")
    scores = iter([0.9, 0.5, 0.4])
    worse.run(2, add_one(worse), lambda: next(scores))
    assert worse.model.weight.item() == 0


def test_it_stops_early_and_goes_on_after_a_checkpoint(tmp_path: Path):
    run = started(tmp_path, patience=2)
    run.run(9, add_one(run), lambda: 0.0)
    assert run.epoch == 2
    again = started(tmp_path, patience=3)
    assert again.resume()
    assert (again.epoch, again.waited, again.best) == (2, 2, 0.0)
    again.run(9, add_one(again), lambda: 0.0)
    rows = [json.loads(line)["epoch"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert rows == [1, 2, 3]
