"""Trains Fashion IQ's dialog retriever in a loop with the frozen simulated user, five turns a dialogue."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.datasets.product_attributes import TOP
from visavis.lab.networks.drilldown import triplet_loss
from visavis.lab.networks.fashioniq import DialogRetriever, History, RecurrentRetriever, RetrieverShape, top_attributes
from visavis.lab.training.attributes import load_predictor, predicted
from visavis.lab.training.captioner import ProductPairs, load_captioner
from visavis.lab.training.dialog_loop import (
    TURNS,
    CaptionerUser,
    CatalogueUser,
    Dialogues,
    DialogUser,
    MixedUser,
    RecordedDialogues,
)
from visavis.lab.training.dialog_loop import dialog_figures as figures_of
from visavis.lab.training.epochs import EpochRun, EpochSettings, Report, chosen_device, seed_everything
from visavis.lab.training.product_vectors import Part, ProductVectors, open_texts, read_product_vectors

KINDS: dict[str, Callable[[RetrieverShape], DialogRetriever | RecurrentRetriever]] = {
    "transformer": DialogRetriever,
    "rnn": RecurrentRetriever,
}
#: So many of the largest categories have a gallery of their own, as the paper has dresses, shirts and tops.
_CATEGORIES = 3
LOSSES = ("triplet", "nce", "both")
_SCALE = 40.0
#: Products held out that are looked for among all of them.
_REPORTED = 1000


@dataclass(frozen=True)
class FashioniqSettings(EpochSettings):
    """What a person chooses of a run.

    Attributes:
        predictor: The run that trained the attribute predictor.
        captioner: The run that trained the captioner.
        towers: The encoder's weights, where they are not those that ship.
        other_captioner: A second captioner, for the grid of retrievers and users; none unless told.
        kind: ``transformer``, or ``rnn`` for the retriever of Guo et al.
        attributes: Whether attributes are read.
        catalogue: The share of feedback made of the catalogue instead of by the captioner.
        openings: The share of dialogues that begin with a description instead of a random product.
        loss: ``triplet`` as in the paper, ``nce`` over the whole gallery, or ``both``.
        layers: Layers.
        width: Hidden units.
        inner: Width inside a layer.
        steps: Steps of an epoch.
        ahead: Steps whose dialogues are played at once, since a user who answers many answers hardly slower.
        validated: Dialogues that validate.
        margin: The margin of the triplet loss.
    """

    patience: int = 8
    _: KW_ONLY
    predictor: Path
    captioner: Path
    towers: Path | None = None
    other_captioner: Path | None = None
    kind: str = "transformer"
    attributes: bool = True
    catalogue: float = 0.5
    openings: float = 0.5
    loss: str = "both"
    layers: int = 6
    width: int = 256
    inner: int = 512
    steps: int = 40
    ahead: int = 8
    validated: int = 500
    margin: float = 0.1


@dataclass(frozen=True)
class Ground:
    """Products of a part, ready to talk about.

    Attributes:
        products: The products.
        dialogues: With the user of training.
        users: Users by name, for figures.
    """

    products: ProductVectors
    dialogues: Dialogues
    users: dict[str, DialogUser]

    def with_user(self, user: DialogUser) -> Dialogues:
        """The same dialogues with another user."""
        kept = self.dialogues
        return Dialogues(kept.products, kept.attributes, kept.texts, user, kept.words)


def dialog_loss(query: Tensor, targets: Tensor, gallery: Tensor, settings: FashioniqSettings) -> Tensor:
    """The loss of a turn's queries: hardest negatives of the step, and the cross entropy over the gallery."""
    total = query.new_zeros(())
    if settings.loss in ("triplet", "both"):
        total = total + triplet_loss(query @ gallery[targets].T, settings.margin)
    if settings.loss in ("nce", "both"):
        total = total + F.cross_entropy(_SCALE * (query @ gallery.T), targets)
    return total


