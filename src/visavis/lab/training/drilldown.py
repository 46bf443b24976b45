"""Trains Drill-down on vectors of ``visavis bench embed``: circular pre-training, then the policy jointly."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from visavis.encoders.base import Encoder
from visavis.lab.datasets.scene_dialogues import Scene, queries_of
from visavis.lab.networks.drilldown import Drilldown, DrilldownShape, best_actions, circular, rank_fusion, triplet_loss
from visavis.lab.training.epochs import EpochRun, Report, chosen_device, seed_everything
from visavis.lab.training.scene_parts import (
    SceneParts,
    SceneSettings,
    read_parts,
    settings_json,
    text_vectors,
    train_epoch,
)

STAGES = ("pretrain", "joint")
#: The rows of the paper's figure 3 and table 1, by what differs from the settings: the same numbers of a query for the
#: first ones, then other sizes, then what the paper and the authors' code do differently. All train on a quarter of the
#: pictures.
ROWS: Mapping[str, Mapping[str, Any]] = {
    "drilldown-5x256": {"states": 5, "dimension": 256},
    "hre-1280": {"states": 1, "dimension": 1280, "pooled": True},
    "rhre-1280": {"states": 1, "dimension": 1280},
    "drilldown-3x128": {"states": 3, "dimension": 128},
    "drilldown-3x256": {"states": 3, "dimension": 256},
    "drilldown-10x256": {"states": 10, "dimension": 256},
    "rhre-640": {"states": 1, "dimension": 640},
    "drilldown-5x256-printed": {"states": 5, "dimension": 256, "form": "printed"},
    "drilldown-5x256-nine": {"states": 5, "dimension": 256, "nine": True},
    # Queries are read word by word, as in the paper.
    "words-drilldown-5x256": {"states": 5, "dimension": 256, "words": True},
    "words-rhre-1280": {"states": 1, "dimension": 1280, "words": True},
    "words-rre-1280": {"states": 1, "dimension": 1280, "words": True, "joined": True},
}
_GRADIENT = 10.0
#: Conversations that are ranked at once.
_AT_ONCE = 32


@dataclass(frozen=True)
class DrilldownSettings(SceneSettings):
    """What a person chooses of a run; epochs and seconds are those of each stage.

    Attributes:
        states: State vectors.
        dimension: Their length.
        turns: Queries of a conversation.
        margin: The margin of the triplet loss.
        trade: What the policy's loss counts.
        words: Whether a recurrent network over words reads the queries instead of the text tower.
        joined: Whether it reads all queries as one text (R-RE); needs ``words`` and one state.
        form: The form of the similarity.
        pooled: Whether a picture is one vector (HRE).
        sentences: Whether whole captions are queries beside their phrases.
        whole: Whether the whole picture is one more region.
        nine: Whether there are nine regions, each the mean of four, instead of 36.
    """

    states: int = 3
    dimension: int = 256
    turns: int = 10
    margin: float = 0.2
    trade: float = 0.1
    words: bool = False
    joined: bool = False
    form: str = "code"
    pooled: bool = False
    sentences: bool = False
    whole: bool = False
    nine: bool = False


@dataclass(frozen=True)
class SceneConversations:
    """Pictures and the numbers of their queries, on the device.

    Attributes:
        whole: Their vectors ``[n, d]``.
        regions: Their region vectors ``[n, r, d]``.
        queries: The numbers of each picture's queries ``[n, q]``, as many as ``counts`` ``[n]`` says.
        counts: How many there are.
    """

    whole: Tensor
    regions: Tensor
    queries: Tensor
    counts: Tensor

    def __len__(self) -> int:
        return len(self.whole)

    def first(self, number: int | None) -> SceneConversations:
        """The first pictures."""
        return SceneConversations(
            self.whole[:number], self.regions[:number], self.queries[:number], self.counts[:number]
        )

    def pictures(self, places: Tensor, settings: DrilldownSettings) -> Tensor:
        """What the network sees of pictures: their regions ``[n, r, d]``, the whole first where it is one."""
        regions = self.regions[places].float()
        if settings.nine:
            regions = nine_regions(regions)
        return torch.cat([self.whole[places].float()[:, None], regions], dim=1) if settings.whole else regions

    def asked(self, places: Tensor, turns: int, chance: torch.Generator | None = None) -> Tensor:
        """The numbers of the queries of conversations ``[n, t]``; in a random order where there is chance.

        Where there are fewer queries than turns they are said again.
        """
        own, counts = self.queries[places], self.counts[places, None]
        turn = torch.arange(turns, device=own.device)[None]
        if chance is not None:
            keys = torch.rand(own.shape, generator=chance, device=own.device)
            keys = keys.masked_fill(torch.arange(own.shape[1], device=own.device)[None] >= counts, 2.0)
            own = own.gather(1, keys.argsort(dim=1))
        return own.gather(1, turn % counts)


def nine_regions(regions: Tensor) -> Tensor:
    """Means of two by two of a square of regions ``[n, r, d]``, unit length."""
    side = round(regions.shape[1] ** 0.5)
    squares = regions.view(len(regions), side // 2, 2, side // 2, 2, -1).mean(dim=(2, 4))
    return F.normalize(squares.flatten(1, 2), dim=-1)


@dataclass(frozen=True)
class DrilldownMaterial:
    """Conversations to train, to validate and to test on, and what the network reads of each query.

    Attributes:
        train: Of Karpathy's train and restval.
        held: Of val; they choose the epoch.
        test: Of val; they choose nothing.
        texts: The queries by number.
        vectors: Their vectors ``[q, d]``; none where words are read.
        known: How many of the texts are of pictures to train on: they come first.
    """

    train: SceneConversations
    held: SceneConversations
    test: SceneConversations
    texts: tuple[str, ...]
    vectors: Tensor
    known: int


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


def read_material(settings: DrilldownSettings, encoder: Encoder, *, words: bool = False) -> DrilldownMaterial:
    """Material of a folder; with words the queries' vectors are left out."""
    said_of = {}

    def usable(scene: Scene) -> bool:
        said_of[scene.id] = queries_of(scene, settings.sentences)
        return len(said_of[scene.id]) >= 2

    parts = read_parts(settings, usable)
    rng = random.Random(settings.seed)
    numbers: dict[str, int] = {}
    rows, known = [], 0
    for part in parts:
        asked = [rng.sample(said, min(len(said), 2 * settings.turns)) for said in (said_of[one.id] for one in part)]
        rows.append([[numbers.setdefault(text, len(numbers)) for text in said] for said in asked])
        known = known or len(numbers)
    device = chosen_device(settings.device)
    texts = tuple(numbers)
    vectors = torch.zeros(0, device=device) if words else text_vectors(texts, encoder, settings, device)
    made = [_conversations(parts, part, said, device) for part, said in zip(parts, rows, strict=True)]
    return DrilldownMaterial(made[0], made[1], made[2], texts, vectors, known)


