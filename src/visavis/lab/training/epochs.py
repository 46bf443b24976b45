"""A training run by epochs: validation, early stopping, checkpoints to go on from, and a log of JSON lines."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

CHECKPOINT, BEST, LOG = "checkpoint.pt", "best.pt", "log.jsonl"
Report = Callable[[str], object]


def chosen_device(name: str) -> str:
    """The device by name; ``auto`` takes a GPU where there is one."""
    if name != "auto":
        return name
    return "cuda" if torch.cuda.is_available() else "cpu"


def seed_everything(seed: int) -> None:
    """Make a run repeatable."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  (torch's data helpers draw from it)
    torch.manual_seed(seed)


@dataclass(frozen=True)
class EpochSettings:
    """What a person chooses of any run by epochs.

    Attributes:
        data: The folder of the pictures' texts: products with styles.csv, or scenes with captions.jsonl.
        vectors: What ``visavis bench embed`` wrote for it.
        out: Where checkpoints, the log and what is trained go.
        epochs: Epochs at most.
        batch: Examples of a step.
        limit: Train on so many pictures; all unless told.
        rate: The learning rate, or the first one where it falls.
        patience: Epochs without improvement before it ends.
        seconds: How long it, or each of its stages, may take.
        seed: Draws everything.
        device: cuda, cpu or auto.
    """

    data: Path
    vectors: Path
    out: Path
    epochs: int = 60
    batch: int = 512
    limit: int | None = None
    rate: float = 3e-4
    patience: int = 5
    seconds: float = float("inf")
    seed: int = 0
    device: str = "auto"


@dataclass
class EpochRun:
    """Trains a model epoch by epoch, and keeps the weights that were best on validation.

    Attributes:
        model: The model.
        optimiser: Its optimiser.
        out: The folder of checkpoints and of the log.
        patience: Epochs without a better validation score before it stops.
        seconds: How long it may take; the epoch that is running is finished.
        report: Is told each epoch's line.
    """

    model: nn.Module
    optimiser: torch.optim.Optimizer
    out: Path
    patience: int = 5
    seconds: float = float("inf")
    report: Report = str
    epoch: int = 0
    best: float = float("-inf")
    waited: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)

    def resume(self) -> bool:
        """Take up the last checkpoint, if there is one."""
        path = self.out / CHECKPOINT
        if not path.is_file():
            return False
        kept = torch.load(path, map_location="cpu", weights_only=False)
        self.model.load_state_dict(kept["model"])
        self.optimiser.load_state_dict(kept["optimiser"])
        self.epoch, self.best, self.waited = kept["epoch"], kept["best"], kept["waited"]
        self.history = kept["history"]
        torch.set_rng_state(kept["random"])
        return True

    def run(self, epochs: int, train: Callable[[int], dict[str, float]], validate: Callable[[], float]) -> None:
        """Train up to a number of epochs in all, early stopping included; then load the best weights.

        The weights to begin with count: a training that only makes them worse changes nothing.

        Args:
            epochs: The number of the last epoch.
            train: Trains one epoch by its number, and returns what to log.
            validate: The score on validation; higher is better.
        """
        self.out.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        if self.epoch == 0 and self.best == float("-inf"):
            self.model.eval()
            with torch.no_grad():
                self._keep(validate())
        while self.epoch < epochs and self.waited < self.patience and time.monotonic() - started < self.seconds:
            begun = time.monotonic()
            self.model.train()
            told = train(self.epoch)
            self.model.eval()
            with torch.no_grad():
                score = validate()
            self.epoch += 1
            self.waited = 0 if score > self.best else self.waited + 1
            if score > self.best:
                self._keep(score)
            row = {"epoch": self.epoch, "validation": round(score, 4), **{k: round(v, 5) for k, v in told.items()}}
            self._note({**row, "seconds": round(time.monotonic() - begun, 1)})
        if (self.out / BEST).is_file():
            self.model.load_state_dict(torch.load(self.out / BEST, map_location="cpu", weights_only=True))
        self.model.eval()

    def _keep(self, score: float) -> None:
        self.best = score
        torch.save(self.model.state_dict(), self.out / BEST)

    def _note(self, row: dict[str, Any]) -> None:
        self.history.append(row)
        with (self.out / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")
        kept = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "epoch": self.epoch,
            "best": self.best,
            "waited": self.waited,
            "history": self.history,
            "random": torch.get_rng_state(),
        }
        draft = self.out / f".{CHECKPOINT}"
        torch.save(kept, draft)
        draft.replace(self.out / CHECKPOINT)
        self.report(json.dumps(row))
