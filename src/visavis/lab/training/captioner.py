"""The relative captioner: its material (real captions with attributes, pairs of products) and its training."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visavis.lab.datasets.multiturn import GROUPS, RelativeCaption, read_attributes, read_captions, read_shoes
from visavis.lab.datasets.product_attributes import TOP, ProductText, compared
from visavis.lab.evaluation.gallery import read_ids
from visavis.lab.networks.captioner import (
    BEGIN,
    END,
    LONGEST,
    PAD,
    SOURCES,
    Captioner,
    CaptionerShape,
    CaptionVocabulary,
    Pair,
    RecurrentCaptioner,
    TransformerCaptioner,
    caption_loss,
)
from visavis.lab.networks.fashioniq import top_attributes
from visavis.lab.training.attributes import load_predictor, predicted
from visavis.lab.training.epochs import BEST, EpochRun, EpochSettings, Report, chosen_device, seed_everything
from visavis.lab.training.product_vectors import ProductVectors, read_product_vectors
from visavis.language.english import content

DESCRIPTION = "captioner.json"
KINDS = {"transformer": TransformerCaptioner, "rnn": RecurrentCaptioner}
_AT_ONCE = 512


@dataclass(frozen=True)
class CaptionerSettings(EpochSettings):
    """What a person chooses of a run.

    Attributes:
        captions: The folder of Fashion IQ's files, with ``multiturn`` in it.
        shoes: The folder of Shoes' files; none unless told.
        pictures: Vectors of the pictures of the real pairs, where they are to be had; else attributes alone are read.
        predictor: The run that trained the attribute predictor.
        kind: ``transformer``, or ``rnn`` for the captioner of Guo et al.
        attributes: Whether attributes are read.
        products: The share of a step that is pairs of products.
        layers: Layers of the encoder and of the decoder.
        width: Hidden units.
        inner: Width inside a layer.
        steps: Steps of an epoch.
        scored: Captions of so many held-out pairs are written; of all unless told.
    """

    _: KW_ONLY
    captions: Path
    predictor: Path
    shoes: Path | None = None
    pictures: tuple[Path, ...] = ()
    kind: str = "transformer"
    attributes: bool = True
    products: float = 0.4
    layers: int = 6
    width: int = 256
    inner: int = 1024
    steps: int = 100
    scored: int | None = None


def run(settings: CaptionerSettings, report: Report = str) -> dict[str, Any]:
    """Train, or go on where a run was stopped; write captions of the held-out real pairs; return the losses."""
    seed_everything(settings.seed)
    device = chosen_device(settings.device)
    real = read_real(settings.captions, settings.shoes)
    products = read_product_vectors(settings.data, settings.vectors, settings.limit, ("train", "validation"))
    predictor, table = load_predictor(settings.predictor)
    vocabulary = _vocabulary(real["train"], products["train"].texts, table.names)
    pairs = {
        part: ProductPairs(some, top_attributes(predicted(predictor, some), TOP), vocabulary, table.names)
        for part, some in products.items()
    }
    shape = CaptionerShape(
        words=len(vocabulary),
        dimension=products["train"].whole.shape[1],
        width=settings.width,
        layers=settings.layers,
        inner=settings.inner,
        attributes=settings.attributes,
    )
    model = KINDS[settings.kind](shape).to(device)
    settings.out.mkdir(parents=True, exist_ok=True)
    described = {"kind": settings.kind, "shape": asdict(shape), "words": vocabulary.words, "attributes": table.names}
    (settings.out / DESCRIPTION).write_text(json.dumps(described) + "\n", "utf-8")
    seen = real_vectors(settings.pictures, shape.dimension)
    rows = {part: real_rows(some, vocabulary, seen) for part, some in real.items()}
    optimiser = torch.optim.AdamW(model.parameters(), settings.rate, betas=(0.9, 0.98), weight_decay=1e-2)
    running = EpochRun(model, optimiser, settings.out, settings.patience, settings.seconds, report)
    running.resume()
    made = round(settings.batch * settings.products)

    def epoch(number: int) -> dict[str, float]:
        draw = random.Random(f"{settings.seed}-{number}")
        total = 0.0
        for step in range(settings.steps):
            rate = settings.rate * min(1.0, (number * settings.steps + step + 1) / 200) * 0.97**number
            for group in optimiser.param_groups:
                group["lr"] = rate
            chosen = torch.tensor([draw.randrange(len(rows["train"])) for _ in range(settings.batch - made)])
            pair, words = rows["train"].drawn(chosen)
            if made:
                pair, words = _beside((pair, words), pairs["train"].drawn(made, draw))
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                loss = caption_loss(model, pair.to(device), words.to(device))
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            total += float(loss.detach())
        return {"loss": total / settings.steps}

    number = min(2048, 4 * len(products["validation"]))
    drawn = CaptionRows(*pairs["validation"].drawn(number, random.Random(0)))
    running.run(settings.epochs, epoch, lambda: -held_loss(model, rows["validation"]) - held_loss(model, drawn))
    figures: dict[str, Any] = {
        "settings": json.loads(json.dumps(asdict(settings), default=str)),
        "pairs": {part: len(some) for part, some in real.items()},
        "words": len(vocabulary),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "loss": {
            "validation": round(held_loss(model, rows["validation"]), 4),
            "held": round(held_loss(model, rows["held"]), 4),
            "products": round(held_loss(model, drawn), 4),
        },
    }
    write_captions(model, vocabulary, real["held"].first(settings.scored), seen, settings.out / "captions.json")
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return figures


def _vocabulary(real: RealCaptions, products: tuple[ProductText, ...], names: tuple[str, ...]) -> CaptionVocabulary:
    """Words of real captions and attributes; of products every attribute, and title words that are not rare."""
    titles = CaptionVocabulary.of((text.title for text in products), least=30).words[4:]
    frames = ["is for made one of the instead comes with a wear look design material color colored style shows"] * 2
    return CaptionVocabulary.of([*real.texts(), *(list(names) * 2), *(list(titles) * 2), *frames])


def _beside(one: tuple[Pair, Tensor], other: tuple[Pair, Tensor]) -> tuple[Pair, Tensor]:
    pair = Pair(*(torch.cat(parts) for parts in zip(one[0], other[0], strict=True)))
    return pair, torch.cat([one[1], other[1]])


@torch.no_grad()
def held_loss(model: Captioner, rows: CaptionRows) -> float:
    """The cross entropy of captions that were not trained on, without smoothing."""
    device = model.words.weight.device
    model.eval()
    total = 0.0
    for places in torch.arange(len(rows)).split(_AT_ONCE):
        pair, words = rows.drawn(places)
        total += len(places) * float(caption_loss(model, pair.to(device), words.to(device), 0.0))
    return total / max(1, len(rows))


def write_captions(
    model: Captioner, vocabulary: CaptionVocabulary, real: RealCaptions, seen: RealVectors, out: Path
) -> None:
    """Captions of real pairs, greedy and by a beam of five, beside what people said: what the scores are made of."""
    device = model.words.weight.device
    rows = real_rows(real, vocabulary, seen, first_only=True)
    model.eval()
    made: dict[str, list[str]] = {"greedy": [], "beam": []}
    for places in torch.arange(len(rows)).split(_AT_ONCE):
        pair = rows.drawn(places)[0].to(device)
        made["greedy"] += [vocabulary.text(numbers) for numbers in model.greedy(pair).tolist()]
        made["beam"] += [vocabulary.text(numbers) for numbers in model.beam(pair).tolist()]
    told = [
        {"category": pair.category, "target": pair.target, "reference": pair.reference, "said": list(pair.captions),
         "greedy": greedy, "beam": beam}
        for pair, greedy, beam in zip(real.pairs, made["greedy"], made["beam"], strict=True)
    ]  # fmt: skip
    out.write_text(json.dumps(told) + "\n", "utf-8")


def load_captioner(folder: Path) -> tuple[Captioner, CaptionVocabulary, tuple[str, ...]]:
    """The best captioner of a run, its words, and the attributes that it was trained with."""
    described = json.loads((folder / DESCRIPTION).read_text("utf-8"))
    model = KINDS[described["kind"]](CaptionerShape(**described["shape"]))
    model.load_state_dict(torch.load(folder / BEST, map_location="cpu", weights_only=True))
    return model.eval(), CaptionVocabulary(described["words"]), tuple(described["attributes"])


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


class RealVectors:
    """Vectors of the pictures of real pairs, of which there may be none."""

    def __init__(self, found: Mapping[str, Tensor], dimension: int) -> None:
        self._found = found
        self._none = torch.zeros(dimension)

    def between(self, pair: RelativeCaption) -> tuple[Tensor, float]:
        """The reference's vector minus the target's, and whether there are pictures of both."""
        one, other = self._found.get(pair.reference), self._found.get(pair.target)
        return (self._none, 0.0) if one is None or other is None else (one - other, 1.0)


def real_vectors(folders: Sequence[Path], dimension: int) -> RealVectors:
    """Vectors that ``visavis bench embed`` wrote for Fashion IQ and for Shoes."""
    found: dict[str, Tensor] = {}
    for folder in folders:
        whole = torch.from_numpy(np.asarray(np.load(folder / "whole.npy"), np.float32))
        found |= dict(zip(read_ids(folder), torch.nn.functional.normalize(whole, dim=-1), strict=True))
    return RealVectors(found, dimension)


def real_rows(
    real: RealCaptions, vocabulary: CaptionVocabulary, seen: RealVectors, *, first_only: bool = False
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
    between = [seen.between(real.pairs[place]) for place, _ in said]
    difference, there = torch.stack([one for one, _ in between]), torch.tensor([known for _, known in between])
    return CaptionRows(Pair(source, difference, there, *rows), caption_numbers([text for _, text in said], vocabulary))


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
