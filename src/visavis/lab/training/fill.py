"""Train the fill network within a time limit, and export it.

``python -m visavis.lab.training.fill --pack PACK --out FOLDER``: a pack of photographs (:mod:`.packs`), the pictures of
its split ``val`` held out for the figures. A run that was stopped goes on from its checkpoint.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from visavis.lab.networks.fill import FillNet, Judge
from visavis.lab.training.fill_losses import Likeness, colour_loss
from visavis.lab.training.fill_samples import draw_holes, draw_parts
from visavis.lab.training.packs import Pack

#: The judge has a say from this share of the time on, and all of it from the second.
_JUDGED = (0.1, 0.25)
#: Weights of what is compared: likeness, the judge's opinion, and the judge's features.
_LIKENESS, _OPINION, _FEATURES = 0.3, 0.1, 1.0
#: Decay of the moving average of the weights.
_KEEP = 0.999
#: Held-out pictures whose figures are taken, and how much coarser the plan is that they are taken of, too.
_CHECKED, _COARSE = 256, 8


@dataclass(frozen=True)
class FillSettings:
    """Settings of a training run.

    Attributes:
        seconds: The time limit of the whole run, what ran before the checkpoint included.
        batch: Samples a step.
        side: Their side.
        rate: The highest learning rate.
        seed: The same seed on the same device draws the same samples.
        save_every: Seconds between checkpoints.
    """

    seconds: float = 480.0
    batch: int = 96
    side: int = 192
    rate: float = 2e-3
    seed: int = 0
    save_every: float = 60.0


class FillTrainer:
    """A network, its judge, and all that a run needs to go on."""

    def __init__(self, photos: Tensor, settings: FillSettings, checkpoint: Path | None = None) -> None:
        torch.manual_seed(settings.seed)
        self.photos, self.settings, self.checkpoint = photos, settings, checkpoint
        self.device = photos.device
        self.network = FillNet().to(self.device, memory_format=torch.channels_last).train()
        self.mean = AveragedModel(self.network, multi_avg_fn=_follow, use_buffers=True).eval()
        self.judge = Judge().to(self.device, memory_format=torch.channels_last).train()
        self.likeness = Likeness().to(self.device, memory_format=torch.channels_last)
        fused = self.device.type == "cuda"
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=1e-5, weight_decay=0.01, fused=fused)
        self.judges = torch.optim.Adam(self.judge.parameters(), lr=2e-4, betas=(0.0, 0.99), fused=fused)
        self.spent, self.step = 0.0, 0
        if checkpoint and checkpoint.is_file():
            self._resume(torch.load(checkpoint, map_location=self.device, weights_only=True))

    def run(self, on_progress: Callable[[str], None] = lambda _: None) -> FillNet:
        """Train until the time is over; the weights are a moving average."""
        begun, before = time.monotonic(), self.spent
        reported, saved = self.spent, self.spent
        while self.spent < self.settings.seconds:
            told = self._learn(self.spent / self.settings.seconds)
            self.step += 1
            self.spent = before + time.monotonic() - begun
            if self.spent - reported > self.settings.seconds / 20:
                reported = self.spent
                shown = "  ".join(f"{name} {float(value):.3f}" for name, value in told.items())
                on_progress(f"{self.spent / self.settings.seconds:4.0%}  step {self.step}  {shown}")
            if self.spent - saved > self.settings.save_every:
                saved = self.spent
                self.save()
        self.save()
        trained: FillNet = self.mean.module
        return trained

    def _learn(self, at: float) -> dict[str, Tensor]:
        """One step."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.rate * min(1.0, self.step / 200) * (0.5 + 0.5 * math.cos(math.pi * at)) + 1e-5
        true = draw_parts(self.photos, self.settings.batch, self.settings.side)
        hole = draw_holes(self.settings.batch, self.settings.side, self.device)
        true = true.contiguous(memory_format=torch.channels_last)
        say = min(1.0, max(0.0, (at - _JUDGED[0]) / (_JUDGED[1] - _JUDGED[0])))
        told: dict[str, Tensor] = {}
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            made = self.network(true, hole)
            filled = true + (made.float() - true) * hole
            alike = self.likeness(filled, true) / hole.mean()
        told["colours"] = colour_loss(made.float(), true, hole)
        told["likeness"] = alike.float()
        loss = told["colours"] + _LIKENESS * told["likeness"]
        if say > 0:
            told["judge"] = self._judge(filled.detach(), true, hole)
            opinion, same = self._opinion(filled, true, hole)
            loss = loss + say * (_OPINION * opinion + _FEATURES * same)
            told |= {"opinion": opinion, "features": same}
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 2.0)
        self.optimiser.step()
        self.mean.update_parameters(self.network)
        return {name: value.detach() for name, value in told.items()}

    def _judge(self, filled: Tensor, true: Tensor, hole: Tensor) -> Tensor:
        """One step of the judge, who must find the places that were filled."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            made, real = self.judge(filled, hole)[0].float(), self.judge(true, hole)[0].float()
        inside = F.interpolate(hole, size=made.shape[-2:], mode="area")
        wrong = (F.relu(1 + made) * inside).sum() / inside.sum() + (F.relu(1 - real) * inside).sum() / inside.sum()
        self.judges.zero_grad(set_to_none=True)
        wrong.backward()
        self.judges.step()
        return wrong

    def _opinion(self, filled: Tensor, true: Tensor, hole: Tensor) -> tuple[Tensor, Tensor]:
        """How far the judge is not deceived, and how far what it sees differs from what was there."""
        self.judge.requires_grad_(False)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            made, seen = self.judge(filled, hole)
            with torch.no_grad():
                expected = self.judge(true, hole)[1]
        self.judge.requires_grad_(True)
        inside = F.interpolate(hole, size=made.shape[-2:], mode="area")
        apart = torch.stack(
            [
                (one - other).abs().float().mean() / other.abs().float().mean()
                for one, other in zip(seen, expected, strict=True)
            ]
        )
        return -(made.float() * inside).sum() / inside.sum(), apart.mean() / hole.mean()

    def save(self) -> None:
        """Write the checkpoint, where there is one."""
        if self.checkpoint is None:
            return
        self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
        part = self.checkpoint.with_suffix(".part")
        torch.save(
            {name: getattr(self, name).state_dict() for name in _PARTS} | {"spent": self.spent, "step": self.step}, part
        )
        part.replace(self.checkpoint)

    def _resume(self, saved: dict[str, Any]) -> None:
        for name in _PARTS:
            getattr(self, name).load_state_dict(saved[name])
        self.spent, self.step = saved["spent"], saved["step"]


_PARTS = ("network", "mean", "judge", "optimiser", "judges")


def _follow(mean: list[Tensor], model: list[Tensor], count: Tensor | int) -> None:
    """Update a moving average with bias correction for its first steps."""
    steps = int(count)
    get_ema_multi_avg_fn(min(_KEEP, (steps + 1) / (steps + 20)))(mean, model, count)


@torch.no_grad()
def measure(network: FillNet, photos: Tensor, side: int = 256) -> dict[str, float]:
    """PSNR in holes of held-out photographs, always the same: of the picture, and eight times as coarse."""
    device = next(network.parameters()).device
    errors = []
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(7)
        for part in photos[:_CHECKED].split(32):
            true = F.interpolate(part.to(device).float() / 255, size=(side, side), mode="bilinear")
            hole = draw_holes(len(true), side, device)
            apart = (network.eval()(true, hole) - true) * hole
            share = F.avg_pool2d(hole, _COARSE)
            coarse = F.avg_pool2d(apart, _COARSE) / share.clamp(min=1e-3)
            whole = (share > 0.99).float()
            errors.append(torch.stack([_mean(apart**2, hole), _mean(coarse**2, whole)], 1))
    fine, plan = (-10 * torch.cat(errors).clamp(min=1e-5).log10()).mean(0).tolist()
    return {"psnr": round(fine, 2), "psnr_plan": round(plan, 2)}


def _mean(values: Tensor, where: Tensor) -> Tensor:
    return (values * where).sum((1, 2, 3)) / (3 * where.sum((1, 2, 3)).clamp(min=1))


def export(network: FillNet, path: Path, side: int = 192) -> Path:
    """Write the network as ONNX for pictures of any size, its large weights as bytes with a scale each channel."""
    path.parent.mkdir(parents=True, exist_ok=True)
    axes = {2: "height", 3: "width"}
    torch.onnx.export(
        network.cpu().eval(),
        (torch.zeros(1, 3, side, side), torch.zeros(1, 1, side, side)),
        str(path),
        input_names=["picture", "hole"],
        output_names=["filled"],
        dynamic_axes=dict.fromkeys(("picture", "hole", "filled"), axes),
        opset_version=17,
        dynamo=False,
    )
    store_as_bytes(path)
    return path


def store_as_bytes(path: Path) -> None:
    """Store the large weights of an ONNX file in 8 bits; they are widened when it is loaded."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    graph = model.graph
    before = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim < 2 or values.size < 1024:
            continue
        scale = np.abs(values).max(axis=tuple(range(1, values.ndim)), keepdims=True) / 127 + 1e-12
        graph.initializer.remove(tensor)
        names = [f"{tensor.name}.{part}" for part in ("bytes", "scale", "wide")]
        graph.initializer.append(numpy_helper.from_array(np.round(values / scale).astype(np.int8), names[0]))
        graph.initializer.append(numpy_helper.from_array(scale.astype(np.float32), names[1]))
        before.append(helper.make_node("Cast", [names[0]], [names[2]], to=TensorProto.FLOAT))
        before.append(helper.make_node("Mul", [names[2], names[1]], [tensor.name]))
    nodes = [*before, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def run(
    pack: Path, out: Path, settings: FillSettings, *, device: str = "auto", checkpoint: Path | None = None,
    limit: int | None = None, on_progress: Callable[[str], None] = print,
) -> dict[str, float]:  # fmt: skip
    """Read a pack, train on it, write ``fill.onnx`` and ``fill.json``, and return the figures."""
    where = torch.device(device if device != "auto" else "cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True
    read = Pack(pack)
    photos = {}
    for split in ("train", "val"):
        chosen = [number for number, sample in enumerate(read.samples) if sample.split == split][:limit]
        photos[split] = torch.from_numpy(read.pixels(chosen, settings.side, os.cpu_count() or 2)).to(where)
    on_progress(f"{len(photos['train'])} photographs to learn from, {len(photos['val'])} held out, on {where}")
    trainer = FillTrainer(photos["train"], settings, checkpoint or out / "fill.pt")
    network = trainer.run(on_progress)
    figures = {"steps": float(trainer.step), "seconds": round(trainer.spent, 1)} | measure(network, photos["val"])
    export(network, out / "fill.onnx")
    (out / "fill.json").write_text(json.dumps(figures) + "\n", "utf-8")
    on_progress(json.dumps(figures))
    return figures


def main() -> None:
    """Train where only torch and the pack are at hand."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=FillSettings.seconds)
    parser.add_argument("--batch", type=int, default=FillSettings.batch)
    parser.add_argument("--side", type=int, default=FillSettings.side)
    parser.add_argument("--limit", type=int, help="so many photographs")
    parser.add_argument("--seed", type=int, default=FillSettings.seed)
    parser.add_argument("--checkpoint", type=Path, help="elsewhere than in --out")
    given = parser.parse_args()
    settings = FillSettings(given.seconds, given.batch, given.side, seed=given.seed)
    run(given.pack, given.out, settings, checkpoint=given.checkpoint, limit=given.limit)


if __name__ == "__main__":
    main()
