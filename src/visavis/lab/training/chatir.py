"""Trains ChatIR's retriever: dialogues made of COCO's texts, the vector of the picture as the target."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from visavis.encoders.base import TOKENIZER
from visavis.encoders.builtin import BuiltinEncoder
from visavis.lab.datasets.scene_dialogues import MASKINGS, THERE, Masking, asked_phrasings, read_published
from visavis.lab.networks.chatir import DialogEncoder, DialogHead, HeadShape, info_nce, recall_surrogate
from visavis.lab.networks.towers import TextTower, fill, read_towers
from visavis.lab.training.dialogue_feed import DialogueFeed, DialogueMaker, Tokens
from visavis.lab.training.epochs import EpochRun, Report, chosen_device, seed_everything
from visavis.lab.training.scene_parts import TOWERS, SceneParts, SceneSettings, read_parts, settings_json, train_epoch
from visavis.search.learned.chatir import Dialog

Loss = Literal["recall", "nce", "both"]
#: Figures by round, and the ranks of the targets ``[n, rounds + 1]``, both by the size of the gallery.
Tested = tuple[dict[str, Any], dict[str, NDArray[np.int32]]]
#: The networks by their names on the command line.
PARTS = ("head", "all")
#: The paper's rows beside the model, by what differs from the settings.
ROWS: Mapping[str, Mapping[str, Any]] = {
    "captions-only": {"captions_only": True, "masking": "none"},
    "tower": {"part": "all", "rate": 5e-5},
}
#: The masking table, and the residual beside its row of masked captions: on a quarter of the pictures, all with the
#: same number of epochs.
QUARTER_ROWS: Mapping[str, Mapping[str, Any]] = {
    **{f"masking-{name}": {"masking": name} for name in MASKINGS},
    "residual-8": {"rank": 8},
}
#: The galleries that targets are looked for in: the paper's size, and all.
_GALLERIES = (50_000, None)
#: Dialogues of like length that are read at once.
_TOGETHER = 256
#: Rounds after which a look at the validation counts.
_VALIDATED = (0, 2, 5, 10)


@dataclass(frozen=True)
class ChatirSettings(SceneSettings):
    """What a person chooses of a run; the learning rate decays by 0.93 an epoch.

    Attributes:
        part: What is trained: the head alone, or the tower as well (needs a GPU).
        masking: What is hidden of the dialogues in training.
        loss: The Recall@K surrogate, InfoNCE, or their sum.
        captions_only: The baseline: the same network fine-tuned on captions alone.
        rank: The rank of the residual on pictures' vectors; 0 for none.
        inner: The width of the head.
        rounds: Rounds of a dialogue at most.
        among: Other pictures that each step ranks its own among.
        dialogs: A file or a folder of published dialogues: they train where their picture has a vector, and word the
            questions of the others.
        workers: Processes that make dialogues.
    """

    epochs: int = 36
    batch: int = 512
    rate: float = 5e-4
    patience: int = 5
    part: str = "head"
    masking: Masking = "caption"
    loss: Loss = "both"
    captions_only: bool = False
    rank: int = 0
    inner: int = 192
    rounds: int = 10
    among: int = 0
    dialogs: Path | None = None
    workers: int = 0


def dialog_encoder(encoder: BuiltinEncoder, settings: ChatirSettings) -> DialogEncoder:
    """The dialog encoder to begin with: the encoder's text tower, and a head that changes nothing yet."""
    tower = TextTower()
    source = encoder.description.folder if settings.towers is None else settings.towers / TOWERS
    fill(tower, read_towers(source)["text"])
    head = DialogHead(HeadShape(inner=settings.inner, rank=settings.rank))
    return DialogEncoder(tower, head, frozen=settings.part == "head")


@dataclass(frozen=True)
class ChatirMaterial:
    """Scenes with what every run about them shares.

    Attributes:
        parts: The scenes.
        maker: Makes dialogues of those to train on.
        whole: The vectors of all pictures ``[n, d]``, also of those without texts, on the device.
        kept: The dialogues that validate and test as token numbers, for further runs.
        before: What is found before any training, by the rounds of a dialogue: the same in every run, since heads begin
            as no change.
    """

    parts: SceneParts
    maker: DialogueMaker
    whole: Tensor
    kept: dict[tuple[str, int, int], Tokens] = field(default_factory=dict)
    before: dict[int, Tested] = field(default_factory=dict)

    def places(self, scenes: Sequence[Any]) -> Tensor:
        """The rows of scenes in the vectors of all pictures."""
        return torch.tensor([self.parts.places[scene.id] for scene in scenes], device=self.whole.device)

    def dialogs(self, which: str, rounds: int) -> list[Dialog]:
        """The same whole dialogues in every run: of those that validate (``held``) or ``test``."""
        scenes = self.parts.held if which == "held" else self.parts.test
        maker = replace(self.maker, scenes=scenes, published={}, rounds=rounds)
        return [maker.whole(place, random.Random(f"{which}-{scene.id}")) for place, scene in enumerate(scenes)]


