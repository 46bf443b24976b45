"""Drill-down: a fixed set of state vectors, of which each query updates one (Tan et al., NeurIPS 2019), and baselines.

The numbers in brackets are those of the paper's equations. Queries come in as vectors: those of a recurrent network
over words, as in the paper, or those of the frozen text tower. Regions come in as the encoder's region vectors, in
place of a detector's features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: ``code``: as the authors' code computes the similarity; ``printed``: as equation 1 is printed.
SimilarityForm = Literal["code", "printed"]
#: The temperature: a factor in the code, a divisor in print.
SIGMA = 9.0


@dataclass(frozen=True)
class DrilldownShape:
    """The sizes of a network.

    Attributes:
        states: State vectors (M); 1 is the hierarchical recurrent encoder.
        dimension: Length of a state vector (D).
        regions: Length of a region vector.
        query: Length of a query vector, where the text tower makes them.
        words: Words of the vocabulary, where a recurrent network reads them; 0 for the text tower.
        embedding: Length of a word's vector (E).
        form: How the similarity is computed.
        pooled: Whether a picture is the mean of its regions (HRE) instead of all of them.
        joined: Whether one recurrent network reads the words of all queries so far (R-RE); then there is one state.
        whole: Whether the whole picture is one more region.
    """

    states: int = 3
    dimension: int = 256
    regions: int = 256
    query: int = 256
    words: int = 0
    embedding: int = 300
    form: SimilarityForm = "code"
    pooled: bool = False
    joined: bool = False
    whole: bool = False


class WordQueries(nn.Module):
    """A bidirectional GRU over word vectors; a query is the mean of both last hidden states (section 3.4)."""

    def __init__(self, words: int, embedding: int, dimension: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, embedding, padding_idx=0)
        self.read = nn.GRU(embedding, dimension, batch_first=True, bidirectional=True)

    def forward(self, ids: Tensor) -> Tensor:
        """Word numbers ``[n, l]``, padded with 0, to queries ``[n, D]``."""
        lengths = (ids > 0).sum(dim=1).clamp(min=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(self.words(ids), lengths, batch_first=True, enforce_sorted=False)
        _, last = self.read(packed)
        return last.mean(dim=0)


class JoinedQueries(nn.Module):
    """R-RE: a GRU over the words of all queries, one after another; a state is what it is after a query's last word."""

    def __init__(self, words: int, embedding: int, dimension: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, embedding, padding_idx=0)
        self.read = nn.GRU(embedding, dimension, batch_first=True)

    def forward(self, ids: Tensor) -> Tensor:
        """Word numbers ``[n, t, l]``, padded with 0, to the states after each query ``[n, t, D]``."""
        number, turns, longest = ids.shape
        there = ids > 0
        # The words without the padding between them: their places in one row of each conversation.
        places = there.flatten(1).cumsum(dim=1).view(number, turns, longest)
        row = ids.new_zeros(number, turns * longest + 1)
        row.scatter_(1, (places * there).flatten(1), ids.flatten(1))
        ends = places[:, :, -1].clamp(min=1) - 1
        out, _ = self.read(self.words(row[:, 1 : int(ends.max()) + 2]))
        return out.gather(1, ends[:, :, None].expand(-1, -1, out.shape[2]))


