"""Trains Drill-down on vectors of ``visavis bench embed``: circular pre-training, then the policy jointly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from visavis.encoders.base import Encoder
from visavis.lab.networks.drilldown import Drilldown, DrilldownShape, best_actions, circular, rank_fusion, triplet_loss
from visavis.lab.training.epochs import EpochRun, Report, seed_everything
from visavis.lab.training.scene_parts import (
    DrilldownMaterial,
    DrilldownSettings,
    SceneConversations,
    read_material,
    settings_json,
    train_epoch,
    vocabulary_of,
    word_numbers,
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
    "drilldown-5x256-policy": {"states": 5, "dimension": 256, "rollout": "policy"},
    # Queries are read word by word, as in the paper.
    "words-drilldown-5x256": {"states": 5, "dimension": 256, "words": True},
    "words-rhre-1280": {"states": 1, "dimension": 1280, "words": True},
    "words-rre-1280": {"states": 1, "dimension": 1280, "words": True, "joined": True},
}
_GRADIENT = 10.0
#: Conversations that are ranked at once.
_AT_ONCE = 32


State = tuple[Tensor, Tensor]
#: The slot that a turn updates, by its number, the state and all queries.
Slots = Callable[[int, State, Tensor], Tensor]


def slots_of(model: Drilldown, *, fixed: bool) -> Slots:
    """The circular policy, or the learned one at its likeliest."""

    def slots(turn: int, state: State, queries: Tensor) -> Tensor:
        if fixed:
            return circular(turn, model.shape.states, len(queries), queries)
        with torch.no_grad():
            return model.choose(*state, queries[:, turn])

    return slots


def rollout(model: Drilldown, inputs: Tensor, slots: Slots) -> Iterator[tuple[int, Tensor, State, State]]:
    """Each turn's number, all queries, and the state before and after it.

    Args:
        model: The network.
        inputs: What it reads of the queries, ``[n, t, ...]``.
        slots: Says which slot a turn updates.
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
        after = model.step(*state, queries[:, turn], slots(turn, state, queries))
        yield turn, queries, state, after
        state = after


def losses(
    model: Drilldown,
    regions: Tensor,
    inputs: Tensor,
    settings: DrilldownSettings,
    *,
    fixed: bool,
    chance: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """The triplet loss over all turns, and the policy's loss (nothing while the policy is fixed).

    Both are of the states that the most rewarding slots give (the paper's X*), or of those of the policy itself.
    """
    pictures = model.pictures(regions)
    matched, policy = regions.new_zeros(()), []
    policys_own = slots_of(model, fixed=fixed)

    def slots(turn: int, state: State, queries: Tensor) -> Tensor:
        own = policys_own(turn, state, queries)
        if fixed or turn < model.shape.states:  # empty ones are filled first
            return own
        best, _ = best_actions(model, state, queries[:, turn:].detach(), pictures.detach(), chance=chance)
        policy.append(F.cross_entropy(model.policy_logits(state[0].detach(), queries[:, turn].detach()), best))
        return best if settings.rollout == "best" else own

    for _, _, _, after in rollout(model, inputs, slots):
        matched = matched + triplet_loss(model.similarity(*after, pictures), settings.margin)
    return matched / inputs.shape[1], torch.stack(policy).mean() if policy else regions.new_zeros(())


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
            [model.similarity(*after, pictures) for _, _, _, after in rollout(model, few, slots_of(model, fixed=fixed))]
        ),
    )


@torch.no_grad()
def fused_ranks(model: Drilldown, said: SceneConversations, inputs: Tensor, settings: DrilldownSettings) -> Ranks:
    """R-RankFusion: the place of each picture by the mean of the ranks that each query alone gives, ``[n, t]``."""

    def scores(few: Tensor, pictures: Tensor) -> Tensor:
        alone = (next(rollout(model, query, slots_of(model, fixed=True)))[3] for query in few.split(1, dim=1))
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
    if settings.start is not None:
        from visavis.lab.training.retriever_export import exported_weights

        model.load_state_dict(exported_weights(model, settings.start))
        stages = STAGES[1:]
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
            regions = train.pictures(places, settings)
            with torch.autocast(regions.device.type, torch.bfloat16, enabled=settings.half):
                matched, policy = losses(model, regions, asked, settings, fixed=fixed, chance=chance)
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
