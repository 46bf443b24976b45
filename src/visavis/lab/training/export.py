"""From a trained model to the files that ship: two ONNX towers and a description."""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from visavis.lab.networks.towers import ImageTower, TextTower, fill, folded, pool_regions
from visavis.lab.training.encoder import DualEncoder
from visavis.lab.training.quantise import quantise


def export_towers(model: DualEncoder, folder: Path) -> tuple[Path, Path]:
    """Write both towers as fp32 ONNX, batch and text length free."""
    folder.mkdir(parents=True, exist_ok=True)
    image, text = folder / "image.fp32.onnx", folder / "text.fp32.onnx"
    tower = folded(model.image)
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


FILES = ("image.onnx", "text.onnx", "words.npy", "tokenizer.json")
MAX_TOKENS = 128


class _Seeing(nn.Module):
    """Pixels in; the whole, the patches, and the regions of two by two patches out."""

    def __init__(self, tower: ImageTower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        whole, patches = self.tower(pixels)
        return whole, patches, pool_regions(patches)


class _Reading(nn.Module):
    """Vectors of the word table and their mask in; the whole and the tokens in their sentence out."""

    def __init__(self, tower: TextTower) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, vectors: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        return self.tower.read(vectors, attention_mask)


def load_pieces(pieces: Path, start: Path) -> tuple[ImageTower, TextTower, float]:
    """The towers out of the pieces of a run and the start it had, and the scale of its cosines."""
    parts = sorted(pieces.glob("slow.pt.*"), key=lambda part: int(part.suffix[1:]))
    whole = pieces / "slow.pt"
    whole.write_bytes(b"".join(part.read_bytes() for part in parts))
    state = {name: value.float() for name, value in torch.load(whole, weights_only=True).items()}
    packed = torch.load(start, weights_only=True)
    image, text = ImageTower(), TextTower()
    fill(text, packed["text"])  # its word table stays
    image.load_state_dict({k.removeprefix("image."): v for k, v in state.items() if k.startswith("image.")})
    kept = {k.removeprefix("text."): v for k, v in state.items() if k.startswith("text.")}
    missing = text.load_state_dict(kept, strict=False)
    assert missing.missing_keys == ["words.weight"], missing
    assert not missing.unexpected_keys, missing
    return image.eval(), text.eval(), float(state["log_scale"].exp())


def word_table(packed: dict[str, Tensor]) -> np.ndarray:
    """``int8 [words, width + 4]``: each row's bytes, then its scale as the four bytes of a float32."""
    table, scale = packed["words.weight.bytes"].numpy(), packed["words.weight.scale"].numpy().astype("<f4")
    return np.concatenate([table, scale[:, None].view(np.int8)], axis=1)


def export(pieces: Path, start: Path, tokenizer: Path, out: Path, name: str) -> None:
    """Write the folder that ``BuiltinEncoder`` reads, out of the pieces of a run."""
    out.mkdir(parents=True, exist_ok=True)
    image, text, scale = load_pieces(pieces, start)
    np.save(out / "words.npy", word_table(torch.load(start, weights_only=True)["text"]))
    (out / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    _write(image, text, out, name, scale)


def export_towers_of(image: ImageTower, text: TextTower, start: Path, out: Path, name: str) -> None:
    """Write the same folder for towers that share the word table and the tokenizer of ``start``, a shipped folder."""
    out.mkdir(parents=True, exist_ok=True)
    for file in ("words.npy", "tokenizer.json"):
        (out / file).write_bytes((start / file).read_bytes())
    described = json.loads((start / "encoder.json").read_text(encoding="utf-8"))
    _write(image, text, out, name, described["calibration"]["scale"])


def _write(image: ImageTower, text: TextTower, out: Path, name: str, scale: float) -> None:
    _to_onnx(image, _still(text), out)
    quantise(out / "image.fp32.onnx", out / "image.onnx", "int8")
    quantise(out / "text.fp32.onnx", out / "text.onnx", "int8-rows")
    description = {
        "format": 2,
        "name": name,
        "dimension": image.shape.dimension,
        "image_size": image.shape.image_size,
        "grid": image.shape.grid,
        "max_tokens": MAX_TOKENS,
        "calibration": {"scale": round(scale, 3)},
        "sha256": {file: hashlib.sha256((out / file).read_bytes()).hexdigest() for file in FILES},
    }
    (out / "encoder.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


def _to_onnx(image: ImageTower, text: TextTower, out: Path) -> None:
    side, width = image.shape.image_size, text.shape.width
    torch.onnx.export(
        _Seeing(folded(image)),
        (torch.zeros(2, 3, side, side),),
        str(out / "image.fp32.onnx"),
        input_names=["pixels"],
        output_names=["whole", "patches", "regions"],
        dynamic_axes={name: {0: "n"} for name in ("pixels", "whole", "patches", "regions")},
        opset_version=17,
        dynamo=False,
    )
    free = {0: "n", 1: "length"}
    torch.onnx.export(
        _Reading(text),
        (torch.zeros(2, 16, width), torch.ones(2, 16, dtype=torch.long)),
        str(out / "text.fp32.onnx"),
        input_names=["vectors", "attention_mask"],
        output_names=["whole", "tokens"],
        dynamic_axes={"vectors": free, "attention_mask": free, "tokens": free, "whole": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pieces", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", default="visavis-builtin-3")
    given = parser.parse_args()
    export(given.pieces, given.start, given.tokenizer, given.out, given.name)
