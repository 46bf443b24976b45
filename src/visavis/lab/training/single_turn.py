"""Trains Fashion IQ's single-turn retrievers A to F on pairs of products, with feedback made of the catalogue."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from visavis.errors import BadInputError
from visavis.lab.datasets.product_attributes import compared
from visavis.lab.networks.drilldown import triplet_loss
from visavis.lab.networks.fashioniq import MODELS, SingleTurn, SingleTurnShape
from visavis.lab.training.attributes import load_predictor, predicted
from visavis.lab.training.epochs import EpochRun, EpochSettings, Report, chosen_device, seed_everything
from visavis.lab.training.fashioniq import largest_categories
from visavis.lab.training.product_vectors import Part, ProductVectors, read_product_vectors
from visavis.lab.training.scene_parts import vocabulary_of, word_numbers

_LONGEST = 16


@dataclass(frozen=True)
class SingleTurnSettings(EpochSettings):
    """What a person chooses of a run.

    Attributes:
        predictor: The run that trained the attribute predictor.
        models: Names of Table 5.
        pairs: Pairs of an epoch.
        margin: The margin of the ranking loss.
    """

    epochs: int = 40
    batch: int = 256
    rate: float = 1e-3
    patience: int = 4
    _: KW_ONLY
    predictor: Path
    models: tuple[str, ...] = tuple(MODELS)
    pairs: int = 20_000
    margin: float = 0.2


class CategoryPairs:
    """Pairs of products of one category, and what is said of the difference."""

    def __init__(
        self, products: ProductVectors, named: Tensor, vocabulary: dict[str, int], categories: Iterable[str]
    ) -> None:
        self.products, self.named, self._vocabulary = products, named, vocabulary
        places = products.groups("subCategory")
        self.galleries = {name: places[name] for name in categories if len(places.get(name, ())) > 1}
        if not self.galleries:
            raise BadInputError("There are no products of the large categories.", f"These are {', '.join(categories)}.")

    def drawn(self, category: str, number: int, draw: random.Random) -> tuple[Tensor, Tensor, Tensor]:
        """Places of references and of targets, all different, and word numbers of the feedback."""
        places = self.galleries[category]
        target = draw.sample(places, min(number, len(places)))
        reference = [draw.choice(places) for _ in target]
        texts = self.products.texts
        said = [compared(texts[a], texts[b], draw) for a, b in zip(reference, target, strict=True)]
        words = torch.from_numpy(word_numbers(said, self._vocabulary, _LONGEST))
        return torch.tensor(reference), torch.tensor(target), words


def run(settings: SingleTurnSettings, report: Report = str) -> dict[str, Any]:
    """Train each model; return R@10 and R@50 by category among the products held out."""
    device = chosen_device(settings.device)
    products = read_product_vectors(settings.data, settings.vectors, settings.limit)
    predictor, table = load_predictor(settings.predictor)
    draw = random.Random(settings.seed)
    texts = products["train"].texts
    said = [compared(draw.choice(texts), one, draw) for one in texts for _ in range(2)]
    vocabulary = vocabulary_of(said)
    largest = tuple(largest_categories(products["train"]))
    pairs: dict[Part, CategoryPairs] = {
        part: CategoryPairs(some, predicted(predictor, some).sigmoid(), vocabulary, largest)
        for part, some in products.items()
    }
    figures: dict[str, Any] = {"products": len(products["train"]), "models": {}}
    for name in settings.models:
        seed_everything(settings.seed)
        sizes = (len(vocabulary) + 2, len(table), *MODELS[name], products["train"].whole.shape[1])
        model = SingleTurn(SingleTurnShape(*sizes)).to(device)
        optimiser = torch.optim.Adam(model.parameters(), settings.rate)
        running = EpochRun(
            model, optimiser, settings.out / name, settings.patience, settings.seconds, lambda line: report(line)
        )
        running.resume()
        _train(running, model, optimiser, pairs, settings)
        figures["models"][name] = recalls(model, pairs["held"], settings.seed)
        report(f"{name}: {figures['models'][name]}")
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return figures


def _train(
    running: EpochRun,
    model: SingleTurn,
    optimiser: torch.optim.Optimizer,
    pairs: dict[Part, CategoryPairs],
    settings: SingleTurnSettings,
) -> None:
    train = pairs["train"]
    names = list(train.galleries)
    sizes = [len(train.galleries[name]) for name in names]

    def epoch(number: int) -> dict[str, float]:
        draw = random.Random(f"{settings.seed}-{number}")
        total, steps = 0.0, max(1, settings.pairs // settings.batch)
        for _ in range(steps):
            drawn = train.drawn(draw.choices(names, weights=sizes)[0], settings.batch, draw)
            loss = triplet_loss(_scores(model, train, drawn, drawn[1]), settings.margin)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += float(loss.detach())
        return {"loss": total / steps}

    def score() -> float:
        found = recalls(model, pairs["validation"], settings.seed)
        return sum(sum(one.values()) for one in found.values())

    running.run(settings.epochs, epoch, score)


def _scores(
    model: SingleTurn, pairs: CategoryPairs, drawn: tuple[Tensor, Tensor, Tensor], gallery: Tensor | Sequence[int]
) -> Tensor:
    reference, _, words = drawn
    device = model.join[0].weight.device
    whole = pairs.products.whole
    query = model(whole[reference].to(device), pairs.named[reference].to(device), words.to(device))
    return query @ whole[gallery].to(device).T


@torch.no_grad()
def recalls(model: SingleTurn, pairs: CategoryPairs, seed: int) -> dict[str, dict[str, float]]:
    """R@10 and R@50 of each category's products, each looked for in the gallery of its category."""
    model.eval()
    made = {}
    for category, places in pairs.galleries.items():
        drawn = pairs.drawn(category, len(places), random.Random(f"{seed}-{category}"))
        at = {place: column for column, place in enumerate(places)}
        scores = _scores(model, pairs, drawn, places).cpu()
        own = scores.gather(1, torch.tensor([[at[place]] for place in drawn[1].tolist()]))
        ranks = (scores > own).sum(dim=1)
        made[category] = {f"R@{cut}": round(100 * float((ranks < cut).float().mean()), 1) for cut in (10, 50)}
    return made
