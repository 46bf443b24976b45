"""From a trained parser network to the folder that ``visavis.language.parser`` reads."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import Tensor, nn

from visavis.lab.networks.parser import DecoderLayer, ParserNetwork
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


class _Step(nn.Module):
    """One step of the decoder for several hypotheses beside each other."""

    def __init__(self, network: ParserNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, vectors: Tensor, place: Tensor, past: Tensor, read: Tensor, copy_keys: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        network = self.network
        x = network.decoder_norm(vectors + network.places(place))
        kept = []
        for at, layer in enumerate(network.decoder):
            assert isinstance(layer, DecoderLayer)
            query, key, value = layer.own(x)
            key, value = torch.cat([past[2 * at], key], dim=2), torch.cat([past[2 * at + 1], value], dim=2)
            kept += [key, value]
            x = layer.norm1(x + layer.out(layer.join(_attended(query, key, value))))
            mixed = _attended(layer.split(layer.query(x)), read[2 * at], read[2 * at + 1])
            x = layer.norm2(x + layer.cross_out(layer.join(mixed)))
            x = layer.norm3(x + layer.fc2(torch.nn.functional.gelu(layer.fc1(x))))
        words, copied, gate = network.sources(x, copy_keys)
        return words[:, 0], copied[:, 0], gate[:, 0], torch.stack(kept)


def _attended(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5
    return torch.softmax(scores, dim=-1) @ value


def export(
    network: ParserNetwork,
    folder: Path,
    *,
    name: str,
    trained_on: str,
    kind: Kind = "int8-rows",
    step_kind: Kind = "int8",
    calibration: dict[str, float] | None = None,
) -> None:
    """Write two ONNX graphs, the learned vectors and a description."""
    folder.mkdir(parents=True, exist_ok=True)
    network = network.float().cpu().eval()
    shape = network.shape
    heads, size = shape.decoder_heads, shape.width // shape.decoder_heads
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
        step = Path(scratch) / "step.onnx"
        many = 2 * shape.decoder_layers
        _write(
            _Step(network),
            (
                torch.randn(3, 1, shape.width),
                torch.tensor([2]),
                torch.randn(many, 3, heads, 2, size),
                torch.randn(many, 1, heads, 7, size),
                torch.randn(1, 7, shape.width),
            ),
            step,
            ["vectors", "place", "past", "read", "copy_keys"],
            ["words", "copied", "gate", "present"],
            {
                "vectors": {0: "beams"},
                "past": {1: "beams", 3: "steps"},
                "read": {3: "length"},
                "copy_keys": {1: "length"},
                "words": {0: "beams"},
                "copied": {0: "beams", 1: "length"},
                "gate": {0: "beams"},
                "present": {1: "beams", 3: "steps_after"},
            },
        )
        quantise(step, folder / DECODER, step_kind)
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