def _conversations(
    parts: SceneParts, scenes: Sequence[Scene], said: Sequence[Sequence[int]], device: str
) -> SceneConversations:
    queries = np.zeros((len(said), max(map(len, said))), np.int64)
    for row, own in zip(queries, said, strict=True):
        row[: len(own)] = own
    counts = np.array([len(own) for own in said], np.int64)
    arrays = (parts.rows(scenes, "whole"), parts.rows(scenes, "regions"), queries, counts)
    whole, regions, numbers, many = (torch.from_numpy(array).to(device) for array in arrays)
    return SceneConversations(whole, regions, numbers, many)


def rollout(
    model: Drilldown, inputs: Tensor, *, fixed: bool
) -> Iterator[tuple[int, Tensor, tuple[Tensor, Tensor], tuple[Tensor, Tensor]]]:
    """Each turn's number, all queries, and the state before and after it; by the circular policy or the learned one.

    Args:
        model: The network.
        inputs: What it reads of the queries, ``[n, t, ...]``.
        fixed: Whether the policy is the circular one.
    """
    number, turns = inputs.shape[:2]
    state = model.empty(number)
    if model.shape.joined:
        assert model.words is not None
        read = model.words(inputs)
        for turn in range(turns):
            after = read[:, turn : turn + 1], torch.ones_like(state[1])
            yield turn, read, state, after
            state = after
        return
    queries = model.queries(inputs.flatten(0, 1)).view(number, turns, -1)
    for turn in range(turns):
        query = queries[:, turn]
        if fixed:
            slot = circular(turn, model.shape.states, len(query), query)
        else:
            with torch.no_grad():
                slot = model.choose(*state, query)
        after = model.step(*state, query, slot)
        yield turn, queries, state, after
        state = after


