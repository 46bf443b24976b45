"""Trains Drill-down on vectors of ``visavis bench embed``: circular pre-training, then the policy jointly."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from visavis.encoders.base import Encoder
from visavis.errors import BadInputError
from visavis.lab.datasets.scene_dialogues import queries_of, read_scenes
from visavis.lab.networks.drilldown import Drilldown, DrilldownShape, best_actions, circular, triplet_loss
from visavis.lab.training.epochs import EpochRun, Report, chosen_device, seed_everything
from visavis.types import FloatArray

STAGES = ("pretrain", "joint")


@dataclass(frozen=True)
class DrilldownSettings:
    """What a person chooses of a run.

    Attributes:
        data: The folder with captions.jsonl and perhaps more.jsonl.
        vectors: What ``visavis bench embed`` wrote for it.
        out: Where checkpoints, the log and the exported files go.
        states: State vectors.
        dimension: Their length.
        turns: Queries of a conversation.
        epochs: Epochs of each stage at most.
        batch: Conversations of a step.
        limit: Pictures to train on at most; all unless told.
        rate: The first learning rate.
        margin: The margin of the triplet loss.
        trade: What the policy's loss counts.
        words: Whether a recurrent network over words reads the queries instead of the text tower.
        form: The form of the similarity.
        pooled: Whether a picture is one vector (HRE).
        patience: Epochs without improvement before a stage ends.
        seconds: How long each stage may take.
        seed: Draws everything.
        device: cuda, cpu or auto.
    """

    data: Path
    vectors: Path
    out: Path
    states: int = 3
    dimension: int = 256
    turns: int = 10
    epochs: int = 30
    batch: int = 128
    limit: int | None = None
    rate: float = 2e-4
    margin: float = 0.2
    trade: float = 0.1
    words: bool = False
    form: str = "code"
    pooled: bool = False
    patience: int = 4
    seconds: float = float("inf")
    seed: int = 0
    device: str = "auto"


@dataclass(frozen=True)
class DrilldownMaterial:
    """Conversations: regions ``[n, r, d]`` of pictures, and for each the numbers of its queries.

    Attributes:
        ids: The pictures.
        regions: Their region vectors.
        queries: The numbers of each picture's queries.
        inputs: What the network reads of each query: text vectors ``[q, d]``, or word numbers ``[q, l]``.
    """

    ids: tuple[str, ...]
    regions: NDArray[np.float16]
    queries: tuple[tuple[int, ...], ...]
    inputs: FloatArray | NDArray[np.int64]

    def drawn(self, places: Sequence[int], turns: int, draw: random.Random | None) -> tuple[Tensor, Tensor]:
        """Regions ``[n, r, d]`` and inputs ``[n, t, ...]``; in a random order where ``draw`` is given."""
        chosen = []
        for place in places:
            own = list(self.queries[place])
            picked = draw.sample(own, len(own)) if draw else own
            chosen.append([picked[turn % len(picked)] for turn in range(turns)])
        regions = torch.from_numpy(np.asarray(self.regions[list(places)], np.float32))
        return regions, torch.from_numpy(self.inputs[np.array(chosen)])


def vocabulary_of(texts: Sequence[str], most: int = 14_000) -> dict[str, int]:
    """The commonest words by number; 0 is none and 1 unknown."""
    counts: dict[str, int] = {}
    for text in texts:
        for word in text.split():
            counts[word] = counts.get(word, 0) + 1
    kept = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    return {word: number for number, word in enumerate(kept, 2)}


def word_numbers(texts: Sequence[str], vocabulary: dict[str, int], longest: int = 12) -> NDArray[np.int64]:
    """Word numbers ``[n, longest]`` of texts, padded with 0."""
    rows = np.zeros((len(texts), longest), np.int64)
    for row, text in zip(rows, texts, strict=True):
        numbers = [vocabulary.get(word, 1) for word in text.split()[:longest]] or [1]
        row[: len(numbers)] = numbers
    return rows


def read_material(settings: DrilldownSettings, encoder: Encoder) -> tuple[DrilldownMaterial, DrilldownMaterial, int]:
    """Material for training and for validation, and the size of the vocabulary (0 for the text tower).

    Karpathy's val and test are never trained on: val validates.
    """
    ids = [str(id) for id in np.load(settings.vectors / "ids.npy")]
    places = {id: place for place, id in enumerate(ids)}
    regions = np.load(settings.vectors / "regions.npy", mmap_mode="r")
    scenes = [(one, queries_of(one)) for one in read_scenes(settings.data) if one.id in places]
    scenes = [(one, said) for one, said in scenes if len(said) >= 2 and one.split != "test"]
    train = [pair for pair in scenes if pair[0].split != "val"][: settings.limit]
    held = [pair for pair in scenes if pair[0].split == "val"][: max(50, min(500, len(train) // 4))]
    if not train or not held:
        raise BadInputError("There is nothing to train or to validate on.", "captions.jsonl needs train and val.")
    rng = random.Random(settings.seed)
    most = 2 * settings.turns
    parts = [[(one.id, rng.sample(said, min(len(said), most))) for one, said in pairs] for pairs in (train, held)]
    texts = list(dict.fromkeys(text for part in parts for _, said in part for text in said))
    numbers = {text: number for number, text in enumerate(texts)}
    words = 0
    inputs: FloatArray | NDArray[np.int64]
    if settings.words:
        vocabulary = vocabulary_of([text for _, said in parts[0] for text in said])
        inputs, words = word_numbers(texts, vocabulary), len(vocabulary) + 2
    else:
        inputs = _encoded(texts, encoder, settings.out)
    made = [
        DrilldownMaterial(
            tuple(id for id, _ in part),
            np.asarray(regions[[places[id] for id, _ in part]], np.float16),
            tuple(tuple(numbers[text] for text in said) for _, said in part),
            inputs,
        )
        for part in parts
    ]
    return made[0], made[1], words


def _encoded(texts: Sequence[str], encoder: Encoder, out: Path) -> FloatArray:
    """Vectors of texts, kept in the run's folder."""
    kept, names = out / "queries.npy", out / "queries.json"
    if kept.is_file() and json.loads(names.read_text("utf-8")) == [encoder.fingerprint, *texts]:
        return np.asarray(np.load(kept), np.float32)
    out.mkdir(parents=True, exist_ok=True)
    vectors = encoder.encode_texts(texts)
    np.save(kept, vectors)
    names.write_text(json.dumps([encoder.fingerprint, *texts]), "utf-8")
    return vectors


