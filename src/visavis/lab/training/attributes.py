"""Trains Fashion IQ's attribute predictor on products: labels of the catalogue, vectors of the frozen encoder."""

from __future__ import annotations

import json
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.datasets.product_attributes import TOP, TYPES, AttributeTable, mined_table
from visavis.lab.networks.fashioniq import AttributePredictor, average_precisions, top_attributes
from visavis.lab.training.epochs import BEST, EpochRun, EpochSettings, Report, chosen_device, seed_everything
from visavis.lab.training.product_vectors import ProductVectors, read_product_vectors

TABLE = "attributes.json"
_AT_ONCE = 2048


@dataclass(frozen=True)
class AttributeSettings(EpochSettings):
    """What a person chooses of a run.

    Attributes:
        inner: Width of the head.
        least: Attributes that fewer products have are not learned.
    """

    rate: float = 1e-3
    patience: int = 6
    _: KW_ONLY
    inner: int = 256
    least: int = 40


@torch.no_grad()
def predicted(model: AttributePredictor, products: ProductVectors) -> Tensor:
    """The logits of products, ``[n, a]``, on the CPU."""
    device = model.fc1.weight.device
    model.eval()
    made = []
    for start in range(0, len(products), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        regions = torch.from_numpy(products.regions[part]).to(device).float()
        made.append(model(products.whole[part].to(device), regions).cpu())
    return torch.cat(made)


def attribute_figures(logits: Tensor, labels: Tensor, table: AttributeTable) -> dict[str, Any]:
    """Precision and recall of the first eight, and mean average precision by type.

    A product has about four labels, so a precision of one half is all that there can be.
    """
    right = labels.gather(1, top_attributes(logits, TOP))
    number = labels.sum(dim=1)
    found = average_precisions(logits, labels)
    by_type = {}
    for kind in TYPES:
        own = found[table.of_type(kind)]
        own = own[~own.isnan()]
        by_type[kind] = {"attributes": len(own), "mAP": round(100 * float(own.mean()), 1) if len(own) else None}
    possible = torch.minimum(number, torch.tensor(float(TOP))) / TOP
    return {
        "products": len(logits),
        "labels": round(float(number.mean()), 2),
        "P@8": round(100 * float(right.mean()), 1),
        "P@8 possible": round(100 * float(possible.mean()), 1),
        "recall@8": round(100 * float((right.sum(dim=1) / number.clamp(min=1))[number > 0].mean()), 1),
        "mAP": round(100 * float(found[~found.isnan()].mean()), 1),
        "by type": by_type,
    }


def run(settings: AttributeSettings, report: Report = str) -> dict[str, Any]:
    """Train, or go on where a run was stopped; return the figures on validation and on the products held out."""
    seed_everything(settings.seed)
    products = read_product_vectors(settings.data, settings.vectors, settings.limit)
    train, validation = products["train"], products["validation"]
    table = mined_table(train.rows, settings.least)
    settings.out.mkdir(parents=True, exist_ok=True)
    shape = {"dimension": train.whole.shape[1], "inner": settings.inner}
    (settings.out / TABLE).write_text(json.dumps({**table.as_json(), **shape}) + "\n", "utf-8")
    device = chosen_device(settings.device)
    model = AttributePredictor(len(table), train.whole.shape[1], settings.inner).to(device)
    optimiser = torch.optim.AdamW(model.parameters(), settings.rate, weight_decay=1e-2)
    running = EpochRun(model, optimiser, settings.out, settings.patience, settings.seconds, report)
    running.resume()
    labels, wanted = train.labels(table), validation.labels(table)

    def epoch(number: int) -> dict[str, float]:
        draw = torch.Generator().manual_seed(settings.seed * 1000 + number)
        order, total = torch.randperm(len(train), generator=draw), 0.0
        parts = order.split(settings.batch)
        for part in parts:
            regions = torch.from_numpy(train.regions[part.numpy()]).to(device).float()
            logits = model(train.whole[part].to(device), regions)
            loss = F.binary_cross_entropy_with_logits(logits, labels[part].to(device))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += float(loss.detach())
        return {"loss": total / max(1, len(parts))}

    def score() -> float:
        found = average_precisions(predicted(model, validation), wanted)
        return float(found[~found.isnan()].mean())

    running.run(settings.epochs, epoch, score)
    figures: dict[str, Any] = {"products": len(train), "attributes": len(table)}
    for part, label in (("validation", wanted), ("held", products["held"].labels(table))):
        chosen = validation if part == "validation" else products["held"]
        figures[part] = attribute_figures(predicted(model, chosen), label, table)
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return figures


def load_predictor(folder: Path) -> tuple[AttributePredictor, AttributeTable]:
    """The best predictor of a run, and its table."""
    described = json.loads((folder / TABLE).read_text("utf-8"))
    table = AttributeTable.from_json(described)
    model = AttributePredictor(len(table), described["dimension"], described["inner"])
    model.load_state_dict(torch.load(folder / BEST, map_location="cpu", weights_only=True))
    return model.eval(), table
