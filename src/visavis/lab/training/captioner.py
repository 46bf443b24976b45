"""Trains the relative captioner: real captions with attributes, and pairs of products with pictures."""

from __future__ import annotations

import json
import random
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from visavis.lab.datasets.product_attributes import TOP, ProductText
from visavis.lab.networks.captioner import (
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
from visavis.lab.training.caption_material import CaptionRows, ProductPairs, RealCaptions, read_real, real_rows
from visavis.lab.training.epochs import BEST, EpochRun, EpochSettings, Report, chosen_device, seed_everything
from visavis.lab.training.product_vectors import read_product_vectors

DESCRIPTION = "captioner.json"
KINDS = {"transformer": TransformerCaptioner, "rnn": RecurrentCaptioner}
_AT_ONCE = 512


@dataclass(frozen=True)
class CaptionerSettings(EpochSettings):
    """What a person chooses of a run.

    Attributes:
        captions: The folder of Fashion IQ's files, with ``multiturn`` in it.
        shoes: The folder of Shoes' files; none unless told.
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
        len(vocabulary), products["train"].whole.shape[1], settings.width, settings.layers,
        inner=settings.inner, attributes=settings.attributes,
    )  # fmt: skip
    model = KINDS[settings.kind](shape).to(device)
    settings.out.mkdir(parents=True, exist_ok=True)
    described = {"kind": settings.kind, "shape": asdict(shape), "words": vocabulary.words, "attributes": table.names}
    (settings.out / DESCRIPTION).write_text(json.dumps(described) + "\n", "utf-8")
    rows = {part: real_rows(some, vocabulary, shape.dimension) for part, some in real.items()}
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
        "settings": {key: str(value) if isinstance(value, Path) else value for key, value in asdict(settings).items()},
        "pairs": {part: len(some) for part, some in real.items()},
        "words": len(vocabulary),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "loss": {
            "validation": round(held_loss(model, rows["validation"]), 4),
            "held": round(held_loss(model, rows["held"]), 4),
            "products": round(held_loss(model, drawn), 4),
        },
    }
    write_captions(model, vocabulary, real["held"].first(settings.scored), settings.out / "captions.json")
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


def write_captions(model: Captioner, vocabulary: CaptionVocabulary, real: RealCaptions, out: Path) -> None:
    """Captions of real pairs, greedy and by a beam of five, beside what people said: what the scores are made of."""
    device = model.words.weight.device
    rows = real_rows(real, vocabulary, model.shape.dimension, first_only=True)
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