class Drilldown(nn.Module):
    """The state of a dialogue and how well it fits pictures.

    A state is ``states [n, M, D]`` and ``filled [n, M]``: which of them hold something.
    """

    def __init__(self, shape: DrilldownShape | None = None) -> None:
        super().__init__()
        self.shape = shape = shape or DrilldownShape()
        d = shape.dimension
        reader = JoinedQueries if shape.joined else WordQueries
        self.words = reader(shape.words, shape.embedding, d) if shape.words else None
        self.query = nn.Linear(shape.query, d) if not shape.words else None
        self.image = nn.Linear(shape.regions, d)
        self.update = nn.GRUCell(d, d)
        self.policy = nn.Sequential(nn.Linear(2 * d, d), nn.ReLU(), nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))
        if not shape.words:
            self._start_aligned()

    @torch.no_grad()
    def _start_aligned(self) -> None:
        """Queries and regions of one space start as they are: what the encoder has learned is kept."""
        d = self.shape.dimension
        assert self.query is not None
        same = torch.empty(d, self.shape.regions)
        nn.init.orthogonal_(same)
        if d == self.shape.regions:
            same = torch.eye(d)
        self.image.weight.copy_(same)
        self.query.weight.copy_(same)
        for linear in (self.image, self.query):
            nn.init.zeros_(linear.bias)
        # The candidate is nearly the query itself, and replaces half of what was there.
        self.update.weight_ih[2 * d :].copy_(torch.eye(d))
        self.update.weight_hh[2 * d :].zero_()
        for bias in (self.update.bias_ih, self.update.bias_hh):
            bias.zero_()
        for weight in (self.update.weight_ih, self.update.weight_hh):
            weight[: 2 * d].mul_(0.1)

    # -- queries and pictures ------------------------------------------------------------------------

    def queries(self, given: Tensor) -> Tensor:
        """Queries ``[n, D]`` from text vectors ``[n, q]`` or word numbers ``[n, l]``."""
        if self.words is not None:
            return self.words(given)
        assert self.query is not None
        return self.query(given)

    def pictures(self, regions: Tensor) -> Tensor:
        """Unit vectors ``[n, N, D]`` of region vectors ``[n, N, r]``; for HRE their mean is the one region."""
        if self.shape.pooled:
            regions = regions.mean(dim=1, keepdim=True)
        return F.normalize(self.image(regions), dim=-1)

    # -- the state -----------------------------------------------------------------------------------

    def empty(self, number: int) -> tuple[Tensor, Tensor]:
        """The state before the first query."""
        like = self.image.weight
        states = like.new_zeros(number, self.shape.states, self.shape.dimension)
        return states, like.new_zeros(number, self.shape.states)

    def policy_logits(self, states: Tensor, query: Tensor) -> Tensor:
        """F of (3) for each state, ``[n, M]``."""
        beside = query[:, None].expand_as(states)
        return self.policy(torch.cat([states, beside], dim=-1)).squeeze(-1)

    def choose(self, states: Tensor, filled: Tensor, query: Tensor, chance: torch.Generator | None = None) -> Tensor:
        """The state to update ``[n]``: the first empty one, else that of the policy (2).

        Without chance that is the likeliest one, else it is drawn.
        """
        logits = self.policy_logits(states, query)
        if chance is None:
            learned = logits.argmax(dim=1)
        else:
            learned = torch.multinomial(logits.softmax(dim=1), 1, generator=chance)[:, 0]
        first = filled.argmin(dim=1)
        return torch.where(filled.min(dim=1).values > 0, learned, first)

    def step(self, states: Tensor, filled: Tensor, query: Tensor, slot: Tensor) -> tuple[Tensor, Tensor]:
        """The state after a query that updates one slot by the GRU cell."""
        one = F.one_hot(slot, self.shape.states).to(states.dtype)
        old = (states * one[:, :, None]).sum(dim=1)
        new = self.update(query, old)
        states = torch.where(one[:, :, None] > 0, new[:, None], states)
        return states, torch.maximum(filled, one)

    # -- similarity ----------------------------------------------------------------------------------

    def similarity(self, states: Tensor, filled: Tensor, pictures: Tensor) -> Tensor:
        """s(X, I) of (1) for every state with every picture, ``[n, p]``."""
        unit = F.normalize(states, dim=-1)
        # A row a state and all regions along it: the softmax over regions then reads memory in order.
        cosines = (unit.flatten(0, 1) @ pictures.flatten(0, 1).T).float().view(*unit.shape[:2], *pictures.shape[:2])
        return _mean_of_states(_matches(cosines, self.shape.form), filled[:, :, None], self.shape.form, 1)

    def own_similarity(self, states: Tensor, filled: Tensor, pictures: Tensor) -> Tensor:
        """s(X, I) of each state with its own picture, ``[n]``."""
        cosines = torch.einsum("nmd,nrd->nmr", F.normalize(states, dim=-1), pictures).float()
        return combine(cosines, filled, self.shape.form)


