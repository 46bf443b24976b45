"""Train the outline network of the built-in cutter within a time limit, and export it."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from visavis.lab.networks.cutout import OutlineNet
from visavis.lab.training.cutout_samples import Sources, draw_hints, draw_samples

#: Sizes of samples: each holds until this share of the time. The last is the cutter's.
_SIZES = ((0.2, 192), (0.6, 256), (1.0, 320))
#: Loss weights of the mask and of the coarser ones.
_OUTPUTS = (1.0, 0.5, 0.35, 0.3, 0.3)
_HINTED = 0.4
#: Decay of the moving average of the weights.
_KEEP = 0.999


@dataclass(frozen=True)
class OutlineSettings:
    """Settings of a training run.

    Attributes:
        seconds: The time limit.
        batch: Samples a step.
        rate: The highest learning rate.
        sizes: Sizes of samples by share of the time.
        seed: The same seed on the same device draws the same samples.
    """

    seconds: float = 1100.0
    batch: int = 160
    rate: float = 2.5e-3
    sizes: tuple[tuple[float, int], ...] = _SIZES
    seed: int = 0


def train(
    sources: Sources,
    settings: OutlineSettings,
    on_progress: Callable[[str], None] = lambda _: None,
    checks: Mapping[str, Tensor] | None = None,
) -> OutlineNet:
    """Train a network on samples of the sources, on their device; its weights are a moving average.

    Args:
        sources: The sources of samples.
        settings: The settings.
        on_progress: Called with the progress, twenty times.
        checks: Held-out photographs with masks, by name; their IoU is reported.
    """
    torch.manual_seed(settings.seed)
    random.seed(settings.seed)
    device = sources.device
    model = OutlineNet().to(device, memory_format=torch.channels_last).train()
    mean = AveragedModel(model, multi_avg_fn=_follow, use_buffers=True).eval()
    optimiser = _optimiser(model, settings.rate)
    started, step, reported = time.monotonic(), 0, 0.0
    while (at := (time.monotonic() - started) / settings.seconds) < 1:
        rate = settings.rate * min(1.0, step / 150) * (0.5 + 0.5 * math.cos(math.pi * at)) + 1e-5
        for group in optimiser.param_groups:
            group["lr"] = rate
        side = next(size for until, size in settings.sizes if at < until)
        with device:  # samples are drawn on the device of their sources
            loss = _loss(model, sources, settings.batch, side)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 3.0)
        optimiser.step()
        mean.update_parameters(model)
        step += 1
        if at - reported > 0.05:
            reported = at
            on_progress(
                f"{at:4.0%}  step {step}  loss {float(loss.detach()):.3f}  {_checked(mean.module, checks or {})}"
            )
    on_progress(f"100%  step {step}  {_checked(mean.module, checks or {})}")
    trained: OutlineNet = mean.module
    return trained


def structure_loss(logits: Tensor, masks: Tensor, weights: Tensor) -> Tensor:
    """Return cross entropy plus IoU loss, both weighted towards the edges (Wei et al. 2020)."""
    if logits.shape[-1] != masks.shape[-1]:
        masks, weights = (F.interpolate(x, size=logits.shape[-2:], mode="area") for x in (masks, weights))
    side = logits.shape[-1]
    near, at_rim = (_rim(masks, max(1, side // share)) for share in (14, 80))
    weights = (1 + 4 * near + 3 * at_rim) * weights
    entropy = F.binary_cross_entropy_with_logits(logits, masks, reduction="none") * weights
    per_picture = entropy.sum((1, 2, 3)) / weights.sum((1, 2, 3)).clamp(min=1)
    chances = logits.sigmoid()
    both = (chances * masks * weights).sum((1, 2, 3))
    either = ((chances + masks - chances * masks) * weights).sum((1, 2, 3))
    return (per_picture + 1 - (both + 1) / (either + 1)).mean()


def _rim(masks: Tensor, reach: int) -> Tensor:
    """Return the difference of each pixel from the mean around it: 0 away from edges."""
    window = 2 * reach + 1
    mean = F.avg_pool2d(F.avg_pool2d(masks, (window, 1), 1, (reach, 0)), (1, window), 1, (0, reach))
    return (mean - masks).abs()


def export(model: OutlineNet, folder: Path, side: int = 256) -> Path:
    """Write ``outline.onnx`` for pictures of any size, with weights in half precision."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "outline.onnx"
    axes = {2: "height", 3: "width"}
    torch.onnx.export(
        model.cpu().eval(),
        (torch.zeros(1, 3, side, side), torch.zeros(1, 1, side, side)),
        str(path),
        input_names=["picture", "hint"],
        output_names=["logits"],
        dynamic_axes=dict.fromkeys(("picture", "hint", "logits"), axes),
        opset_version=17,
        dynamo=False,
    )
    halve(path)
    return path


