"""From a trained model to the files that ship: two ONNX towers and a description."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import torch
from torch import nn

from visavis.lab.networks.bert import TextTower
from visavis.lab.networks.vit import ImageTower
from visavis.lab.training.encoder import DualEncoder
from visavis.lab.training.quantise import quantise


def export_towers(model: DualEncoder, folder: Path) -> tuple[Path, Path]:
    """Write both towers as fp32 ONNX, batch and text length free."""
    folder.mkdir(parents=True, exist_ok=True)
    image, text = folder / "image.fp32.onnx", folder / "text.fp32.onnx"
    tower = _foldable(model.image)
    pixels = torch.zeros(2, 3, tower.shape.image_size, tower.shape.image_size)
    torch.onnx.export(
        tower,
        (pixels,),
        str(image),
        input_names=["pixels"],
        output_names=["whole", "patches"],
        dynamic_axes={"pixels": {0: "n"}, "whole": {0: "n"}, "patches": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    ids = torch.ones(2, 16, dtype=torch.long)
    free = {0: "n", 1: "length"}
    torch.onnx.export(
        _still(model.text),
        (ids, ids),
        str(text),
        input_names=["input_ids", "attention_mask"],
        output_names=["whole"],
        dynamic_axes={"input_ids": free, "attention_mask": free, "whole": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    return image, text


def ship(
    model: DualEncoder, tokenizer: Path, folder: Path, *, name: str, calibration: dict[str, Any], max_tokens: int = 64
) -> None:
    """Write everything the run-time needs into one folder: towers in int8, tokenizer, description."""
    image, text = export_towers(model, folder)
    quantise(image, folder / "image.onnx", "int8")
    quantise(text, folder / "text.onnx", "int8-rows")
    (folder / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    shape = model.image.shape
    description = {
        "format": 1,
        "name": name,
        "dimension": shape.dimension,
        "image_size": shape.image_size,
        "grid": shape.grid,
        "max_tokens": max_tokens,
        "calibration": calibration,
        "sha256": {
            file: hashlib.sha256((folder / file).read_bytes()).hexdigest()
            for file in ("image.onnx", "text.onnx", "tokenizer.json")
        },
    }
    (folder / "encoder.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


def _still(module: TextTower) -> TextTower:
    return copy.deepcopy(module).float().cpu().eval()


@torch.no_grad()
def _foldable(module: ImageTower) -> ImageTower:
    """The tower with each learned scale multiplied into the matrix before it: one operation less a branch."""
    tower = copy.deepcopy(module).float().cpu().eval()
    for block in tower.blocks:
        for linear, scale in ((block.out, "scale1"), (block.fc2, "scale2")):
            factor = getattr(block, scale)
            linear.weight.mul_(factor[:, None])
            linear.bias.mul_(factor)
            setattr(block, scale, nn.Parameter(torch.ones_like(factor)))
    return tower