def rollout(
    model: Drilldown, queries: Tensor, *, fixed: bool
) -> Iterator[tuple[int, tuple[Tensor, Tensor], tuple[Tensor, Tensor]]]:
    """Each turn's number with the state before and after it; by the circular policy or by the learned one."""
    state = model.empty(len(queries))
    for turn in range(queries.shape[1]):
        query = queries[:, turn]
        if fixed:
            slot = circular(turn, model.shape.states, len(query), query)
        else:
            with torch.no_grad():
                slot = model.choose(*state, query)
        after = model.step(*state, query, slot)
        yield turn, state, after
        state = after


def losses(
    model: Drilldown, regions: Tensor, inputs: Tensor, settings: DrilldownSettings, *, fixed: bool
) -> tuple[Tensor, Tensor]:
    """The triplet loss over all turns, and the policy's loss (nothing while the policy is fixed)."""
    number, turns = inputs.shape[:2]
    queries = model.queries(inputs.flatten(0, 1)).view(number, turns, -1)
    pictures = model.pictures(regions)
    matched, policy = regions.new_zeros(()), regions.new_zeros(())
    decided = 0
    for turn, before, after in rollout(model, queries, fixed=fixed):
        matched = matched + triplet_loss(model.similarity(*after, pictures), settings.margin)
        if not fixed and float(before[1].min()) > 0:
            best, _ = best_actions(model, before, queries[:, turn:].detach(), pictures.detach())
            logits = model.policy_logits(before[0].detach(), queries[:, turn].detach())
            policy = policy + F.cross_entropy(logits, best)
            decided += 1
    return matched / turns, policy / max(decided, 1)