def combine(cosines: Tensor, filled: Tensor, form: SimilarityForm) -> Tensor:
    """From cosines ``[..., M, N]`` and which states are filled ``[..., M]`` to the similarity ``[...]``.

    The authors' code sharpens the softmax by sigma, does not divide by the number of regions, and leaves empty states
    out of the mean; the printed equation flattens it by sigma, divides, and counts them.
    """
    return _mean_of_states(_matches(cosines, form), filled, form, -1)


def _matches(cosines: Tensor, form: SimilarityForm) -> Tensor:
    """How well a state fits a picture, from its cosines with the regions in the last dimension."""
    attention = torch.softmax(cosines / SIGMA if form == "printed" else cosines * SIGMA, dim=-1)
    match = (attention * cosines).sum(dim=-1)
    return match / cosines.shape[-1] if form == "printed" else match


def _mean_of_states(matches: Tensor, filled: Tensor, form: SimilarityForm, dim: int) -> Tensor:
    if form == "printed":
        return matches.mean(dim=dim)
    return (matches * filled).sum(dim=dim) / filled.sum(dim=dim).clamp(min=1)


def triplet_loss(scores: Tensor, margin: float = 0.2) -> Tensor:
    """The hardest negatives both ways (4), of scores ``[n, n]`` whose diagonal is right."""
    right = scores.diagonal()
    others = scores.masked_fill(torch.eye(len(scores), dtype=torch.bool, device=scores.device), float("-inf"))
    by_picture = (margin + others.max(dim=1).values - right).clamp(min=0)
    by_state = (margin + others.max(dim=0).values - right).clamp(min=0)
    return (by_picture + by_state).mean()


def circular(turn: int, states: int, number: int, like: Tensor) -> Tensor:
    """The fixed policy of pre-training: the states in turn."""
    return torch.full((number,), turn % states, dtype=torch.long, device=like.device)


@torch.no_grad()
def best_actions(
    model: Drilldown,
    state: tuple[Tensor, Tensor],
    queries: Tensor,
    pictures: Tensor,
    discount: float = 1.0,
    chance: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """The most rewarding slot for the first of the queries that are left, by one look-ahead trajectory a slot (5).

    Args:
        model: The network.
        state: The state before that query.
        queries: The queries that are left, ``[n, t, D]``.
        pictures: The pictures that are looked for, ``[n, N, D]``.
        discount: What a later reward counts.
        chance: Draws the later slots of a trajectory; without it they are the policy's likeliest.

    Returns:
        The slots ``[n]`` and the values ``[n, M]``.
    """
    number, slots = len(queries), model.shape.states
    again = queries.repeat_interleave(slots, dim=0)
    shown = pictures.repeat_interleave(slots, dim=0)
    chosen = torch.arange(slots, device=queries.device).repeat(number)
    states, filled = (part.repeat_interleave(slots, dim=0) for part in state)
    states, filled = model.step(states, filled, again[:, 0], chosen)
    value, factor = model.own_similarity(states, filled, shown), discount
    for query in again[:, 1:].unbind(dim=1):
        states, filled = model.step(states, filled, query, model.choose(states, filled, query, chance))
        value = value + factor * model.own_similarity(states, filled, shown)
        factor *= discount
    values = value.view(number, slots)
    return values.argmax(dim=1), values


def rank_fusion(scores: Tensor) -> Tensor:
    """R-RankFusion: minus the mean of the ranks that the queries up to each turn give a picture, ``[t, ..., p]``."""
    ranks = scores.argsort(dim=-1, descending=True).argsort(dim=-1).float()
    turns = torch.arange(1, len(scores) + 1, device=scores.device).view(-1, *(1 for _ in scores.shape[1:]))
    return -ranks.cumsum(dim=0) / turns
