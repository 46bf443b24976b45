"""What a frozen text tower makes of texts, for trainings: by the shipped int8 tower, or by torch on an accelerator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder
from visavis.encoders.description import TOKENIZER

#: The torch weights of the towers, in a folder of the shipped form.
TOWERS = "towers.pt"


class TextFeatures(ABC):
    """Vectors of texts and of their tokens."""

    @abstractmethod
    def whole(self, texts: Sequence[str]) -> Tensor:
        """One unit vector a text, ``[n, d]``."""

    @abstractmethod
    def tokens(self, texts: Sequence[str], most: int) -> tuple[Tensor, Tensor]:
        """Token vectors ``[n, most, w]``, marks at both ends included, and which are there ``[n, most]``."""


class ShippedTexts(TextFeatures):
    """Reads each text once by the encoder that ships: what the product reads."""

    def __init__(self, encoder: BuiltinEncoder, device: str) -> None:
        self._encoder = encoder
        self._device = device
        self._whole: dict[str, Tensor] = {}
        self._tokens: dict[str, Tensor] = {}

    def whole(self, texts: Sequence[str]) -> Tensor:
        """One unit vector a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._whole]
        if new:
            vectors = torch.from_numpy(self._encoder.encode_texts(new))
            self._whole |= dict(zip(new, vectors, strict=True))
        return torch.stack([self._whole[text] for text in texts]).to(self._device)

    def tokens(self, texts: Sequence[str], most: int) -> tuple[Tensor, Tensor]:
        """Token vectors and which are there."""
        new = [text for text in dict.fromkeys(texts) if text not in self._tokens]
        for text, vectors in zip(new, self._encoder.encode_tokens(new) if new else (), strict=True):
            self._tokens[text] = torch.from_numpy(np.asarray(vectors, np.float32))
        found = [self._tokens[text][:most] for text in texts]
        made = torch.zeros(len(texts), most, found[0].shape[1])
        there = torch.zeros(len(texts), most)
        for row, vectors in enumerate(found):
            made[row, : len(vectors)], there[row, : len(vectors)] = vectors, 1.0
        return made.to(self._device), there.to(self._device)


class TorchTexts(TextFeatures):
    """Reads many texts at once by the towers' torch weights."""

    def __init__(self, folder: Path, device: str) -> None:
        from visavis.lab.networks.torch_text import TorchTextEncoder

        self._encoder = TorchTextEncoder(folder / TOWERS, folder / TOKENIZER, device)
        self._device = device

    def whole(self, texts: Sequence[str]) -> Tensor:
        """One unit vector a text."""
        return self._encoder.encode(texts).float().to(self._device)

    def tokens(self, texts: Sequence[str], most: int) -> tuple[Tensor, Tensor]:
        """Token vectors and which are there."""
        vectors, there = self._encoder.tokens(texts)
        made = torch.zeros(len(texts), most, vectors.shape[2], device=self._device)
        mask = torch.zeros(len(texts), most, device=self._device)
        length = min(most, vectors.shape[1])
        made[:, :length], mask[:, :length] = vectors[:, :length].float(), there[:, :length].float()
        return made, mask


def open_texts(towers: Path | None, device: str) -> tuple[TextFeatures, str]:
    """The features, and the fingerprint of the encoder that they are of.

    Args:
        towers: A folder of the shipped form, with the torch weights beside them where there is an accelerator; None
            for the encoder that ships.
        device: Where the vectors go.
    """
    encoder = BuiltinEncoder(towers or WEIGHTS)
    if towers is not None and (towers / TOWERS).is_file():
        return TorchTexts(towers, device), encoder.fingerprint
    return ShippedTexts(encoder, device), encoder.fingerprint
