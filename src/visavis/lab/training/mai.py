"""Trains MAI on sessions over products: the cyclic combination loss of every turn, and rows of ablations."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.encoders.base import TOKENIZER, read_description
from visavis.errors import BadInputError
from visavis.lab.datasets.multiturn import Session, read_sessions
from visavis.lab.datasets.product_attributes import Product, products_of
from visavis.lab.datasets.protocol import find_rows, read_rows
from visavis.lab.evaluation.gallery import read_ids
from visavis.lab.networks.mai import CyclicLoss, Mai, MaiShape
from visavis.lab.networks.towers import TorchTextEncoder
from visavis.lab.simulation.modifications import SessionMaker
from visavis.lab.training.epochs import EpochRun, EpochSettings, Report, chosen_device, seed_everything
from visavis.lab.training.mai_figures import HeldOut, baselines, figures_of, mean_recall, ranks_of
from visavis.lab.training.mai_material import (
    ROLLBACKS,
    PictureTable,
    Rollback,
    SessionTable,
    TextTable,
    batches,
    picture_table,
    play,
    session_tables,
    text_table,
)
from visavis.lab.training.product_vectors import PARTS, TOWERS, part_of

TURNS = (2, 3, 4, 5, 6)
#: What the vectors that the store finds pictures by count beside the loss of the paper.
_FIRST_STAGE = 0.25
#: The share of captions that are hidden in training, so that pictures without one are found as well.
_HIDDEN = 0.3
#: The share of training sessions that begin with a description, as live conversations do.
_OPENINGS = 0.3


@dataclass(frozen=True)
class MaiSettings(EpochSettings):
    """What a person chooses of a run.

    Attributes:
        towers: The encoder's folder.
        sessions: A file in FashionMT's layout to train on; made from the data unless told.
        rows: The names of the rows to train (see ``ROWS``); ``full`` is the model that ships.
        tokens: Learned tokens.
        made: Sessions to make for training.
        validated: Sessions to validate on, and as many again to report.
        each: Sessions of an epoch.
    """

    batch: int = 256
    patience: int = 12
    _: KW_ONLY
    towers: Path
    sessions: Path | None = None
    rows: tuple[str, ...] = ("full",)
    tokens: int = 32
    made: int = 40_000
    validated: int = 1000
    each: int = 10_000


@dataclass(frozen=True)
class AblationRow:
    """A variant: what differs from the whole model.

    Attributes:
        shape: Values of the shape.
        terms: The terms of the loss.
        rollback: The setting of rollback, in training and in the figures.
        noise: Whether noise is added to the requests in training (the paper's Table 8).
    """

    shape: Mapping[str, Any]
    terms: tuple[str, ...] = CyclicLoss.TERMS
    rollback: Rollback = "replace"
    noise: bool = False


_ALONE = ("rt",)
#: The rows by name: the paper's Tables 3 (base to tsa-mio), 5 (concat to ntm), 6 (no-rt to no-cr), 8 (noise) and
#: 9 (ignore to blend), and others.
ROWS: dict[str, AblationRow] = {
    "full": AblationRow({}),
    "base": AblationRow({"captions": False, "memory": "none"}, _ALONE),
    "tsa": AblationRow({"memory": "none"}, _ALONE),
    "mio": AblationRow({"captions": False}, _ALONE),
    "tsa-ccl": AblationRow({"memory": "none"}),
    "tsa-mio": AblationRow({}, _ALONE),
    "no-captions": AblationRow({"captions": False}),
    "concat": AblationRow({"memory": "concat"}),
    "gru": AblationRow({"memory": "gru"}),
    "lstm": AblationRow({"memory": "lstm"}),
    "ntm": AblationRow({"memory": "ntm"}),
    "noise": AblationRow({}, noise=True),
    "base-noise": AblationRow({"captions": False, "memory": "none"}, _ALONE, noise=True),
    "printed": AblationRow({"form": "printed"}),
    "unmarked": AblationRow({"marks": False}),
    **{
        f"no-{term}": AblationRow({}, tuple(other for other in CyclicLoss.TERMS if other != term))
        for term in CyclicLoss.TERMS
    },
    **{f"tokens-{number}": AblationRow({"tokens": number}) for number in (4, 8, 16, 64)},
    "ignore": AblationRow({}, rollback="ignore"),
    "random": AblationRow({}, rollback="random"),
    "blend": AblationRow({}, rollback="blend"),
}


@dataclass(frozen=True)
class MaiMaterial:
    """Everything that rows share."""

    pictures: PictureTable
    texts: TextTable
    train: Mapping[int, SessionTable]
    tuning: HeldOut
    report: HeldOut
    fingerprint: str


def read_material(settings: MaiSettings, device: str) -> MaiMaterial:
    """Sessions for training, validation and report; held-out products are never trained on."""
    seen = set(read_ids(settings.vectors))
    products = [product for product in products_of(read_rows(find_rows(settings.data))) if product.id in seen]
    train, tuning, report = ([one for one in products if part_of(one.id, one.split) == part] for part in PARTS)
    if not train or not tuning or not report:
        raise BadInputError("There is nothing to train or to report on.", "The data needs products held out.")
    sessions = _training_sessions(settings, train)
    weights = settings.towers / TOWERS
    encoder = TorchTextEncoder(weights if weights.is_file() else settings.towers, settings.towers / TOKENIZER, device)
    captions = {product.id: product.title for product in products}
    for one in sessions:
        captions |= {id: text for id, text in zip(one.pictures, one.captions, strict=True) if id and text}
    pictures = picture_table(settings.vectors, captions, encoder, settings.towers, device)
    numbers = {id: number for number, id in enumerate(pictures.ids)}
    held = (tuning, report)
    played = [list(SessionMaker(part, settings.seed + 1).sessions(settings.validated, TURNS)) for part in held]
    texts = list(dict.fromkeys(r.text for part in (sessions, *played) for one in part for r in one.requests))
    joined = [" ".join(f"{r.text}." for r in one.requests) for one in played[1]]
    read = text_table(texts, encoder, device)
    known = {text: number for number, text in enumerate(texts)}
    galleries = [torch.tensor([numbers[product.id] for product in part], device=device) for part in held]
    tables = [session_tables(part, numbers, known, device) for part in played]
    said = encoder.encode(joined).to(device)
    return MaiMaterial(
        pictures,
        read,
        session_tables(sessions, numbers, known, device),
        HeldOut(tables[0], galleries[0]),
        HeldOut(tables[1], galleries[1], _by_turns(played[1], said)),
        read_description(settings.towers).fingerprint,
    )


def _training_sessions(settings: MaiSettings, products: Sequence[Product]) -> list[Session]:
    if settings.sessions is None:
        return list(SessionMaker(products, settings.seed, _OPENINGS).sessions(settings.made, TURNS))
    known = {product.id for product in products}
    read = read_sessions(settings.sessions)
    found = [one for one in read if all(id in known for id in one.pictures if id)]
    if not found:
        raise BadInputError(f"No session of {settings.sessions} is about products to train on.")
    return found


def _by_turns(sessions: Sequence[Session], vectors: Tensor) -> dict[int, Tensor]:
    places: dict[int, list[int]] = {}
    for at, session in enumerate(sessions):
        places.setdefault(len(session.requests), []).append(at)
    return {turns: vectors[torch.tensor(own, device=vectors.device)] for turns, own in sorted(places.items())}


class _Trained(nn.Module):
    """The network and its loss: what a checkpoint holds."""

    def __init__(self, model: Mai, loss: CyclicLoss) -> None:
        super().__init__()
        self.model, self.loss = model, loss


def losses(
    both: _Trained, sessions: SessionTable, material: MaiMaterial, row: AblationRow, hidden: Tensor | None = None
) -> Tensor:
    """The loss of a batch: of all turns, and of the vector by which a store finds pictures."""
    total = sessions.pictures.new_zeros((), dtype=torch.float32)
    texts = replace(material.texts, noise=row.noise)
    turns = play(both.model, sessions, material.pictures, texts, how=row.rollback, hidden=hidden)
    for turn in turns:
        with torch.autocast(turn.query.device.type, enabled=False):
            captions = material.pictures.captions[turn.numbers].float()
            query, target = turn.query.float(), turn.target.float()
            total = total + both.loss(query, target, turn.said, captions, turn.numbers)
            stored = F.normalize(material.pictures.whole[turn.numbers].float(), dim=-1)
            total = total + _FIRST_STAGE * both.loss.batch_loss(query, stored, turn.numbers)
    return total / sessions.turns


def train_row(name: str, settings: MaiSettings, material: MaiMaterial, report: Report) -> tuple[Mai, dict[str, Any]]:
    """Train one row, or go on where it was stopped; its network and its figures."""
    row = ROWS[name]
    device = chosen_device(settings.device)
    seed_everything(settings.seed)
    shape = MaiShape(
        **{
            "tokens": settings.tokens,
            "dimension": material.pictures.whole.shape[1],
            "regions": material.pictures.regions.shape[1],
            "width": material.pictures.words.shape[1],
            **row.shape,
        }
    )
    both = _Trained(Mai(shape), CyclicLoss(shape.dimension, row.terms)).to(device)
    optimiser = torch.optim.AdamW(both.parameters(), settings.rate, weight_decay=0.01)
    out = settings.out / name
    running = EpochRun(both, optimiser, out, settings.patience, settings.seconds, report)
    running.resume()
    started = time.monotonic()

    def epoch(number: int) -> dict[str, float]:
        draw = random.Random(f"{settings.seed}-{number}")
        chosen = batches(material.train, settings.batch, draw)[: max(1, settings.each // settings.batch)]
        total = torch.zeros((), device=device)
        for step, (turns, places) in enumerate(chosen):
            done = max((number + step / len(chosen)) / settings.epochs, (time.monotonic() - started) / settings.seconds)
            for group in optimiser.param_groups:
                warm = min(1.0, (number * len(chosen) + step + 1) / 50)
                group["lr"] = warm * settings.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(done, 1.0))))
            sessions = material.train[turns].rows(places)
            hidden = torch.rand(sessions.pictures.shape, device=device) < _HIDDEN
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                loss = losses(both, sessions, material, row, hidden)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(both.parameters(), 1.0)
            optimiser.step()
            total += loss.detach()
        return {"loss": float(total) / max(len(chosen), 1)}

    def score() -> float:
        found = ranks_of(both.model, material.tuning, material.pictures, material.texts, how=row.rollback)
        return mean_recall(found)

    running.run(settings.epochs, epoch, score)
    figures: dict[str, Any] = {"shape": asdict(shape), "epochs": running.epoch, "best": round(running.best, 4)}
    figures["parameters"] = sum(parameter.numel() for parameter in both.model.parameters())
    figures["report"] = figures_of(
        ranks_of(both.model, material.report, material.pictures, material.texts, how=row.rollback)
    )
    begun = {turns: table.first_turn() for turns, table in material.report.sessions.items()}
    first = replace(material.report, sessions=begun)
    figures["first turn"] = figures_of(ranks_of(both.model, first, material.pictures, material.texts))["kinds"]
    return both.model, figures


def run(settings: MaiSettings, report: Report = str) -> dict[str, Any]:
    """Train the rows one after another, export the whole model, and return the figures."""
    if unknown := [name for name in settings.rows if name not in ROWS]:
        raise BadInputError(f"There is no row '{unknown[0]}'.", f"Use some of {', '.join(ROWS)}.")
    seed_everything(settings.seed)
    device = chosen_device(settings.device)
    settings.out.mkdir(parents=True, exist_ok=True)
    material = read_material(settings, device)
    counts = {turns: len(table) for turns, table in material.train.items()}
    figures: dict[str, Any] = {
        "encoder": material.fingerprint,
        "sessions": counts,
        "reported": {turns: len(table) for turns, table in material.report.sessions.items()},
        "gallery": len(material.report.gallery),
        "baselines": baselines(material.report, material.pictures, material.texts),
        "rows": {},
    }
    for name in settings.rows:
        begun = time.monotonic()
        model, told = train_row(name, settings, material, report)
        figures["rows"][name] = told | {"seconds": round(time.monotonic() - begun, 1)}
        if name == "full":
            _finish(model, settings, material, figures)
        (settings.out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
        report(json.dumps({"row": name, **told["report"]["mean"]}))
    return figures


def _finish(model: Mai, settings: MaiSettings, material: MaiMaterial, figures: dict[str, Any]) -> None:
    """Measure the whole model with other settings than it was trained with, and export it."""
    from visavis.lab.training.retriever_export import export_mai

    told = figures["rows"]["full"]
    given = (model, material.report, material.pictures, material.texts)
    told["rollback untrained"] = {how: figures_of(ranks_of(*given, how=how))["mean"] for how in ROLLBACKS}
    told["without captions"] = figures_of(ranks_of(*given, hide="gallery"))
    told["without any caption"] = figures_of(ranks_of(*given, hide="all"))
    every = torch.arange(1, len(material.pictures.ids), device=material.report.gallery.device)
    whole = replace(material.report, gallery=every)
    told["whole gallery"] = figures_of(ranks_of(model, whole, material.pictures, material.texts)) | {
        "gallery": len(every)
    }
    told["first stage"] = figures_of(ranks_of(*given, stored=True))
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    trained = {
        "epochs": told["epochs"],
        "sessions": sum(figures["sessions"].values()),
        "report": told["report"]["mean"],
    }
    export_mai(model, material.fingerprint, settings.out / "ship", trained)