@torch.no_grad()
def recalls(
    model: Drilldown, material: DrilldownMaterial, turns: int, *, fixed: bool, cuts: Sequence[int] = (1, 5, 10)
) -> dict[int, list[float]]:
    """R@K by turn, each picture looked for among all of the material's."""
    device = model.image.weight.device
    regions, inputs = material.drawn(range(len(material.ids)), turns, None)
    pictures = torch.cat([model.pictures(part.to(device)) for part in regions.split(256)])
    queries = model.queries(inputs.flatten(0, 1).to(device)).view(len(inputs), turns, -1)
    found: dict[int, list[float]] = {cut: [] for cut in cuts}
    for _, _, after in rollout(model, queries, fixed=fixed):
        ranks = []
        for start in range(0, len(queries), 32):
            states, filled = after[0][start : start + 32], after[1][start : start + 32]
            scores = model.similarity(states, filled, pictures)
            own = scores[torch.arange(len(scores)), torch.arange(start, start + len(scores))]
            ranks.append((scores > own[:, None]).sum(dim=1))
        joined = torch.cat(ranks)
        for cut in cuts:
            found[cut].append(float((joined < cut).float().mean()))
    return found


def run(settings: DrilldownSettings, encoder: Encoder, report: Report = str) -> dict[str, Any]:
    """Train both stages, or go on where a run was stopped; export; return the figures on validation."""
    seed_everything(settings.seed)
    train, held, words = read_material(settings, encoder)
    shape = DrilldownShape(
        settings.states,
        settings.dimension,
        train.regions.shape[2],
        encoder.dimension,
        words,
        form="printed" if settings.form == "printed" else "code",
        pooled=settings.pooled,
    )
    model = Drilldown(shape).to(chosen_device(settings.device))
    figures: dict[str, Any] = {"pictures": len(train.ids), "validated": len(held.ids), "shape": asdict(shape)}
    figures["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    stages = STAGES if 1 < settings.states < settings.turns else STAGES[:1]
    for stage in stages:
        told = _stage(
            model, train, held, replace(settings, out=settings.out / stage), report, fixed=stage == "pretrain"
        )
        figures[stage] = {f"R@{cut}": [round(100 * value, 1) for value in values] for cut, values in told.items()}
    if not words:
        from visavis.lab.training.retriever_export import export_drilldown

        export_drilldown(model, encoder.fingerprint, settings.out / "ship", figures)
    (settings.out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return figures


def _stage(
    model: Drilldown,
    train: DrilldownMaterial,
    held: DrilldownMaterial,
    settings: DrilldownSettings,
    report: Report,
    *,
    fixed: bool,
) -> dict[int, list[float]]:
    device = model.image.weight.device
    optimiser = torch.optim.Adam(model.parameters(), settings.rate)
    running = EpochRun(model, optimiser, settings.out, settings.patience, settings.seconds, report)
    running.resume()

    def epoch(number: int) -> dict[str, float]:
        draw = random.Random(f"{settings.seed}-{number}")
        order = draw.sample(range(len(train.ids)), len(train.ids))
        totals, steps = [0.0, 0.0], 0
        for start in range(0, len(order) - 1, settings.batch):
            chosen = order[start : start + settings.batch]
            if len(chosen) < 2:
                continue
            regions, inputs = train.drawn(chosen, settings.turns, draw)
            matched, policy = losses(model, regions.to(device), inputs.to(device), settings, fixed=fixed)
            optimiser.zero_grad()
            (matched + settings.trade * policy).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            optimiser.step()
            totals = [totals[0] + float(matched.detach()), totals[1] + float(policy.detach())]
            steps += 1
        return {"triplet": totals[0] / max(steps, 1), "policy": totals[1] / max(steps, 1)}

    def score() -> float:
        found = recalls(model, held, settings.turns, fixed=fixed)
        return float(np.mean([found[cut] for cut in found]))

    running.run(settings.epochs, epoch, score)
    return recalls(model, held, settings.turns, fixed=fixed)
