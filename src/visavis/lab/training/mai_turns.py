"""Plays sessions through MAI: the reference of each turn, the tokens that are kept, the query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.datasets.multiturn import KINDS
from visavis.lab.networks.mai import COMBINED, HISTORY, REFERENCE, HeldTokens, Mai
from visavis.lab.training.mai_material import PictureTable, SessionTable, TextTable

#: What a request that goes back does to the reference (the paper's Table 9).
Rollback = Literal["replace", "ignore", "random", "blend"]
ROLLBACKS: tuple[Rollback, ...] = ("replace", "ignore", "random", "blend")
_BACK = KINDS.index("rollback")


@dataclass(frozen=True)
class TurnOutput:
    """One turn of a batch.

    Attributes:
        query: The reference-side vectors, ``[n, d]``.
        target: The target-side vectors of the pictures that are meant, ``[n, d]``.
        said: The text tower's vectors of the requests.
        reference: The whole vectors of the reference pictures.
        numbers: The numbers of the pictures that are meant.
        held: The tokens that are kept.
    """

    query: Tensor
    target: Tensor
    said: Tensor
    reference: Tensor
    numbers: Tensor
    held: HeldTokens


def resolved(sessions: SessionTable, turn: int, how: Rollback, chance: torch.Generator | None = None) -> Tensor:
    """The places of the pictures that a turn (from 0) speaks of, ``[n, 3]``, as a setting of rollback has it."""
    places = sessions.references[:, turn]
    if how in ("replace", "blend"):
        return places
    back = sessions.kinds[:, turn] == _BACK
    if how == "ignore":
        main = torch.full_like(places[:, 0], turn)
    else:
        drawn = torch.randint(0, turn + 1, (len(places),), generator=chance)
        main = drawn.to(places.device)
    return torch.cat([torch.where(back, main, places[:, 0])[:, None], places[:, 1:]], dim=1)


def play(
    model: Mai,
    sessions: SessionTable,
    pictures: PictureTable,
    texts: TextTable,
    *,
    how: Rollback = "replace",
    hidden: Tensor | None = None,
    chance: torch.Generator | None = None,
) -> Iterator[TurnOutput]:
    """The turns of sessions of one length.

    Args:
        model: The network.
        sessions: The sessions.
        pictures: Their pictures.
        texts: Their requests.
        how: The setting of rollback.
        hidden: Whose captions are hidden, ``[n, t + 1]``.
        chance: Draws for the setting ``random``.
    """
    number, along = sessions.pictures.shape
    flat = sessions.pictures.flatten()
    whole, regions, caption, mask = pictures.read(flat, None if hidden is None else hidden.flatten())
    gathered = model.gather_picture(whole, regions, caption, mask)
    targets = model.target(whole, gathered).view(number, along, -1)
    gathered = gathered.view(number, along, *gathered.shape[1:])
    wholes = whole.view(number, along, -1)
    rows = torch.arange(number, device=flat.device)
    held: HeldTokens | None = None
    for turn in range(sessions.turns):
        places = resolved(sessions, turn, how, chance)
        main = places[:, 0]
        parts, reference = [gathered[rows, main]], wholes[rows, main]
        if how == "blend":
            blended = 0.5 * (reference + wholes[:, turn])
            both = regions.view(number, along, *regions.shape[1:])
            mixed = 0.5 * (both[rows, main] + both[:, turn])
            words = caption.view(number, along, *caption.shape[1:])[rows, main]
            parts = [model.gather_picture(blended, mixed, words, mask.view(number, along, -1)[rows, main])]
            reference = F.normalize(blended, dim=-1)
        parts += [gathered[rows, places[:, at].clamp(min=0)] for at in range(1, places.shape[1])]
        size = parts[0].shape[1]
        now = HeldTokens(
            torch.cat(parts, dim=1), (places.clamp(min=0) + 1).repeat_interleave(size, 1), _there(places, size)
        )
        held = model.remember(held, now)
        request, there, said = texts.read(sessions.texts[:, turn])
        query = model.compose(held, roles_of(held.places, places), request, there, said, reference)
        yield TurnOutput(query, targets[:, turn + 1], said, reference, sessions.pictures[:, turn + 1], held)


def _there(places: Tensor, size: int) -> Tensor:
    return (places >= 0).repeat_interleave(size, 1)


def roles_of(held: Tensor, places: Tensor) -> Tensor:
    """What each token is to a request: of its reference, of a picture that it combines, or of the history.

    Args:
        held: The places of the tokens' pictures, counted from 1, ``[n, s]``.
        places: The places of the request's pictures, from 0, the reference first, ``[n, 3]``; -1 for none.
    """
    roles = torch.full_like(held, HISTORY)
    for at in range(places.shape[1] - 1, -1, -1):
        named = (held == places[:, at : at + 1] + 1) & (places[:, at : at + 1] >= 0)
        roles = roles.masked_fill(named, REFERENCE if at == 0 else COMBINED)
    return roles