def read_material(settings: ChatirSettings, encoder: BuiltinEncoder) -> ChatirMaterial:
    """The scenes of a folder, published dialogues, and the vectors of all pictures."""
    parts = read_parts(settings, lambda scene: bool(scene.sentences))
    told = read_published(settings.dialogs) if settings.dialogs else []
    published: dict[str, list[Dialog]] = {}
    trained = {scene.id for scene in parts.train}
    for dialog in told:
        if dialog.image in trained:
            published.setdefault(dialog.image, []).append(dialog)
    phrasings = asked_phrasings(told, parts.classes) or THERE
    tokenizer = encoder.description.file(TOKENIZER)
    maker = DialogueMaker(parts.train, parts.classes, tokenizer, phrasings, published, seed=settings.seed)
    whole = torch.from_numpy(np.asarray(np.load(settings.vectors / "whole.npy"), np.float32))
    return ChatirMaterial(parts, maker, whole)


def loss_of(scores: Tensor, kind: Loss) -> Tensor:
    """The loss of scores ``[n, p]``, the right picture of row i at column i."""
    if kind == "both":
        return recall_surrogate(scores) + info_nce(scores)
    return recall_surrogate(scores) if kind == "recall" else info_nce(scores)


@torch.no_grad()
def queries(model: DialogEncoder, read: Tokens, batch: int = 512) -> Tensor:
    """The queries of dialogues ``[n, d]``."""
    places = torch.arange(len(read.lengths), device=read.lengths.device)
    return torch.cat([_query(model, read, few) for few in places.split(batch)])


def _query(model: DialogEncoder, read: Tokens, places: Tensor) -> Tensor:
    """The queries of some dialogues; those of like length are read together, since padding costs as much as words."""
    order = read.lengths[places].argsort()
    found = torch.cat([_query_of_few(model, read, few) for few in places[order].split(_TOGETHER)])
    return found[order.argsort()]


def _query_of_few(model: DialogEncoder, read: Tokens, places: Tensor) -> Tensor:
    ids, mask = read.batch(places)
    with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=ids.device.type == "cuda"):
        whole, tokens = model.read(ids, mask)
    whole = torch.nn.functional.normalize(whole.float(), dim=-1)
    return model.head(tokens.float(), mask, whole)


@torch.no_grad()
def target_ranks(found: Tensor, own: Tensor, gallery: Tensor, batch: int = 256) -> NDArray[np.int64]:
    """The rank of each query's own picture, counted from one.

    Args:
        found: Queries ``[n, d]``.
        own: The vectors of their pictures ``[n, d]``.
        gallery: The vectors of all pictures ``[p, d]``, those among them.
        batch: Queries at once.
    """
    ranks = []
    for few, right in zip(found.split(batch), own.split(batch), strict=True):
        # A picture is not above itself: rounding differs between the two products.
        ranks.append((1 + (few @ gallery.T > (few * right).sum(dim=1, keepdim=True) + 1e-6).sum(dim=1)).cpu())
    return torch.cat(ranks).numpy()


def run(
    settings: ChatirSettings, encoder: BuiltinEncoder, report: Report = str, material: ChatirMaterial | None = None
) -> dict[str, Any]:
    """Train, or go on where a run was stopped; export; return Hits@10 and mean rank by round.

    Args:
        settings: What was chosen.
        encoder: The encoder of the vectors.
        report: Is told each epoch's line.
        material: Its material, where several runs share it.
    """
    seed_everything(settings.seed)
    material = material or read_material(settings, encoder)
    device = chosen_device(settings.device)
    train = material.parts.train[: settings.limit]
    rounds = 0 if settings.captions_only else settings.rounds
    maker = replace(material.maker, scenes=train, masking=settings.masking, rounds=rounds)
    feed = DialogueFeed(maker, device, settings.workers)
    try:
        return _trained(settings, encoder, report, material, train, feed)
    finally:
        feed.close()