def run(settings: FashioniqSettings, report: Report = str) -> dict[str, Any]:
    """Train, or go on where a run was stopped; export; return the paper's figures on validation and held out."""
    seed_everything(settings.seed)
    device = chosen_device(settings.device)
    products = read_product_vectors(settings.data, settings.vectors, settings.limit)
    grounds, number, fingerprint = _grounds(settings, products, device)
    width = products["train"].whole.shape[1]
    shape = RetrieverShape(
        attributes=number if settings.attributes else 0,
        dimension=width,
        width=settings.width,
        layers=settings.layers,
        inner=settings.inner,
    )
    model = KINDS[settings.kind](shape).to(device)
    optimiser = torch.optim.AdamW(model.parameters(), settings.rate, weight_decay=1e-2)
    running = EpochRun(model, optimiser, settings.out, settings.patience, settings.seconds, report)
    running.resume()
    ground, validation = grounds["train"], grounds["validation"]
    gallery = ground.products.whole.to(device)
    kinds = [places for places in ground.products.groups("articleType").values() if len(places) > 1]

    def queries(history: History) -> Tensor:
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            return torch.as_tensor(model(history)).float()

    def epoch(number: int) -> dict[str, float]:
        draw = random.Random(f"{settings.seed}-{number}")
        totals = [0.0] * TURNS
        for step in range(settings.steps):
            for group in optimiser.param_groups:
                warm = min(1.0, (number * settings.steps + step + 1) / 100)
                group["lr"] = settings.rate * warm * 0.97**number
            if step % settings.ahead == 0:
                left = min(settings.ahead, settings.steps - step)
                batches = [_drawn(kinds, len(gallery), settings.batch, draw) for _ in range(left)]
                drawn = [place for batch in batches for place in batch]
                starts = [None if draw.random() < settings.openings else draw.randrange(len(gallery)) for _ in drawn]
                turns = ground.dialogues.play(drawn, starts, queries, draw, gallery, skip_target=True)
                played = RecordedDialogues.of(turns)
                begin = 0
            batch = batches[step % settings.ahead]
            rows, begin = slice(begin, begin + len(batch)), begin + len(batch)
            targets = torch.tensor(batch, device=device)
            losses = [dialog_loss(queries(past), targets, gallery, settings) for past in played.prefixes(rows)]
            optimiser.zero_grad()
            torch.stack(losses).mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            totals = [total + float(loss.detach()) for total, loss in zip(totals, losses, strict=True)]
        return {f"loss {turn}": total / settings.steps for turn, total in enumerate(totals, 1)}

    targets = list(range(len(validation.products)))[: settings.validated]

    def score() -> float:
        return float(figures_of(validation.dialogues, model, targets)["mean R@10"])

    before = figures_of(validation.dialogues, model.eval(), targets)
    running.run(settings.epochs, epoch, score)
    figures: dict[str, Any] = {
        "settings": {key: str(value) if isinstance(value, Path) else value for key, value in asdict(settings).items()},
        "products": len(products["train"]),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "before": before,
        "validation": figures_of(validation.dialogues, model, targets),
    }
    if settings.kind == "transformer" and settings.attributes:
        from visavis.lab.training.retriever_export import export_fashioniq

        predictor, table = load_predictor(settings.predictor)
        kept = {key: figures[key] for key in ("products", "before", "validation")}
        assert isinstance(model, DialogRetriever)
        export_fashioniq(model, predictor, table, fingerprint, settings.out / "ship", kept)
    figures["epochs"] = running.epoch
    figures["held"] = _held(grounds["held"], model)
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return figures


def _grounds(
    settings: FashioniqSettings, products: dict[Part, ProductVectors], device: str
) -> tuple[dict[Part, Ground], int, str]:
    """Each part's products with their users, the number of attributes, and the encoder's fingerprint."""
    predictor, table = load_predictor(settings.predictor)
    texts, fingerprint = open_texts(settings.towers, device)
    folders = {"captioner": settings.captioner, "other captioner": settings.other_captioner}
    captioners = {name: load_captioner(folder) for name, folder in folders.items() if folder is not None}
    made: dict[Part, Ground] = {}
    for part, some in products.items():
        named = top_attributes(predicted(predictor.to(device), some), TOP)
        catalogue = CatalogueUser(some)
        users: dict[str, DialogUser] = {"catalogue": catalogue}
        for name, (captioner, vocabulary, _) in captioners.items():
            pairs = ProductPairs(some, named, vocabulary, table.names)
            beam = 5 if part == "held" else 0
            users[name] = CaptionerUser(captioner.to(device), vocabulary, pairs, beam=beam)
        user = MixedUser(users["captioner"], catalogue, settings.catalogue)
        dialogues = Dialogues(some, named.to(device), texts, user, RetrieverShape(attributes=0).words)
        made[part] = Ground(some, dialogues, users)
    return made, len(table), fingerprint


def _drawn(kinds: Sequence[Sequence[int]], number: int, batch: int, draw: random.Random) -> list[int]:
    """Targets of a step: half of a few kinds, whose products are hard to tell apart, half of any."""
    chosen: dict[int, None] = {}
    while len(chosen) < min(batch // 2, number // 2):
        places = draw.choices(kinds, weights=[len(some) for some in kinds])[0]
        chosen.update(dict.fromkeys(draw.sample(places, min(len(places), 32))))
    while len(chosen) < min(batch, number):
        chosen[draw.randrange(number)] = None
    return list(chosen)[:batch]


def _held(ground: Ground, model: torch.nn.Module) -> dict[str, Any]:
    """The paper's figures with each user: among all products held out, and in galleries of the largest categories."""
    model.eval()
    made: dict[str, Any] = {}
    for name, user in ground.users.items():
        dialogues = ground.with_user(user)
        made[name] = {"all": figures_of(dialogues, model, range(min(_REPORTED, len(ground.products))))}
        for category, own in largest_categories(ground.products).items():
            made[name][category] = _in_category(ground, user, own, model)
    return made


def largest_categories(products: ProductVectors) -> dict[str, list[int]]:
    """The places of the products of the largest categories, the largest first."""
    found = {name: places for name, places in products.groups("subCategory").items() if name and len(places) > 1}
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1]))[:_CATEGORIES])


def _in_category(ground: Ground, user: DialogUser, places: Sequence[int], model: torch.nn.Module) -> dict[str, Any]:
    """Figures in a gallery of one category."""

    class Among:
        def say(self, reference: Sequence[int], target: Sequence[int], draw: random.Random) -> list[str]:
            return user.say([places[p] for p in reference], [places[p] for p in target], draw)

    kept = ground.dialogues
    dialogues = Dialogues(ground.products.only(places), kept.attributes[list(places)], kept.texts, Among(), kept.words)
    return figures_of(dialogues, model, range(len(places)))