def losses(
    model: Drilldown, regions: Tensor, inputs: Tensor, settings: DrilldownSettings, *, fixed: bool
) -> tuple[Tensor, Tensor]:
    """The triplet loss over all turns, and the policy's loss (nothing while the policy is fixed)."""
    turns = inputs.shape[1]
    pictures = model.pictures(regions)
    matched, policy = regions.new_zeros(()), regions.new_zeros(())
    decided = 0
    for turn, queries, before, after in rollout(model, inputs, fixed=fixed):
        matched = matched + triplet_loss(model.similarity(*after, pictures), settings.margin)
        if not fixed and turn >= model.shape.states:  # empty ones are filled first
            best, _ = best_actions(model, before, queries[:, turn:].detach(), pictures.detach())
            logits = model.policy_logits(before[0].detach(), queries[:, turn].detach())
            policy = policy + F.cross_entropy(logits, best)
            decided += 1
    return matched / turns, policy / max(decided, 1)


Ranks = NDArray[np.int64]


@torch.no_grad()
def target_ranks(
    model: Drilldown, said: SceneConversations, inputs: Tensor, settings: DrilldownSettings, *, fixed: bool
) -> Ranks:
    """The rank of each picture, counted from one, among all of them after each turn ``[n, t]``."""
    return _ranked(
        model,
        said,
        inputs,
        settings,
        lambda few, pictures: torch.stack(
            [model.similarity(*after, pictures) for _, _, _, after in rollout(model, few, fixed=fixed)]
        ),
    )


@torch.no_grad()
def fused_ranks(model: Drilldown, said: SceneConversations, inputs: Tensor, settings: DrilldownSettings) -> Ranks:
    """R-RankFusion: the place of each picture by the mean of the ranks that each query alone gives, ``[n, t]``."""

    def scores(few: Tensor, pictures: Tensor) -> Tensor:
        alone = (next(rollout(model, query, fixed=True))[3] for query in few.split(1, dim=1))
        return rank_fusion(torch.stack([model.similarity(*after, pictures) for after in alone]))

    return _ranked(model, said, inputs, settings, scores)


def _ranked(
    model: Drilldown,
    said: SceneConversations,
    inputs: Tensor,
    settings: DrilldownSettings,
    scores: Callable[[Tensor, Tensor], Tensor],
) -> Ranks:
    """Ranks ``[n, t]`` by the scores ``[t, few, p]`` of a few conversations at a time: all would not fit in memory."""
    pictures, asked = _shown(model, said, inputs, settings)
    found = []
    for few in torch.arange(len(asked), device=asked.device).split(_AT_ONCE):
        by_turn = scores(asked[few], pictures)
        own = by_turn.gather(2, few.expand(len(by_turn), -1)[:, :, None])
        found.append((1 + (by_turn > own).sum(dim=2)).T)
    return torch.cat(found).cpu().numpy()


def _shown(
    model: Drilldown, said: SceneConversations, inputs: Tensor, settings: DrilldownSettings
) -> tuple[Tensor, Tensor]:
    places = torch.arange(len(said), device=said.whole.device)
    pictures = torch.cat([model.pictures(said.pictures(few, settings)) for few in places.split(256)])
    return pictures, _read(inputs, said.asked(places, settings.turns))


def _read(inputs: Tensor, numbers: Tensor) -> Tensor:
    """What the network reads of queries: words as they are, vectors in full precision."""
    read = inputs[numbers]
    return read.float() if read.is_floating_point() else read


def recalls(ranks: Ranks, cuts: Sequence[int] = (1, 5, 10)) -> dict[str, list[float]]:
    """R@K in percent by turn."""
    return {f"R@{cut}": [round(100 * float(share), 1) for share in (ranks <= cut).mean(axis=0)] for cut in cuts}


