"""Products with their vectors, apart by what they are for, and vectors of what is said of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from visavis.encoders.base import TOKENIZER, read_description
from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder
from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.folders import is_development, is_held_out
from visavis.lab.datasets.product_attributes import AttributeTable, ProductText
from visavis.lab.datasets.protocol import find_rows, read_rows
from visavis.lab.evaluation.gallery import read_ids

#: Never trained on: ``validation`` stops trainings, ``held`` is what is reported.
Part = Literal["train", "validation", "held"]
PARTS: tuple[Part, ...] = ("train", "validation", "held")
#: The torch weights of the towers, in a folder of the shipped form.
TOWERS = "towers.pt"


@dataclass(frozen=True, eq=False)
class ProductVectors:
    """Products of a part.

    Attributes:
        ids: Their ids.
        rows: What the catalogue says of each.
        whole: Their vectors ``[n, d]``, unit length.
        regions: Those of their regions ``[n, r, d]``.
    """

    ids: tuple[str, ...]
    rows: tuple[Mapping[str, object], ...]
    whole: Tensor
    regions: NDArray[np.float16]

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def texts(self) -> tuple[ProductText, ...]:
        """What can be said of each."""
        return tuple(map(ProductText.of, self.rows))

    def labels(self, table: AttributeTable) -> Tensor:
        """Which attributes the catalogue gives each, ``[n, a]``."""
        made = torch.zeros(len(self), len(table))
        for place, row in enumerate(self.rows):
            made[place, table.numbers(row)] = 1.0
        return made

    def groups(self, column: str) -> dict[str, list[int]]:
        """The places of products by the value of a column."""
        made: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            made.setdefault(str(row.get(column) or ""), []).append(place)
        return made

    def only(self, places: Sequence[int]) -> ProductVectors:
        """Some of them."""
        chosen = list(places)
        ids, rows = tuple(self.ids[p] for p in chosen), tuple(self.rows[p] for p in chosen)
        return ProductVectors(ids, rows, self.whole[chosen], self.regions[chosen])


def part_of(product: str, split: str = "") -> Part:
    """What a product is for, by the split that its set says, else by a hash of its id."""
    if is_held_out(product) if not split else split != "train":
        return "held"
    return "validation" if is_development(product) else "train"


def read_product_vectors(
    data: Path, vectors: Path, limit: int | None = None, parts: Sequence[Part] = PARTS
) -> dict[Part, ProductVectors]:
    """Products that have vectors and a row in the catalogue, by part.

    Args:
        data: The folder with ``styles.csv``, or with Fashion IQ's files.
        vectors: What ``visavis bench embed`` wrote for it; the ids may also be a list in ``ids.json``.
        limit: Train on so many at most.
        parts: The parts to read.
    """
    listed = {row.id: row for row in read_rows(find_rows(data))}
    rows = {id: row.attributes for id, row in listed.items()}
    try:
        ids = read_ids(vectors)
    except FileNotFoundError as error:
        raise NotFoundError(f"{vectors} has no ids of pictures.", "Make it with visavis bench embed.") from error
    whole = np.load(vectors / "whole.npy", mmap_mode="r")
    regions = np.load(vectors / "regions.npy", mmap_mode="r")
    made: dict[Part, ProductVectors] = {}
    for part in parts:
        places = [place for place, id in enumerate(ids) if id in rows and part_of(id, listed[id].split) == part]
        places = places[:limit] if part == "train" else places
        if not places:
            raise BadInputError(f"None of the products of the part '{part}' has a vector.", "Embed more of them.")
        vector = torch.from_numpy(np.asarray(whole[places], np.float32))
        vector = torch.nn.functional.normalize(vector, dim=-1)
        kept = tuple(ids[place] for place in places)
        made[part] = ProductVectors(kept, tuple(rows[id] for id in kept), vector, np.asarray(regions[places]))
    return made


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
    """Reads many texts at once in torch, by the towers' own weights or by those read back from what ships."""

    def __init__(self, folder: Path, device: str) -> None:
        from visavis.lab.networks.towers import TorchTextEncoder

        weights = folder / TOWERS
        self._encoder = TorchTextEncoder(weights if weights.is_file() else folder, folder / TOKENIZER, device)
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
        towers: A folder of the shipped form, maybe with the torch weights beside it; None for the encoder that ships.
        device: Where the vectors go; an accelerator reads texts in torch.
    """
    folder = towers or WEIGHTS
    if device != "cpu" or (folder / TOWERS).is_file():
        return TorchTexts(folder, device), read_description(folder).fingerprint
    encoder = BuiltinEncoder(folder)
    return ShippedTexts(encoder, device), encoder.fingerprint
