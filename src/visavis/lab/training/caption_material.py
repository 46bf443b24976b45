"""What the relative captioner learns from: real captions of Fashion IQ and Shoes, and pairs of a catalogue's products.

The real pairs have attributes on both sides but no pictures; the products have pictures and attributes that were
predicted, and captions made of what the catalogue says. Only the real ones are ever scored.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from visavis.lab.datasets.fashioniq import GROUPS, RelativeCaption, read_attributes, read_captions, read_shoes
from visavis.lab.datasets.product_attributes import compared
from visavis.lab.networks.captioner import BEGIN, END, LONGEST, PAD, SOURCES, CaptionVocabulary, Pair
from visavis.lab.training.product_vectors import ProductVectors
from visavis.language.english import content

#: Groups in the order in which they are read where there are more than eight attributes.
_ORDER = ("texture", "part", "shape", "style", "fabric", "kind")
#: One real training pair in so many validates.
_VALIDATES = 20
#: How a product's pair is drawn: of the same kind, of the same category, or any other.
_SAME_KIND, _SAME_CATEGORY = 0.6, 0.2


@dataclass(frozen=True)
class RealCaptions:
    """Pairs with captions and with the names of both sides' attributes."""

    pairs: tuple[RelativeCaption, ...]
    reference: tuple[tuple[str, ...], ...]
    target: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def first(self, number: int | None) -> RealCaptions:
        """The first of them; all where no number is given."""
        return RealCaptions(self.pairs[:number], self.reference[:number], self.target[:number])

    def texts(self) -> list[str]:
        """Every caption and every attribute, for the vocabulary."""
        said = [text for pair in self.pairs for text in pair.captions]
        return said + [name for side in (self.reference, self.target) for names in side for name in names]


def read_real(folder: Path, shoes: Path | None = None) -> dict[str, RealCaptions]:
    """Real captions by part: ``train``, ``validation`` (a twentieth of the training pairs) and ``held``.

    Held are the pairs of Fashion IQ's own validation split with attributes on both sides.
    """
    named: dict[str, tuple[str, ...]] = {}
    for split in ("val", "train"):
        for id, groups in read_attributes(folder / "multiturn" / f"asin2attr.all.{split}.new.json").items():
            by_group = dict(zip(GROUPS, groups, strict=False))
            named[id] = tuple(dict.fromkeys(name for group in _ORDER for name in by_group.get(group, ())))
    parts: dict[str, list[RelativeCaption]] = {"train": [], "validation": [], "held": []}
    for pair in read_captions(folder, "train"):
        parts["validation" if _validates(pair.target) else "train"].append(pair)
    parts["held"] = [
        pair for pair in read_captions(folder, "val") if named.get(pair.target) and named.get(pair.reference)
    ]
    if shoes is not None:
        pairs, told = read_shoes(shoes)
        named |= {id: tuple(content(text)) for id, text in told.items()}
        parts["train"] += pairs
    return {
        part: RealCaptions(
            tuple(pairs),
            tuple(named.get(pair.reference, ()) for pair in pairs),
            tuple(named.get(pair.target, ()) for pair in pairs),
        )
        for part, pairs in parts.items()
    }


def _validates(id: str) -> bool:
    return int(hashlib.blake2b(id.encode()).hexdigest()[:8], 16) % _VALIDATES == 0


@dataclass(frozen=True)
class CaptionRows:
    """Pairs as numbers; ``words [n, l]`` begin and end with their marks."""

    pair: Pair
    words: Tensor

    def __len__(self) -> int:
        return len(self.words)

    def drawn(self, places: Tensor) -> tuple[Pair, Tensor]:
        """Some of them."""
        return Pair(*(part[places] for part in self.pair)), self.words[places]


def caption_numbers(texts: Sequence[str], vocabulary: CaptionVocabulary) -> Tensor:
    """Captions as numbers ``[n, LONGEST + 2]``, with marks, padded."""
    rows = torch.full((len(texts), LONGEST + 2), PAD, dtype=torch.long)
    for row, text in enumerate(texts):
        numbers = [BEGIN, *vocabulary.numbers(text, LONGEST), END]
        rows[row, : len(numbers)] = torch.tensor(numbers)
    return rows


def real_rows(
    real: RealCaptions, vocabulary: CaptionVocabulary, dimension: int, *, first_only: bool = False
) -> CaptionRows:
    """A row for each caption, or for the first of each pair."""
    said = [
        (place, text)
        for place, pair in enumerate(real.pairs)
        for text in (pair.captions[:1] if first_only else pair.captions)
    ]
    rows = [
        torch.tensor([vocabulary.attribute_rows(side[place]) for place, _ in said])
        for side in (real.reference, real.target)
    ]
    source = torch.tensor([SOURCES.index(real.pairs[place].category) for place, _ in said])
    none = torch.zeros(len(said), dimension)
    return CaptionRows(
        Pair(source, none, torch.zeros(len(said)), *rows), caption_numbers([text for _, text in said], vocabulary)
    )


class ProductPairs:
    """Pairs of products with captions made of the catalogue, drawn anew each time."""

    def __init__(
        self, products: ProductVectors, named: Tensor, vocabulary: CaptionVocabulary, names: Sequence[str]
    ) -> None:
        """Prepare products.

        Args:
            products: The products.
            named: Numbers of the attributes that were predicted for each, ``[n, 8]``.
            vocabulary: The captioner's words.
            names: The attributes by number.
        """
        self.products = products
        self._named = named
        self._vocabulary = vocabulary
        self._rows = torch.tensor(vocabulary.attribute_rows(names, len(names)))
        self._kinds, self._categories = products.groups("articleType"), products.groups("subCategory")

    def pair(self, reference: Tensor, target: Tensor, source: Tensor | None = None) -> Pair:
        """Pairs of products by their places, as the captioner reads them."""
        whole = self.products.whole
        if source is None:
            source = torch.full((len(target),), SOURCES.index("products"))
        sides = (self._rows[self._named[places]] for places in (reference, target))
        return Pair(source, whole[reference] - whole[target], torch.ones(len(target)), *sides)

    def drawn(self, number: int, draw: random.Random) -> tuple[Pair, Tensor]:
        """So many pairs and their captions as numbers."""
        target = [draw.randrange(len(self.products)) for _ in range(number)]
        reference = [self.reference_of(place, draw) for place in target]
        texts = self.products.texts
        said = [compared(texts[a], texts[b], draw) for a, b in zip(reference, target, strict=True)]
        return self.pair(torch.tensor(reference), torch.tensor(target)), caption_numbers(said, self._vocabulary)

    def reference_of(self, target: int, draw: random.Random) -> int:
        """A product to begin with: mostly of the same kind."""
        row, way = self.products.rows[target], draw.random()
        if way < _SAME_KIND:
            return draw.choice(self._kinds[str(row.get("articleType") or "")])
        if way < _SAME_KIND + _SAME_CATEGORY:
            return draw.choice(self._categories[str(row.get("subCategory") or "")])
        return draw.randrange(len(self.products))
