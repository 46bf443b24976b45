"""Ranks of the last turn's picture by kind of request and number of turns, for MAI and for what needs no training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.datasets.multiturn import KINDS
from visavis.lab.networks.mai import Mai
from visavis.lab.training.mai_material import PictureTable, Rollback, SessionTable, TextTable, batches, play

CUTS = (1, 5, 10, 20)
_AT_ONCE = 512
#: The kinds that the paper reports.
_REPORTED = ("combination", "rollback")
#: Query vectors ``[n, d]`` of sessions, by their number of turns and their places.
Query = Callable[[int, SessionTable, Tensor], Tensor]
#: Whose captions are hidden: nobody's, the gallery's, or everybody's.
Hide = Literal["none", "gallery", "all"]


@dataclass(frozen=True)
class HeldOut:
    """Sessions over products that are not trained on.

    Attributes:
        sessions: By number of turns.
        gallery: The numbers of the pictures that are looked among.
        joined: The text tower's vectors of all requests of each session in one text.
    """

    sessions: Mapping[int, SessionTable]
    gallery: Tensor
    joined: Mapping[int, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Ranks:
    """Places of the targets, counted from 1, with the kind of the last request and the number of turns."""

    ranks: Tensor
    kinds: Tensor
    turns: Tensor


@torch.no_grad()
def gallery_vectors(model: Mai, pictures: PictureTable, numbers: Tensor, *, hidden: bool = False) -> Tensor:
    """Target-side vectors of pictures, ``[n, d]``."""
    made = []
    for part in numbers.split(_AT_ONCE):
        hide = torch.full((len(part),), hidden, dtype=torch.bool, device=part.device)
        whole, regions, caption, mask = pictures.read(part, hide)
        made.append(model.target(whole, model.gather_picture(whole, regions, caption, mask)).float())
    return torch.cat(made)


@torch.no_grad()
def ranks_of(
    model: Mai,
    held: HeldOut,
    pictures: PictureTable,
    texts: TextTable,
    *,
    how: Rollback = "replace",
    hide: Hide = "none",
    stored: bool = False,
) -> Ranks:
    """Ranks after the last turn.

    Args:
        model: The network.
        held: Sessions and the gallery.
        pictures: All pictures.
        texts: All requests.
        how: The setting of rollback.
        hide: Whose captions are hidden.
        stored: Whether pictures are found by the vectors that a store has, without BSA.
    """
    if stored:
        gallery = F.normalize(pictures.whole[held.gallery].float(), dim=-1)
    else:
        gallery = gallery_vectors(model, pictures, held.gallery, hidden=hide != "none")
    chance = torch.Generator().manual_seed(0)

    def queries(sessions: SessionTable) -> Tensor:
        hidden = torch.full(sessions.pictures.shape, hide == "all", dtype=torch.bool, device=held.gallery.device)
        *_, last = play(model, sessions, pictures, texts, how=how, hidden=hidden, chance=chance)
        return last.query.float()

    return _ranked(held, gallery, lambda _, sessions, __: queries(sessions))


def _ranked(held: HeldOut, gallery: Tensor, query: Query) -> Ranks:
    ranks, kinds, turns = [], [], []
    for number, places in batches(held.sessions, _AT_ONCE):
        sessions = held.sessions[number].rows(places)
        scores = query(number, sessions, places) @ gallery.T
        own = (sessions.pictures[:, -1:] == held.gallery[None]).float().argmax(dim=1)
        right = scores.gather(1, own[:, None])
        ranks.append(1 + (scores > right).sum(dim=1))
        kinds.append(sessions.kinds[:, -1])
        turns.append(torch.full_like(kinds[-1], number))
    return Ranks(*(torch.cat(part).cpu() for part in (ranks, kinds, turns)))


def recalls(ranks: Tensor, cuts: Sequence[int] = CUTS) -> dict[str, float]:
    """R@K in percent, and their mean."""
    found = {f"R@{cut}": 100 * float((ranks <= cut).float().mean()) for cut in cuts}
    return {name: round(value, 2) for name, value in {**found, "mean": sum(found.values()) / len(found)}.items()}


def mean_recall(found: Ranks) -> float:
    """The paper's figure: the mean of R@1, 5, 10 and 20 over combination and rollback, as a share."""
    parts = [found.ranks[found.kinds == KINDS.index(kind)] for kind in _REPORTED]
    means = [recalls(part)["mean"] for part in parts if len(part)]
    return sum(means) / (100 * max(len(means), 1))


def figures_of(found: Ranks) -> dict[str, Any]:
    """Figures by kind of the last request, and by number of turns."""
    by_kind = {
        kind: {**recalls(own), "sessions": len(own)}
        for number, kind in enumerate(KINDS)
        if len(own := found.ranks[found.kinds == number])
    }
    by_turns = {
        int(turns): {**recalls(own), "sessions": len(own)}
        for turns in found.turns.unique()
        if len(own := found.ranks[found.turns == turns])
    }
    whole = {kind: by_kind[kind]["mean"] for kind in _REPORTED if kind in by_kind}
    return {"mean": {**whole, "mean": round(100 * mean_recall(found), 2)}, "kinds": by_kind, "turns": by_turns}


@torch.no_grad()
def baselines(held: HeldOut, pictures: PictureTable, texts: TextTable) -> dict[str, Any]:
    """What needs no training: texts and pictures as the encoder has them."""
    whole, captions = (F.normalize(part[held.gallery].float(), dim=-1) for part in (pictures.whole, pictures.captions))

    def said(_: int, sessions: SessionTable, __: Tensor) -> Tensor:
        return texts.whole[sessions.texts[:, -1]].float()

    def joined(turns: int, _: SessionTable, places: Tensor) -> Tensor:
        return held.joined[turns][places].float()

    def both(turns: int, sessions: SessionTable, places: Tensor) -> Tensor:
        main = sessions.references[:, -1, :1]
        reference = pictures.whole[sessions.pictures.gather(1, main)[:, 0]].float()
        return F.normalize(reference + said(turns, sessions, places), dim=-1)

    rows: dict[str, tuple[Query, Tensor]] = {"last request": (said, whole), "reference and request": (both, whole)}
    rows |= {"last request, captions": (said, captions)}
    rows |= {"reference and request, pictures and captions": (both, F.normalize(whole + captions, dim=-1))}
    if held.joined:
        rows["all in one text"] = (joined, whole)
    return {name: figures_of(_ranked(held, gallery, query)) for name, (query, gallery) in rows.items()}
