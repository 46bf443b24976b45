"""From a trained parser network to the folder that ``visavis.language.parser`` reads."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import Tensor, nn

from visavis.lab.networks.parser import ParserNetwork
from visavis.lab.training.parser_decoder import write_decoder
from visavis.lab.training.quantise import Kind, quantise
from visavis.language.weights_format import ARRAYS, DECODER, DESCRIPTION, ENCODER, FORMAT


class _Encoder(nn.Module):
    """Vectors and kinds in; keys and values of every decoder layer and keys for copying out."""

    def __init__(self, network: ParserNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, vectors: Tensor, kinds: Tensor) -> tuple[Tensor, Tensor]:
        states = self.network.encode(vectors, kinds, None)
        read = [part for layer in self.network.decoder for part in layer.read(states)]
        return torch.stack(read), self.network.copy_key(states)


def export(
    network: ParserNetwork,
    folder: Path,
    *,
    name: str,
    trained_on: str,
    kind: Kind = "int8-rows",
    calibration: dict[str, float] | None = None,
) -> None:
    """Write two ONNX graphs, the learned vectors and a description."""
    folder.mkdir(parents=True, exist_ok=True)
    network = network.float().cpu().eval()
    shape = network.shape
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "encoder.onnx"
        _write(
            _Encoder(network),
            (torch.randn(1, 7, shape.width), torch.zeros(1, 7, dtype=torch.long)),
            whole,
            ["vectors", "kinds"],
            ["read", "copy_keys"],
            {"vectors": {1: "length"}, "kinds": {1: "length"}, "read": {3: "length"}, "copy_keys": {1: "length"}},
        )
        quantise(whole, folder / ENCODER, kind)
    weights = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    write_decoder(weights, shape, network.generated_ids.numpy(), folder / DECODER)
    np.savez_compressed(
        folder / ARRAYS,
        marks=network.marks.detach().numpy().astype(np.float16),
        bias=network.bias.detach().numpy().astype(np.float16),
        generated=network.generated_ids.numpy().astype(np.uint16),
    )
    description = {
        "format": FORMAT,
        "name": name,
        "trained_on": trained_on,
        "shape": shape.to_json(),
        "calibration": calibration or {"temperature": 1.0, "threshold": 0.0},
    }
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


def _write(
    part: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    names: list[str],
    outputs: list[str],
    axes: dict[str, dict[int, str]],
) -> None:
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
