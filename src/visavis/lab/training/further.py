"""Train the shipped towers further: on everything that is said of pictures, and on what is there and what is not.

Beside captions against pictures this teaches presence: each thing, pair of things and noun chunk against the best
regions of each picture, with a yes or no. The run fits itself into the seconds it is given, takes up packs of pictures
as they arrive, and goes on from its last checkpoint when it was stopped.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import time
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from visavis.files import replacing
from visavis.lab.networks.towers import fill
from visavis.lab.training import scene_texts
from visavis.lab.training.further_losses import FurtherLosses, FurtherPlan, Towers
from visavis.lab.training.library import Elder, Library
from visavis.lab.training.quantise import round_as_int8
from visavis.lab.training.tower_optimiser import tower_optimiser

#: The parameters that turn a fit into a yes or no.
_YES_NO = ("bias", "biases", "slopes")


class FurtherTraining:
    """One run."""

    def __init__(self, work: Path, plan: FurtherPlan, device: str, *, room: int) -> None:
        torch.manual_seed(plan.seed)
        self.work, self.plan, self.device = work, plan, torch.device(device)
        tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        texts = scene_texts.read(work / "texts.json.gz")
        self.library = Library(work / "packs", texts, tokenizer, device, 168, room)
        self.model = Towers(plan, len(self.library.classes))
        start = torch.load(work / "start.pt", weights_only=True)
        fill(self.model.image, start["image"])
        fill(self.model.text, start["text"])
        self.model.text.words.requires_grad_(False)
        if plan.int8:
            round_as_int8(self.model.image)
        self.model.to(self.device)
        self.slow = copy.deepcopy(self.model).requires_grad_(False).eval()
        self._fast = [p for p in self.model.parameters() if p.requires_grad]
        self._slow = [
            p
            for (_, p), q in zip(self.slow.named_parameters(), self.model.parameters(), strict=True)
            if q.requires_grad
        ]
        own = dict.fromkeys(_YES_NO, plan.yes_no_rate)
        self.optimiser = tower_optimiser(self.model, self.model.image.shape.layers, plan, own)
        self.step, self.spent, self.progress = 0, 0.0, 0.0
        self._best_names = 0.0
        self._elder = self._read_elder(start["text"]) if (work / "elder.pt").is_file() else None
        self._losses = FurtherLosses(self.model, self.slow, self.library, plan, self.device, self._elder)

    def _read_elder(self, words: dict[str, Tensor]) -> Elder:
        """An earlier encoder, which shares the word table."""
        packed = torch.load(self.work / "elder.pt", weights_only=True)
        table = {name: value for name, value in words.items() if name.startswith("words.")}
        return Elder(packed["image"], table | packed["text"], float(packed["scale"]["scale"]), self.library)

    @property
    def holding(self) -> bool:
        """Whether only what turns a fit into a yes or no learns from yes and no, not the towers."""
        return self.step < self.plan.hold

    def compile(self) -> None:
        """Compile one layer of each tower (all share it)."""
        import torch._dynamo

        for limit in ("cache_size_limit", "recompile_limit"):
            if hasattr(torch._dynamo.config, limit):
                setattr(torch._dynamo.config, limit, 64)
        torch._dynamo.config.suppress_errors = True  # what cannot be compiled runs as it is
        for towers in (self.model, self.slow):
            for layer in (*towers.image.blocks, *towers.text.layers):
                layer.compile(dynamic=False)

    def rate(self) -> float:
        """The factor on every learning rate: a rise over the first steps, and half a cosine over the whole run."""
        rise = min(1.0, (self.step + 1) / self.plan.warmup)
        return rise * (0.5 * (1 + math.cos(math.pi * min(1.0, self.progress))) + 1e-3)

    def train_step(self) -> dict[str, Tensor]:
        """One step; returns the losses on the device."""
        for group in self.optimiser.param_groups:
            group["lr"] = group["base"] * self.rate()
            if self.holding and group["base"] == self.plan.yes_no_rate:
                group["lr"] = self.plan.hold_rate
        self.model.train()
        losses = self._losses(holding=self.holding)
        total = torch.stack([*losses.values()]).sum()
        total.backward()
        nn.utils.clip_grad_norm_(self._fast, 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        keep = min(self.plan.average, 1 - 1 / (2 + self.step / 4))
        torch._foreach_mul_(self._slow, keep)
        torch._foreach_add_(self._slow, [p.detach() for p in self._fast], alpha=1 - keep)
        self.step += 1
        return {name: loss.detach() for name, loss in losses.items()}

    def save(self) -> None:
        """A checkpoint to go on from, written whole or not at all."""
        state = {
            "step": self.step,
            "spent": self.spent,
            "model": self.model.state_dict(),
            "slow": self.slow.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }
        with replacing(self.work / "checkpoint.pt", durable=True) as file:
            torch.save(state, file)

    def resume(self) -> bool:
        """Go on from the last checkpoint, where there is one."""
        if not (self.work / "checkpoint.pt").is_file():
            return False
        state = torch.load(self.work / "checkpoint.pt", map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.slow.load_state_dict(state["slow"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.spent = state["step"], state["spent"]
        return True

    def write_pieces(self, size: int = 15 * 2**20) -> None:
        """The slow copy in half precision, without the word table, in files small enough to be moved."""
        for name, towers in (("last", self.model), ("slow", self.slow)):
            self._write_half(name, towers)
        data = (self.work / "slow.pt").read_bytes()
        folder = self.work / "pieces"
        folder.mkdir(exist_ok=True)
        for number, at in enumerate(range(0, len(data), size)):
            (folder / f"slow.pt.{number}").write_bytes(data[at : at + size])

    def _write_half(self, name: str, towers: Towers) -> None:
        state = {k: v.half().cpu() for k, v in towers.state_dict().items() if not k.startswith("text.words")}
        with replacing(self.work / f"{name}.pt") as file:
            torch.save(state, file)

    def run(
        self,
        *,
        seconds: float,
        steps: int | None,
        stop_after: float,
        every: float,
        check: float,
        least: int,
        packs: int,
    ) -> None:
        """Train until the time is used up; ``seconds`` may be changed on the way by a file of that name."""
        began = saved = checked = time.monotonic()
        while not self._ready(least, packs):
            if time.monotonic() - began > 900:
                raise TimeoutError("Too few pictures with captions have come.")
            time.sleep(1)
        base, begin = self.spent, time.monotonic()
        last, last_step = begin, self.step
        with (self.work / "log.jsonl").open("a", encoding="utf-8") as log:
            if self.step == 0:
                self._report(log)
            while True:
                if self.step % 20 == 0:
                    self._arrivals()
                    if (self.work / "seconds").is_file():
                        seconds = float((self.work / "seconds").read_text())
                self.spent = base + time.monotonic() - begin
                self.progress = self.step / steps if steps else self.spent / seconds
                if self.progress >= 1 or time.monotonic() - began > stop_after:
                    break
                losses = self.train_step()
                now = time.monotonic()
                if self.step % 50 == 0 or self.step in (1, 10):
                    row = {name: round(float(loss), 4) for name, loss in losses.items()}
                    now = time.monotonic()
                    head = {
                        "step": self.step,
                        "spent": round(self.spent, 1),
                        "progress": round(self.progress, 4),
                        "steps/s": round((self.step - last_step) / max(now - last, 1e-9), 2),
                        "pictures": self.library.count,
                        "scale": round(float(self.model.scale.detach()), 2),
                    }
                    print(json.dumps(head | row), flush=True)
                    log.write(json.dumps(head | row) + "\n")
                    log.flush()
                    last, last_step = now, self.step
                if now - saved > every:
                    self.save()
                    self.write_pieces()
                    saved = time.monotonic()
                if now - checked > check:
                    self._report(log)
                    checked = time.monotonic()
            self.save()
            self.write_pieces()
            self._report(log)
        if self.progress >= 1:
            (self.work / "done").write_text(f"{self.step}\n")

    def _ready(self, least: int, packs: int) -> bool:
        self._arrivals()
        pools = self.library.pools
        return bool(pools) and len(pools["scenes"]) >= least and self.library.packs >= packs

    def _arrivals(self) -> None:
        names = self.library.look()
        for name in names:
            print(f"pack {name}: {self.library.count} pictures", flush=True)
        if names and self._elder:
            self._elder.look()

    def _report(self, log: Any) -> None:
        from visavis.lab.training.checks import check

        started = time.monotonic()
        rows = {"step": self.step, "slow": check(self.slow, self.library, self.device)}
        right = rows["slow"].get("held", {}).get("top1", 0.0)
        if self.step and right > self._best_names:  # names are learned first and may be lost again
            self._best_names = right
            self._write_half("names", self.slow)
        if self.progress >= 1:
            rows["last"] = check(self.model, self.library, self.device)
        rows["check_seconds"] = round(time.monotonic() - started, 1)
        print(json.dumps(rows), flush=True)
        log.write(json.dumps(rows) + "\n")


def main() -> None:
    """Run from a folder with ``start.pt``, ``texts.json.gz``, ``tokenizer.json`` and ``packs/``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seconds", type=float, default=1200, help="training time of the whole run")
    parser.add_argument("--steps", type=int, help="a fixed number of steps instead")
    parser.add_argument("--stop-after", type=float, default=1e9, help="end this process after so many seconds")
    parser.add_argument("--every", type=float, default=150, help="seconds between checkpoints")
    parser.add_argument("--check", type=float, default=300, help="seconds between checks")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--room", type=int, default=235_000, help="pictures at most")
    parser.add_argument("--least", type=int, default=20_000, help="pictures with captions to wait for")
    parser.add_argument("--packs", type=int, default=1, help="packs to wait for")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual batch sizes")
    parser.add_argument("--broad", action="store_true", help="the plan with more names and titles")
    parser.add_argument("--no-compile", action="store_true")
    given = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    plan = FurtherPlan.broad() if given.broad else FurtherPlan()
    plan = plan if given.share == 1 else plan.smaller(given.share)
    run = FurtherTraining(given.work, plan, given.device, room=given.room)
    print(f"ready; went on from a checkpoint: {run.resume()}", flush=True)
    if given.device == "cuda" and not given.no_compile:
        run.compile()
    run.run(
        seconds=given.seconds,
        steps=given.steps,
        stop_after=given.stop_after,
        every=given.every,
        check=given.check,
        least=given.least,
        packs=given.packs,
    )


if __name__ == "__main__":
    main()
