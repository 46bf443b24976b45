"""The shipped int8 towers back as torch weights, so that a later training starts where the last one ended.

Matrices are kept as bytes and one scale for each output channel until they are loaded, so that the start of a run is
as small as the shipped files. The word table comes back exactly; everything else within the rounding of int8.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from visavis.lab.networks.towers import ImageTower, TextTower

#: What the learned scale of a branch is chosen for when it is taken out of the matrix again: a usual size of weights.
_USUAL = 0.03

Start = dict[str, dict[str, Tensor]]


def read_shipped(folder: Path) -> Start:
    """The weights of both towers by their names in torch, matrices as ``NAME.bytes`` and ``NAME.scale``."""
    start = {"image": _read(folder / "image.onnx"), "text": _read(folder / "text.onnx")}
    if (folder / "words.npy").is_file():  # since format 2
        rows = torch.from_numpy(np.load(folder / "words.npy"))
        start["text"]["words.weight.bytes"] = rows[:, :-4].contiguous()
        start["text"]["words.weight.scale"] = rows[:, -4:].contiguous().view(torch.float32).flatten()
    return start


def fill(tower: ImageTower | TextTower, packed: dict[str, Tensor]) -> None:
    """Fill a tower with weights of ``read_shipped``."""
    state = {name: value for name, value in packed.items() if not name.endswith((".bytes", ".scale"))}
    for name in packed:
        if name.endswith(".bytes"):
            name = name.removesuffix(".bytes")
            state[name] = packed[f"{name}.bytes"].float() * packed[f"{name}.scale"].float()[:, None]
    if isinstance(tower, ImageTower):
        _unfold(state, tower.shape.layers)
        state["position"] = state["position"].reshape(tower.position.shape)
    missing = tower.load_state_dict(state, strict=False)
    assert not missing.missing_keys, missing.missing_keys
    assert not missing.unexpected_keys, missing.unexpected_keys


@torch.no_grad()
def folded(module: ImageTower) -> ImageTower:
    """The tower with each learned scale multiplied into the matrix before it: one operation less a branch."""
    tower = copy.deepcopy(module).float().cpu().eval()
    for block in tower.blocks:
        for linear, scale in ((block.out, "scale1"), (block.fc2, "scale2")):
            factor = getattr(block, scale)
            linear.weight.mul_(factor[:, None])
            linear.bias.mul_(factor)
            setattr(block, scale, nn.Parameter(torch.ones_like(factor)))
    return tower


def write_towers(path: Path, image: ImageTower, text: TextTower) -> None:
    """Both towers in half precision in one file, as ``fill`` reads them."""
    states = {"image": folded(image).state_dict(), "text": text.state_dict()}
    torch.save({name: {k: v.half().cpu() for k, v in state.items()} for name, state in states.items()}, path)


def read_towers(path: Path) -> Start:
    """The weights of both towers out of a file of ``write_towers``, or out of a folder of the shipped form."""
    if path.is_dir():
        return read_shipped(path)
    states = torch.load(path, map_location="cpu", weights_only=True)
    return {name: {k: _full(v) for k, v in state.items()} for name, state in states.items()}


def _full(value: Tensor) -> Tensor:
    return value.float() if value.is_floating_point() else value


def _unfold(state: dict[str, Tensor], layers: int) -> None:
    """Take a scale out of the last matrix of each branch (the export multiplied it in): steps then fit again."""
    for layer in range(layers):
        for matrix, scale in (("out", "scale1"), ("fc2", "scale2")):
            name = f"blocks.{layer}.{matrix}"
            factor = (state[f"{name}.weight"].square().mean(dim=1).sqrt() / _USUAL).clamp(min=1e-3)
            state[f"{name}.weight"] = state[f"{name}.weight"] / factor[:, None]
            state[f"{name}.bias"] = state[f"{name}.bias"] / factor
            state[f"blocks.{layer}.{scale}"] = factor


def _read(path: Path) -> dict[str, Tensor]:
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    raw = {t.name.removeprefix("tower."): torch.from_numpy(numpy_helper.to_array(t).copy()) for t in graph.initializer}
    # Biases, norms and positions kept their names; scales of branches are ones after the export.
    out = {name: value for name, value in raw.items() if _kept(name)}
    for node in graph.node:
        if node.op_type in ("MatMulInteger", "MatMulIntegerToFloat"):
            name = re.sub(r"/MatMul.*$", "", node.name).strip("/").replace("/", ".").removeprefix("tower.")
            out[f"{name}.weight.bytes"] = raw[node.input[1]].T.contiguous()
            out[f"{name}.weight.scale"] = raw[_scale_name(node)].float()
    for table in ("words", "positions"):
        for key, value in raw.items():
            if key.startswith(f"{table}.weight"):
                kind = "bytes" if value.dtype == torch.int8 else "scale"
                out[f"{table}.weight.{kind}"] = value if kind == "bytes" else value.float().flatten()
    return out


def _kept(name: str) -> bool:
    plain = name in ("cls", "position") or name.startswith("project.")
    return plain or (name.endswith((".bias", ".weight")) and not name.startswith(("words", "positions", "onnx::")))


def _scale_name(node: Any) -> str:
    if node.op_type == "MatMulIntegerToFloat":
        return str(node.input[3])
    return str(node.input[1]).removesuffix("_quantized") + "_scale"