def halve(path: Path) -> None:
    """Store the large weights of an ONNX file in 16 bits; they are widened when it is loaded."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 64:
            continue
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}.half"))
        casts.append(helper.make_node("Cast", [f"{tensor.name}.half"], [tensor.name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _optimiser(model: OutlineNet, rate: float) -> torch.optim.AdamW:
    wide = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": wide, "weight_decay": 0.03}, {"params": rest, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, fused=wide[0].is_cuda)


def _loss(model: OutlineNet, sources: Sources, batch: int, side: int) -> Tensor:
    samples = draw_samples(sources, batch, side)
    known = torch.rand(batch, device=samples.masks.device) < _HINTED
    masks = torch.where(known[:, None, None, None], samples.chosen, samples.masks)
    with torch.autocast(masks.device.type, torch.bfloat16, enabled=masks.is_cuda):
        outputs = model(samples.pictures.contiguous(memory_format=torch.channels_last), draw_hints(masks, known))
    losses = [
        share * structure_loss(logits.float(), masks, samples.weights)
        for share, logits in zip(_OUTPUTS, outputs, strict=True)
    ]
    return torch.stack(losses).sum()


def _follow(mean: list[Tensor], model: list[Tensor], count: Tensor | int) -> None:
    """Update a moving average with bias correction for its first steps."""
    steps = int(count)
    get_ema_multi_avg_fn(min(_KEEP, (steps + 1) / (steps + 20)))(mean, model, count)


def _checked(model: OutlineNet, checks: Mapping[str, Tensor]) -> str:
    return "  ".join(
        f"{name} {overlap(model, pictures):.3f} hinted {overlap(model, pictures, hinted=True):.3f}"
        for name, pictures in checks.items()
    )


_BATCH = 50


@torch.no_grad()
def overlap(model: OutlineNet, masked: Tensor, *, hinted: bool = False, side: int = 320) -> float:
    """Return the mean IoU where the masks are certain, with or without a coarse hint; the same hints each time.

    Args:
        model: In evaluation mode.
        masked: Photographs with masks, ``[n, 4, h, w]`` bytes.
        hinted: Whether the network gets a hint.
        side: The input size.
    """
    device = next(model.parameters()).device
    state = random.getstate()
    random.seed(7)
    found: list[Tensor] = []
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(7)
        for part in masked.split(_BATCH):
            seen = F.interpolate(part.to(device).float() / 255, size=(side, side), mode="bilinear")
            with device:
                known = torch.full((len(seen),), hinted)
                hints = draw_hints((seen[:, 3:] > 0.4).float(), known)
            masks = model(seen[:, :3], hints) > 0
            sure = (seen[:, 3:] < 0.25) | (seen[:, 3:] > 0.75)
            true = (seen[:, 3:] > 0.5) & sure
            both, either = (masks & true).sum((1, 2, 3)), ((masks & sure) | true).sum((1, 2, 3))
            found.append(torch.where(either > 0, both / either.clamp(min=1), 1.0))
    random.setstate(state)
    return float(torch.cat(found).mean())
