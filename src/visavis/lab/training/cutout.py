"""Train the cut-out head on the built-in encoder's patches, and export it.

``python -m visavis.lab.training.cutout --masked M --things T --grounds G --out FOLDER``: see the model card beside the
weights for the data. The encoder is frozen, so each sample is encoded once; two cores are enough.
"""

from __future__ import annotations

import argparse
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
from visavis.lab.networks.cutout import CutoutHead
from visavis.lab.training.cutout_samples import Samples, draw_hints, draw_samples, read_sources

SIDE = 192
_BATCH, _HINTED = 64, 0.4


@dataclass(frozen=True)
class EncodedSample:
    """Patch features of samples, and their masks on the encoder's grid.

    Attributes:
        patches: ``[n, g, g, d]``.
        masks: The foreground's share of each patch, ``[n, 1, g, g]``.
        weights: The labelled share of each patch, likewise.
        chosen: The share of each patch that the hinted object covers, likewise.
    """

    patches: Tensor
    masks: Tensor
    weights: Tensor
    chosen: Tensor


def encode_samples(samples: Samples, encoder: Encoder) -> EncodedSample:
    """Encode each sample once and reduce its masks to the encoder's grid."""
    arrays = (samples.pictures * 255 + 0.5).to(torch.uint8).permute(0, 2, 3, 1).numpy()
    patches = torch.from_numpy(encoder.encode_patches([Image.fromarray(array) for array in arrays]))
    grid = patches.shape[1]
    masks, weights, chosen = (F.adaptive_avg_pool2d(x, grid) for x in (samples.masks, samples.weights, samples.chosen))
    return EncodedSample(patches, masks, weights, chosen)


def train(data: list[EncodedSample], steps: int, rate: float = 2e-3) -> CutoutHead:
    """Train the head for some steps on the encoder's grid; half of the batches are mirrored."""
    model = CutoutHead(data[0].patches.shape[-1]).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.02)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = (
                rate * min(1.0, 7 * (step + 1) / steps) * (0.5 + 0.5 * math.cos(math.pi * step / steps)) + 1e-5
            )
        loss = _loss(model, random.choice(data))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    return model.eval()


def _loss(model: CutoutHead, data: EncodedSample) -> Tensor:
    rows = torch.randint(len(data.patches), (_BATCH,))
    known = torch.rand(_BATCH) < _HINTED
    masks = torch.where(known[:, None, None, None], data.chosen[rows], data.masks[rows])
    patches, weights = data.patches[rows], data.weights[rows]
    if random.random() < 0.5:
        patches, masks, weights = patches.flip(2), masks.flip(3), weights.flip(3)
    logits = model(patches, draw_hints(masks, known))
    return (F.binary_cross_entropy_with_logits(logits, masks, reduction="none") * weights).mean()


def export(model: CutoutHead, folder: Path, encoder: str, grid: int = 12) -> None:
    """Write ``cutout.onnx`` and ``cutout.json``, which names its encoder."""
    folder.mkdir(parents=True, exist_ok=True)
    knowledge = model.know[0].in_channels - 1
    torch.onnx.export(
        model.eval(),
        (torch.zeros(1, grid, grid, knowledge), torch.zeros(1, 1, grid, grid)),
        str(folder / "cutout.onnx"),
        input_names=["patches", "hint"],
        output_names=["logits"],
        opset_version=17,
        dynamo=False,
    )
    (folder / "cutout.json").write_text(json.dumps({"encoder": encoder}) + "\n", "utf-8")


def main() -> None:
    """Read, encode, train, export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--masked", type=Path, action="append", required=True, help="a folder with images/ and masks/")
    for name, text in (
        ("things", "a folder of RGBA cut-outs"),
        ("grounds", "a folder of photographs"),
        ("out", "where to write the weights"),
    ):
        parser.add_argument(f"--{name}", type=Path, required=True, help=text)
    parser.add_argument("--drawn", type=int, default=500, help="how many garments to draw beside the things")
    parser.add_argument("--samples", type=int, default=7200)
    parser.add_argument("--steps", type=int, default=430)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    encoder = load_encoder()
    sources = read_sources(options.masked, options.things, options.grounds, options.drawn, side=SIDE)
    parts = [encode_samples(draw_samples(sources, 240, SIDE), encoder) for _ in range(options.samples // 240)]
    export(train(parts, options.steps), options.out, encoder.name)


if __name__ == "__main__":
    main()
