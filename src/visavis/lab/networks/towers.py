"""The towers: a ViT-S/14 for pictures, a BERT of the MiniLM-L6 shape for texts; the shipped ones back in torch."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class ImageTowerShape:
    """The sizes of an image tower; the defaults are ViT-S/14 reading 168 x 168 pixels."""

    image_size: int = 168
    patch: int = 14
    width: int = 384
    layers: int = 12
    heads: int = 6
    dimension: int = 256
    drop_path: float = 0.0

    @property
    def grid(self) -> int:
        """Patches along one side."""
        return self.image_size // self.patch


class Block(nn.Module):
    """One transformer layer: attention and MLP, each with a learned scale and stochastic depth."""

    def __init__(self, shape: ImageTowerShape, drop_path: float) -> None:
        super().__init__()
        self.heads, self.drop_path = shape.heads, drop_path
        self.norm1 = nn.LayerNorm(shape.width, eps=1e-6)
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.scale1 = nn.Parameter(torch.ones(shape.width))
        self.norm2 = nn.LayerNorm(shape.width, eps=1e-6)
        self.fc1 = nn.Linear(shape.width, 4 * shape.width)
        self.fc2 = nn.Linear(4 * shape.width, shape.width)
        self.scale2 = nn.Parameter(torch.ones(shape.width))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self._drop(self.scale1 * self._attend(self.norm1(x)))
        return x + self._drop(self.scale2 * self.fc2(F.gelu(self.fc1(self.norm2(x)))))

    def _attend(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        q, k, v = self.qkv(x).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v)
        return self.out(mixed.transpose(1, 2).reshape(n, length, width))

    def _drop(self, branch: Tensor) -> Tensor:
        """Leave the branch out for a random part of the batch (stochastic depth)."""
        if not self.training or self.drop_path == 0:
            return branch
        keep = torch.rand(len(branch), 1, 1, device=branch.device) >= self.drop_path
        return branch * keep / (1 - self.drop_path)


class ImageTower(nn.Module):
    """Pixels ``[n, 3, s, s]`` in, ``whole [n, d]`` and ``patches [n, g*g, d]`` out, all of unit length."""

    def __init__(self, shape: ImageTowerShape | None = None) -> None:
        super().__init__()
        self.shape = shape = shape or ImageTowerShape()
        self.project = nn.Conv2d(3, shape.width, shape.patch, stride=shape.patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, shape.width))
        self.position = nn.Parameter(torch.zeros(1, 1 + shape.grid**2, shape.width))
        rates = torch.linspace(0, shape.drop_path, shape.layers).tolist()
        self.blocks = nn.ModuleList(Block(shape, rate) for rate in rates)
        self.norm = nn.LayerNorm(shape.width, eps=1e-6)
        # The whole looks at the class token and the mean patch; patches have a head of their own.
        self.whole_head = nn.Linear(2 * shape.width, shape.dimension, bias=False)
        self.patch_head = nn.Linear(shape.width, shape.dimension, bias=False)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        x = self.project(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.position
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        cls, patches = x[:, 0], x[:, 1:]
        whole = self.whole_head(torch.cat([cls, patches.mean(dim=1)], dim=-1))
        return F.normalize(whole, dim=-1), F.normalize(self.patch_head(patches), dim=-1)


def pool_regions(patches: Tensor) -> Tensor:
    """Patches ``[n, g*g, d]`` as regions of two by two, ``[n, g*g/4, d]``, of unit length."""
    count, width = int(patches.shape[1]), int(patches.shape[2])
    n, half = patches.shape[0], math.isqrt(count) // 2
    square = patches.reshape(n, half, 2, half, 2, width)
    return F.normalize(square.mean(dim=(2, 4)).reshape(n, half * half, width), dim=-1)


@dataclass(frozen=True)
class TextTowerShape:
    """The sizes of a text tower; the defaults are MiniLM-L6."""

    vocabulary: int = 30522
    positions: int = 512
    width: int = 384
    layers: int = 6
    heads: int = 12
    dimension: int = 256
    dropout: float = 0.0


class Layer(nn.Module):
    """One BERT layer: attention and MLP, each followed by a normalisation."""

    def __init__(self, shape: TextTowerShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm1 = nn.LayerNorm(shape.width, eps=1e-12)
        self.fc1 = nn.Linear(shape.width, 4 * shape.width)
        self.fc2 = nn.Linear(4 * shape.width, shape.width)
        self.norm2 = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        n, length, width = x.shape
        q, k, v = self.qkv(x).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self.dropout(self.out(mixed.transpose(1, 2).reshape(n, length, width))))
        return self.norm2(x + self.dropout(self.fc2(F.gelu(self.fc1(x)))))


class TextTower(nn.Module):
    """Token ids and their mask ``[n, l]`` in, unit vectors ``[n, d]`` out."""

    def __init__(self, shape: TextTowerShape | None = None) -> None:
        super().__init__()
        self.shape = shape = shape or TextTowerShape()
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = nn.Dropout(shape.dropout)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.head = nn.Linear(shape.width, shape.dimension, bias=False)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        return self.read(self.words(input_ids), attention_mask)[0]

    def read(self, vectors: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """From vectors of the word table ``[n, l, width]``: the whole, and what each token became in its sentence."""
        places = torch.arange(vectors.shape[1], device=vectors.device)
        x = self.dropout(self.norm(vectors + self.positions(places)))
        mask = attention_mask[:, None, None, :] > 0
        for layer in self.layers:
            x = layer(x, mask)
        weight = attention_mask[:, :, None].to(x.dtype)
        mean = (x * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1)
        return F.normalize(self.head(mean), dim=-1), x


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


#: What the shipped encoder reads of a text at most.
MAX_TOKENS = 128


class TorchTextEncoder:
    """Reads texts as the encoder does whose torch weights it is given, within the rounding of int8."""

    def __init__(self, towers: Path, tokenizer: Path, device: str, *, max_tokens: int = MAX_TOKENS) -> None:
        """Open weights.

        Args:
            towers: A file of ``write_towers``, or a folder of the shipped form.
            tokenizer: The encoder's ``tokenizer.json``.
            device: Where to compute, ``cuda`` or ``cpu``.
            max_tokens: Texts are cut after so many tokens.
        """
        self.device = torch.device(device)
        self.tower = TextTower()
        fill(self.tower, read_towers(towers)["text"])
        self.tower.to(self.device).eval().requires_grad_(False)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def encode(self, texts: Sequence[str], batch: int = 1024) -> Tensor:
        """One unit vector a text, ``float16 [n, d]`` on the device."""
        out = torch.zeros((len(texts), self.tower.shape.dimension), dtype=torch.float16, device=self.device)
        for chosen, ids, mask in self._batches(self._numbers(texts), batch):
            out[chosen] = self._read(ids, mask)[0].half()
        return out

    def tokens(self, texts: Sequence[str], batch: int = 1024) -> tuple[Tensor, Tensor]:
        """What each token became in its sentence, ``float16 [n, length, width]`` on the device, and which are there.

        The marks at both ends are included, as in the second output of the shipped tower; the rest is zeros.
        """
        numbers = self._numbers(texts)
        shape = (len(texts), max(map(len, numbers), default=0))
        out = torch.zeros((*shape, self.tower.shape.width), dtype=torch.float16, device=self.device)
        there = torch.zeros(shape, dtype=torch.bool, device=self.device)
        for chosen, ids, mask in self._batches(numbers, batch):
            length = ids.shape[1]
            out[chosen, :length] = (self._read(ids, mask)[1] * mask[:, :, None]).half()
            there[chosen, :length] = mask > 0
        return out, there

    @torch.no_grad()
    def _read(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
            whole, tokens = self.tower.read(self.tower.words(ids), mask)
        return torch.nn.functional.normalize(whole.float(), dim=-1), tokens.float()

    def _numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids; texts that are said more than once are read once."""
        new = list(dict.fromkeys(texts))
        known = dict(zip(new, (encoding.ids for encoding in self._tokenizer.encode_batch(new)), strict=True))
        return [known[text] for text in texts]

    def _batches(self, encoded: Sequence[list[int]], batch: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Texts of like length together: their places, token ids and mask."""
        order = sorted(range(len(encoded)), key=lambda place: len(encoded[place]))
        for at in range(0, len(order), batch):
            chosen = order[at : at + batch]
            longest = max(len(encoded[place]) for place in chosen)
            padded = [encoded[place] + [0] * (longest - len(encoded[place])) for place in chosen]
            lengths = torch.tensor([len(encoded[place]) for place in chosen])
            mask = (torch.arange(longest) < lengths[:, None]).long()
            yield torch.tensor(chosen, device=self.device), torch.tensor(padded).to(self.device), mask.to(self.device)
