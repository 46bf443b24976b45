"""From a trained command network to the folder that the learned parser reads."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from visavis.language.learned import DESCRIPTION, FORMAT, READER, VECTORS, WRITER
from visavis.networks.caise import MARKS, CommandNetwork, CommandShape
from visavis.training.quantise import quantise

#: Beside the files for running: what training can go on from.
STATE = "network.pt"


class _Reader(nn.Module):
    def __init__(self, network: CommandNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, vectors: Tensor, kinds: Tensor) -> Tensor:
        return self.network.read(vectors, kinds, torch.ones_like(kinds, dtype=torch.bool))


class _Writer(nn.Module):
    def __init__(self, network: CommandNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, states: Tensor, kinds: Tensor, written: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.network.write(states, kinds, torch.ones_like(kinds, dtype=torch.bool), written)


def export(network: CommandNetwork, folder: Path, *, name: str, trained_on: str, keep_state: bool = True) -> None:
    """Write everything the learned parser needs: two ONNX graphs, the vectors, and a description."""
    folder.mkdir(parents=True, exist_ok=True)
    network = network.eval()
    with TemporaryDirectory() as scratch:
        for part, file in ((_Reader(network).eval(), READER), (_Writer(network).eval(), WRITER)):
            plain = Path(scratch) / file
            _export_part(part, network.shape, plain)
            quantise(plain, folder / file, "int8-rows")
    rows, scales = _bytes(network)
    np.savez_compressed(folder / VECTORS, rows=rows, scales=scales)
    description: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "trained_on": trained_on,
        "shape": network.shape.to_json(),
        "generated": network.generated_ids.tolist(),
    }
    (folder / DESCRIPTION).write_text(json.dumps(description), encoding="utf-8")
    if keep_state:
        torch.save(network.state_dict(), folder / STATE)


def load(folder: Path) -> CommandNetwork:
    """A network as it was exported, to train it further."""
    description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    state = torch.load(folder / STATE, weights_only=True)
    network = CommandNetwork(CommandShape(**description["shape"]), state["generated_ids"], state["table"])
    network.load_state_dict(state)
    return network


def _export_part(part: nn.Module, shape: CommandShape, path: Path) -> None:
    kinds = torch.zeros(1, 9, dtype=torch.long)
    length, steps = {1: "length"}, {1: "steps"}
    if isinstance(part, _Reader):
        inputs: tuple[Tensor, ...] = (torch.zeros(1, 9, shape.embedding), kinds)
        names, outputs, axes = ["vectors", "kinds"], ["states"], {"vectors": length, "kinds": length, "states": length}
    else:
        inputs = (torch.zeros(1, 9, shape.width), kinds, torch.zeros(1, 3, shape.embedding))
        names, outputs = ["states", "kinds", "written"], ["gate", "generated", "said", "seen"]
        both = {1: "steps", 2: "length"}
        axes = {"states": length, "kinds": length, "written": steps, "gate": steps, "generated": steps}
        axes |= {"said": both, "seen": both}
    torch.onnx.export(
        part,
        inputs,
        str(path),
        input_names=names,
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def _bytes(network: CommandNetwork) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of all pieces as bytes, one scale a row."""
    table = network.table.clone()
    table[:MARKS] = network.marks.detach()
    values = table.numpy()
    scales = np.abs(values).max(axis=1) / 127 + 1e-12
    return np.round(values / scales[:, None]).astype(np.int8), scales.astype(np.float16)