def _trained(
    settings: ChatirSettings,
    encoder: BuiltinEncoder,
    report: Report,
    material: ChatirMaterial,
    train: Sequence[Any],
    feed: DialogueFeed,
) -> dict[str, Any]:
    device = chosen_device(settings.device)
    material = replace(material, whole=material.whole.to(device))
    model = dialog_encoder(encoder, settings).to(device)
    trained = model.head if model.frozen else model
    optimiser = torch.optim.AdamW(trained.parameters(), settings.rate)
    running = EpochRun(trained, optimiser, settings.out, settings.patience, settings.seconds, report)
    running.resume()
    rows = material.places(train)
    validated = (0,) if settings.captions_only else _VALIDATED
    held, held_rows = _read(material, "held", settings, validated), material.places(material.parts.held)
    chance = torch.Generator(device)

    def epoch(number: int) -> dict[str, float]:
        chance.manual_seed(settings.seed * 10_000 + number)
        for group in optimiser.param_groups:
            group["lr"] = max(settings.rate * 0.93**number, 1e-6)
        read = feed(number)

        def losses(chosen: list[int]) -> dict[str, Tensor]:
            places = torch.tensor(chosen, device=device)
            others = torch.randint(len(rows), (settings.among,), generator=chance, device=device)
            others = others[~torch.isin(others, places)]
            pictures = material.whole[rows[torch.cat([places, others])]]
            return {"loss": loss_of(_query(model, read, places) @ pictures.T, settings.loss)}

        return train_epoch(number, len(train), settings, optimiser, losses)

    def score() -> float:
        ranks = [
            target_ranks(queries(model, read), material.whole[held_rows], material.whole) for read in held.values()
        ]
        return float(np.mean([1 / rank for rank in ranks]))

    figures: dict[str, Any] = {"pictures": len(train), "validated": len(held_rows), "settings": settings_json(settings)}
    figures["tested"] = len(material.parts.test)
    figures["parameters"] = sum(parameter.numel() for parameter in trained.parameters())
    asked = _read(material, "test", settings, range(settings.rounds + 1))
    if settings.rounds not in material.before:
        material.before[settings.rounds] = _tested(dialog_encoder(encoder, settings).to(device), material, asked)
    before, ranks_before = material.before[settings.rounds]
    running.run(settings.epochs, epoch, score)
    after, ranks = _tested(model, material, asked)
    figures |= {"before": before, "after": after, "epochs": len(running.history), "history": running.history}
    ranks |= {f"before {size}": found for size, found in ranks_before.items()}
    np.savez_compressed(settings.out / "ranks.npz", allow_pickle=False, **ranks)
    if settings.part == "head":
        from visavis.lab.training.retriever_export import export_chatir

        kept = {key: figures[key] for key in ("pictures", "validated", "tested", "settings", "before", "after")}
        export_chatir(model.head, encoder.fingerprint, settings.out / "ship", kept)
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return figures


def _read(material: ChatirMaterial, which: str, settings: ChatirSettings, rounds: Sequence[int]) -> dict[int, Tokens]:
    """Dialogues after so many rounds, as token numbers."""
    wanted = [number for number in rounds if number <= settings.rounds]
    missing = [number for number in wanted if (which, settings.rounds, number) not in material.kept]
    dialogs = material.dialogs(which, settings.rounds) if missing else []
    for number in missing:
        read = material.maker.read([one.first(number) for one in dialogs])
        material.kept[which, settings.rounds, number] = Tokens.of(read, material.whole.device)
    return {number: material.kept[which, settings.rounds, number] for number in wanted}


def _tested(model: DialogEncoder, material: ChatirMaterial, asked: Mapping[int, Tokens]) -> Tested:
    """Figures by round of those that test, and their ranks ``[n, rounds + 1]``, by the size of the gallery."""
    model.eval()
    rows = material.places(material.parts.test)
    found = [queries(model, read) for read in asked.values()]
    figures, kept = {}, {}
    for size in _GALLERIES:
        if size is not None and size >= len(material.whole):
            continue
        gallery = material.whole[_gallery(len(material.whole), rows, size)]
        ranks = np.stack([target_ranks(query, material.whole[rows], gallery) for query in found], axis=1)
        figures[str(len(gallery))] = round_figures(ranks)
        kept[str(len(gallery))] = ranks.astype(np.int32)
    return figures, kept


def _gallery(pictures: int, targets: Tensor, size: int | None) -> Tensor:
    """The rows of a gallery: all targets, and others drawn by a seed."""
    if size is None:
        return torch.arange(pictures, device=targets.device)
    others = np.setdiff1d(np.arange(pictures), targets.cpu().numpy())
    drawn = np.random.default_rng(0).permutation(others)[: max(0, size - len(targets))]
    return torch.cat([targets, torch.from_numpy(drawn).to(targets.device)])


def round_figures(ranks: NDArray[np.int64]) -> dict[str, list[float]]:
    """R@10, Hits@10 (found by then) and average target rank by round, of ranks ``[n, rounds + 1]``."""
    hits = ranks <= 10
    return {
        "R@10": [round(100 * float(share), 1) for share in hits.mean(axis=0)],
        "Hits@10": [round(100 * float(share), 1) for share in np.maximum.accumulate(hits, axis=1).mean(axis=0)],
        "mean rank": [round(float(mean), 1) for mean in ranks.mean(axis=0)],
        "median rank": [round(float(middle), 1) for middle in np.median(ranks, axis=0)],
    }


def run_rows(
    settings: ChatirSettings, encoder: BuiltinEncoder, report: Report = str, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Train the rows of the paper's tables, one after another on the same material; their figures by name."""
    shared = read_material(settings, encoder)
    rows = {**ROWS, **QUARTER_ROWS}
    quarter = max(2, len(shared.parts.train) // 4)
    told = {}
    for name in names or rows:
        report(name)
        part = {"limit": quarter, "patience": settings.epochs} if name in QUARTER_ROWS else {}
        row = replace(settings, **{**rows[name], **part}, out=settings.out / name)
        told[name] = run(row, encoder, report, shared)
    (settings.out / "rows.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told