def run(
    settings: DrilldownSettings, encoder: Encoder, report: Report = str, material: DrilldownMaterial | None = None
) -> dict[str, Any]:
    """Train both stages, or go on where a run was stopped; export; return the figures.

    Args:
        settings: What was chosen.
        encoder: The encoder of the vectors; it reads the queries, where no towers are given.
        report: Is told each epoch's line.
        material: Its material, where several runs share it.
    """
    seed_everything(settings.seed)
    material = material or read_material(settings, encoder, words=settings.words)
    train = material.train.first(settings.limit)
    inputs, words = material.vectors, 0
    if settings.words:
        vocabulary = vocabulary_of(material.texts[: material.known])
        words = len(vocabulary) + 2
        inputs = torch.from_numpy(word_numbers(material.texts, vocabulary)).to(train.whole.device)
    shape = DrilldownShape(
        settings.states,
        settings.dimension,
        train.regions.shape[2],
        encoder.dimension,
        words,
        form="printed" if settings.form == "printed" else "code",
        pooled=settings.pooled,
        joined=settings.joined,
        whole=settings.whole,
    )
    model = Drilldown(shape).to(train.whole.device)
    figures: dict[str, Any] = {"pictures": len(train), "validated": len(material.held), "tested": len(material.test)}
    figures |= {"shape": asdict(shape), "settings": settings_json(settings)}
    figures["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    stages = STAGES if 1 < settings.states < settings.turns else STAGES[:1]
    for stage in stages:
        fixed = stage == "pretrain"
        part = replace(settings, out=settings.out / stage)
        history = _stage(model, train, material.held, inputs, part, report, fixed=fixed)
        ranks = [target_ranks(model, said, inputs, part, fixed=fixed) for said in (material.held, material.test)]
        figures[stage] = {"epochs": len(history), "validation": recalls(ranks[0]), "test": recalls(ranks[1])}
        _write(model, encoder, settings, figures, history)
    if settings.states == 1 and not settings.pooled and not settings.joined:
        figures["rank fusion"] = recalls(fused_ranks(model, material.test, inputs, settings))
        (settings.out / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return figures


def _write(
    model: Drilldown, encoder: Encoder, settings: DrilldownSettings, figures: dict[str, Any], history: list[Any]
) -> None:
    """The figures so far, and what ships: a run that is stopped in its second stage has the first."""
    if not settings.words:
        from visavis.lab.training.retriever_export import export_drilldown

        export_drilldown(model, encoder.fingerprint, settings.out / "ship", figures)
    told = {**figures, "history": history}
    (settings.out / "figures.json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")


def _stage(
    model: Drilldown,
    train: SceneConversations,
    held: SceneConversations,
    inputs: Tensor,
    settings: DrilldownSettings,
    report: Report,
    *,
    fixed: bool,
) -> list[dict[str, Any]]:
    optimiser = torch.optim.Adam(model.parameters(), settings.rate)
    running = EpochRun(model, optimiser, settings.out, settings.patience, settings.seconds, report)
    running.resume()
    device = train.whole.device
    chance = torch.Generator(device)

    def epoch(number: int) -> dict[str, float]:
        chance.manual_seed(settings.seed * 10_000 + number)

        def loss_of(chosen: list[int]) -> dict[str, Tensor]:
            places = torch.tensor(chosen, device=device)
            asked = _read(inputs, train.asked(places, settings.turns, chance))
            matched, policy = losses(model, train.pictures(places, settings), asked, settings, fixed=fixed)
            return {"triplet": matched} if fixed else {"triplet": matched, "policy": settings.trade * policy}

        return train_epoch(number, len(train), settings, optimiser, loss_of, _GRADIENT)

    def score() -> float:
        ranks = target_ranks(model, held, inputs, settings, fixed=fixed)
        return float(np.mean([ranks <= cut for cut in (1, 5, 10)]))

    running.run(settings.epochs, epoch, score)
    return running.history


def run_rows(
    settings: DrilldownSettings, encoder: Encoder, report: Report = str, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Train the rows of the paper's tables, one after another on the same material; their figures by name."""
    shared = read_material(settings, encoder)
    told = {}
    quarter = max(2, len(shared.train) // 4)
    for name in names or ROWS:
        report(name)
        # The same number of epochs for every row.
        row = replace(settings, **ROWS[name], out=settings.out / name, limit=quarter, patience=settings.epochs)
        told[name] = run(row, encoder, report, shared)
    (settings.out / "rows.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told
