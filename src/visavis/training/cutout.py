"""Train the cut-out decoder on the built-in encoder's patches, and export it.

``python -m visavis.training.cutout --masked M --things T --grounds G --out FOLDER``: see the model card beside the
weights for the data. The encoder stays as it is, so each sample is encoded once; two cores are enough.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
from dataclasses import dataclass
from pathlib import Path

import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

from visavis.encoders import Encoder, load_encoder
from visavis.networks.cutout import CutoutDecoder
from visavis.training.cutout_samples import Samples, draw_hints, draw_samples, jittered, read_sources

SIDE = 192
#: How much the logits of each size count, fine to coarse.
_SHARES = (1.0, 0.5, 0.4, 0.4, 0.4)
_BATCH, _HINTED = 16, 0.4


@dataclass(frozen=True)
class Encoded:
    """Samples and what the encoder sees in them."""

    samples: Samples
    patches: Tensor


def encode_samples(samples: Samples, encoder: Encoder) -> Encoded:
    """Encode each sample once."""
    arrays = (samples.pictures * 255 + 0.5).to(torch.uint8).permute(0, 2, 3, 1).numpy()
    return Encoded(samples, torch.from_numpy(encoder.encode_patches([Image.fromarray(array) for array in arrays])))


def mask_loss(logits: Tensor, masks: Tensor, weights: Tensor) -> Tensor:
    """Cross entropy and intersection over union, both heavier along edges."""
    side = logits.shape[-1]
    if side != masks.shape[-1]:
        masks, weights = (F.interpolate(x, size=(side, side), mode="area") for x in (masks, weights))
    reach = max(3, side // 14 * 2 + 1)
    edges = 1 + 4 * (F.avg_pool2d(masks, reach, 1, reach // 2) - masks).abs()
    counted = edges * weights
    entropy = F.binary_cross_entropy_with_logits(logits, masks, reduction="none")
    entropy = (entropy * counted).sum((1, 2, 3)) / counted.sum((1, 2, 3)).clamp(min=1)
    found = logits.sigmoid()
    both = (found * masks * counted).sum((1, 2, 3))
    either = ((found + masks - found * masks) * counted).sum((1, 2, 3))
    return (entropy + 1 - (both + 1) / (either + 1)).mean()


def train(data: list[Encoded], steps: int, rate: float = 2e-3) -> CutoutDecoder:
    """The decoder after some steps; what is returned is the running mean of its weights.

    Most steps see pictures of half the side: they cost a quarter and teach nearly everything but the last edges.
    """
    model = CutoutDecoder().train()
    mean = copy.deepcopy(model).eval()
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.02)
    for step in range(steps):
        done = step / steps
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 60) * (0.5 + 0.5 * math.cos(math.pi * done)) + 1e-5
        picked = random.choice(data)
        loss = _step_loss(model, picked, SIDE // 2 if done < 0.8 else SIDE)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 3.0)
        optimiser.step()
        _follow(mean, model, min(0.995, (step + 1) / (step + 15)))
    return mean


def _step_loss(model: CutoutDecoder, data: Encoded, side: int) -> Tensor:
    rows = torch.randint(len(data.patches), (_BATCH,))
    known = torch.rand(_BATCH) < _HINTED
    samples = data.samples
    masks = torch.where(known[:, None, None, None], samples.chosen[rows], samples.masks[rows])
    pictures, weights, patches = samples.pictures[rows], samples.weights[rows], data.patches[rows]
    if side != pictures.shape[-1]:
        factor = pictures.shape[-1] // side
        pictures, masks, weights = (F.avg_pool2d(x, factor) for x in (pictures, masks, weights))
    if random.random() < 0.5:
        pictures, masks, weights, patches = pictures.flip(3), masks.flip(3), weights.flip(3), patches.flip(2)
    outputs = model(jittered(pictures, 0.15), patches, draw_hints(masks, known))
    losses = [share * mask_loss(y, masks, weights) for share, y in zip(_SHARES, outputs, strict=True)]
    return torch.stack(losses).sum()


def _follow(mean: CutoutDecoder, model: CutoutDecoder, keep: float) -> None:
    with torch.no_grad():
        for old, new in zip(mean.state_dict().values(), model.state_dict().values(), strict=True):
            if old.dtype.is_floating_point:
                old.lerp_(new, 1 - keep)
            else:
                old.copy_(new)


def export(model: CutoutDecoder, folder: Path, encoder: str) -> None:
    """Write ``cutout.onnx`` and ``cutout.json``, which names the encoder it belongs to."""
    folder.mkdir(parents=True, exist_ok=True)
    example = (torch.zeros(1, 3, SIDE, SIDE), torch.zeros(1, 12, 12, 256), torch.zeros(1, 1, SIDE, SIDE))
    names = ["picture", "patches", "hint"]
    path = folder / "cutout.onnx"
    torch.onnx.export(
        model.eval(), example, str(path), input_names=names, output_names=["logits"], opset_version=17, dynamo=False
    )
    (folder / "cutout.json").write_text(json.dumps({"encoder": encoder}) + "\n", "utf-8")


def main() -> None:
    """Read, encode, train, export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, text in (
        ("masked", "a folder with images/ and masks/"),
        ("things", "a folder of RGBA cut-outs"),
        ("grounds", "a folder of photographs"),
        ("out", "where to write the weights"),
    ):
        parser.add_argument(f"--{name}", type=Path, required=True, help=text)
    parser.add_argument("--samples", type=int, default=7200)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    encoder = load_encoder()
    sources = read_sources(options.masked, options.things, options.grounds)
    parts = [encode_samples(draw_samples(sources, 240, SIDE), encoder) for _ in range(options.samples // 240)]
    export(train(parts, options.steps), options.out, encoder.name)


if __name__ == "__main__":
    main()
