"""MAI: learned tokens gather a picture and its caption, then the request; some of them are kept from turn to turn.

Chen et al., ICLR 2025. A picture comes in as the vectors that the product stores (the whole and 36 regions), a caption
as vectors of the shared word table, a request as token vectors of the shared text tower. Both ends begin as the
encoder's own vectors, so that what the encoder has learned is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.transformer import Attention, hide

#: How earlier turns come in: pruned tokens, all tokens, a recurrent network for each token, a memory that is written
#: and read by content, or not at all.
Memory = Literal["mio", "concat", "gru", "lstm", "ntm", "none"]
_RECURRENT: dict[str, type[nn.RNNCellBase]] = {"gru": nn.GRUCell, "lstm": nn.LSTMCell}
#: What a token is to a request.
HISTORY, REFERENCE, COMBINED = 0, 1, 2
#: Places of pictures that are told apart; the last one stands for all later ones.
PLACES = 8


@dataclass(frozen=True)
class MaiShape:
    """The sizes of a network.

    Attributes:
        tokens: Learned tokens, and how many are kept.
        dimension: Length of a token and of a picture's vectors.
        width: Length of a text's token vector.
        heads: Attention heads.
        aggregations: Layers of BSA.
        modifications: Layers of MSA.
        hidden: Width of the MLPs, in dimensions.
        regions: Regions of a picture.
        memory: How earlier turns come in.
        form: The score of MIO.
        captions: Whether BSA reads captions.
        marks: Whether tokens say which picture they are of, and whether it is the reference; the paper's do not.
    """

    tokens: int = 32
    dimension: int = 256
    width: int = 384
    heads: int = 8
    aggregations: int = 2
    modifications: int = 2
    hidden: int = 2
    regions: int = 36
    memory: Memory = "mio"
    form: Form = "peaks"
    captions: bool = True
    marks: bool = True


def _mlp(dimension: int, factor: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(dimension, factor * dimension), nn.GELU(), nn.Linear(factor * dimension, dimension))


class AggregationLayer(nn.Module):
    """A layer of the Q-Former: tokens attend to themselves and the caption, then to the patches."""

    def __init__(self, shape: MaiShape) -> None:
        super().__init__()
        d = shape.dimension
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.own, self.cross = Attention(d, shape.heads), Attention(d, shape.heads)
        self.mlp = _mlp(d, shape.hidden)

    def forward(self, tokens: Tensor, caption: Tensor, mask: Tensor, patches: Tensor) -> Tensor:
        x = self.norm1(tokens)
        tokens = tokens + self.own(x, torch.cat([x, caption], dim=1), hide(mask))
        tokens = tokens + self.cross(self.norm2(tokens), patches)
        return tokens + self.mlp(self.norm3(tokens))


class ModificationLayer(nn.Module):
    """A layer of MSA: tokens and the words of the request attend to each other."""

    def __init__(self, shape: MaiShape) -> None:
        super().__init__()
        d = shape.dimension
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.own = Attention(d, shape.heads)
        self.mlp = _mlp(d, shape.hidden)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.norm1(x)
        x = x + self.own(y, y, hide(mask))
        return x + self.mlp(self.norm2(x))


def addressed(keys: Tensor, strengths: Tensor, memory: Tensor) -> Tensor:
    """How much each head ``[n, t, d]`` looks at each row of the memory ``[n, s, d]``: ``[n, t, s]``, sums of one.

    A softmax of cosines, sharpened by the heads' strengths ``[n, t, 1]``.
    """
    cosines = F.normalize(keys, dim=-1) @ F.normalize(memory, dim=-1).transpose(1, 2)
    return torch.softmax(F.softplus(strengths) * cosines, dim=-1)


class TuringMemory(nn.Module):
    """Rows that every token of a turn writes to and reads from; each token has a writing and a reading head.

    FashionNTM puts several such memories behind each other; this is one.
    """

    def __init__(self, rows: int, dimension: int) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.randn(rows, dimension) * 0.02)
        self.write_key, self.read_key = nn.Linear(dimension, dimension), nn.Linear(dimension, dimension)
        self.write_strength, self.read_strength = nn.Linear(dimension, 1), nn.Linear(dimension, 1)
        self.erase, self.add = nn.Linear(dimension, dimension), nn.Linear(dimension, dimension)

    def empty(self, number: int) -> Tensor:
        """The memory of conversations before their first turn, ``[n, s, d]``."""
        return self.start.expand(number, -1, -1)

    def forward(self, tokens: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens ``[n, t, d]`` with what they read of the memory, and the memory after they wrote to it.

        All heads write at once: what they erase is multiplied, what they add is summed.
        """
        writing = addressed(self.write_key(tokens), self.write_strength(tokens), memory)
        erased = 1 - writing[..., None] * torch.sigmoid(self.erase(tokens))[:, :, None]
        memory = memory * erased.prod(dim=1) + writing.transpose(1, 2) @ torch.tanh(self.add(tokens))
        reading = addressed(self.read_key(tokens), self.read_strength(tokens), memory)
        return tokens + reading @ memory, memory


@dataclass(frozen=True)
class HeldTokens:
    """What is known after a turn.

    Attributes:
        tokens: ``[n, s, d]``.
        places: The place of the picture that each is of, ``[n, s]``.
        valid: Which of them count, ``[n, s]``.
        state: What an LSTM or a neural Turing machine keeps beside its tokens, ``[n, s, d]``.
    """

    tokens: Tensor
    places: Tensor
    valid: Tensor
    state: Tensor | None = None


class Mai(nn.Module):
    """The two stages, the memory between turns, and both ends of the search."""

    def __init__(self, shape: MaiShape | None = None) -> None:
        super().__init__()
        self.shape = shape = shape or MaiShape()
        d = shape.dimension
        self.learned = nn.Parameter(torch.randn(shape.tokens, d) * 0.02)
        self.where = nn.Parameter(torch.randn(1 + shape.regions, d) * 0.02)
        self.patch = nn.Linear(d, d)
        self.caption = nn.Sequential(nn.LayerNorm(shape.width), nn.Linear(shape.width, d))
        self.request = nn.Sequential(nn.LayerNorm(shape.width), nn.Linear(shape.width, d))
        self.aggregate = nn.ModuleList(AggregationLayer(shape) for _ in range(shape.aggregations))
        self.gathered_norm = nn.LayerNorm(d)
        self.modify = nn.ModuleList(ModificationLayer(shape) for _ in range(shape.modifications))
        self.roles, self.ordinals = nn.Embedding(3, d), nn.Embedding(PLACES, d)
        self.mapped = nn.Sequential(nn.Linear(d, d), nn.LayerNorm(d))
        self.reference_head, self.target_head = nn.Linear(d, d), nn.Linear(d, d)
        self.shares = nn.Linear(d, 2)
        self.recurrent = _RECURRENT[shape.memory](d, d) if shape.memory in _RECURRENT else None
        self.turing = TuringMemory(shape.tokens, d) if shape.memory == "ntm" else None
        with torch.no_grad():
            for linear in (self.reference_head, self.target_head, self.shares):  # the encoder's vectors to begin with
                linear.weight.zero_()
                linear.bias.zero_()
            self.shares.bias.copy_(torch.tensor([0.5, 1.0]))
            for table in (self.roles, self.ordinals):
                table.weight.mul_(0.02)

    # -- BSA -----------------------------------------------------------------------------------------

    def gather_picture(self, whole: Tensor, regions: Tensor, caption: Tensor, mask: Tensor) -> Tensor:
        """Tokens ``[n, t, d]`` of pictures, by whole ``[n, d]``, regions ``[n, r, d]`` and caption ``[n, l, w]``.

        A picture without a caption has a mask of zeros; one that is not there has vectors of zeros as well.
        """
        if not self.shape.captions:
            mask = torch.zeros_like(mask)
        # The encoder's vectors have length one: as long as usual activations they train better.
        scale = self.shape.dimension**0.5
        patches = self.patch(scale * torch.cat([whole[:, None], regions], dim=1)) + self.where
        words = self.caption(caption)
        tokens = self.learned.expand(whole.shape[0], -1, -1)
        counted = torch.cat([mask.new_ones(whole.shape[0], self.shape.tokens), mask], dim=1)
        for layer in self.aggregate:
            tokens = layer(tokens, words, counted, patches)
        return self.gathered_norm(tokens)

    def target(self, whole: Tensor, tokens: Tensor) -> Tensor:
        """The vectors ``[n, d]`` that pictures are found by."""
        return F.normalize(whole + self.target_head(tokens.mean(dim=1)), dim=-1)

    # -- MIO -----------------------------------------------------------------------------------------

    def remember(self, before: HeldTokens | None, now: HeldTokens) -> HeldTokens:
        """Earlier tokens and those of the pictures of this turn, pruned to as many as there are learned ones."""
        if self.recurrent is not None:
            return self._recurrent(before, now)
        if self.turing is not None:
            rows = self.turing.empty(len(now.tokens)) if before is None or before.state is None else before.state
            tokens, rows = self.turing(now.tokens * now.valid[:, :, None].to(now.tokens.dtype), rows)
            return HeldTokens(tokens, now.places, now.valid, rows)
        if before is None or self.shape.memory == "none":
            joined = now
        else:
            joined = HeldTokens(
                torch.cat([before.tokens, now.tokens], dim=1),
                torch.cat([before.places, now.places], dim=1),
                torch.cat([before.valid, now.valid], dim=1),
            )
        if self.shape.memory != "mio" or joined.tokens.shape[1] <= self.shape.tokens:
            return joined
        kept = kept_places(joined.tokens, joined.valid, self.shape.tokens, form=self.shape.form)
        return HeldTokens(*(gathered(part, kept) for part in (joined.tokens, joined.places, joined.valid)))

    def _recurrent(self, before: HeldTokens | None, now: HeldTokens) -> HeldTokens:
        assert self.recurrent is not None
        t = self.shape.tokens
        current = now.tokens[:, :t]
        old = torch.zeros_like(current) if before is None else before.tokens
        state = None
        if self.shape.memory == "lstm":
            kept = torch.zeros_like(current) if before is None or before.state is None else before.state
            made, state = self.recurrent(current.flatten(0, 1), (old.flatten(0, 1), kept.flatten(0, 1)))
            state = state.view_as(current)
        else:
            made = self.recurrent(current.flatten(0, 1), old.flatten(0, 1))
        return HeldTokens(made.view_as(current), now.places[:, :t], now.valid[:, :t], state)

    # -- MSA -----------------------------------------------------------------------------------------

    def compose(
        self, held: HeldTokens, roles: Tensor, request: Tensor, mask: Tensor, said: Tensor, whole: Tensor
    ) -> Tensor:
        """The reference-side vectors ``[n, d]``.

        Args:
            held: The tokens that are known.
            roles: What each of them is to the request, ``[n, s]``.
            request: Token vectors of the request, ``[n, l, w]``.
            mask: Which of them count, ``[n, l]``.
            said: The text tower's vectors of the request, ``[n, d]``.
            whole: The vectors of the reference pictures, ``[n, d]``; zeros where there is none.
        """
        tokens = held.tokens
        if self.shape.marks:
            tokens = tokens + self.roles(roles) + self.ordinals(held.places.clamp(max=PLACES - 1))
        x = torch.cat([tokens, self.request(request)], dim=1)
        counted = torch.cat([held.valid.to(mask.dtype), mask], dim=1)
        for layer in self.modify:
            x = layer(x, counted)
        kept = held.valid[:, :, None].to(x.dtype)
        mapped = self.mapped(x[:, : tokens.shape[1]]) * kept
        pooled = mapped.sum(dim=1) / kept.sum(dim=1).clamp(min=1)
        shares = self.shares(pooled)
        mixed = shares[:, :1] * whole + shares[:, 1:] * said + self.reference_head(pooled)
        return F.normalize(mixed, dim=-1)


class CyclicLoss(nn.Module):
    """The cyclic combination loss (8, 9): reference to target, target to request, request to caption, and back.

    Attributes:
        terms: The terms that count, of ``rt``, ``tm``, ``mc`` and ``cr``.
    """

    TERMS = ("rt", "tm", "mc", "cr")

    def __init__(self, dimension: int, terms: tuple[str, ...] = TERMS) -> None:
        super().__init__()
        self.terms = terms
        self.scale = nn.Parameter(torch.tensor(3.0))
        # The text tower is frozen; without these the term between two texts would teach nothing.
        self.request, self.caption = (nn.Linear(dimension, dimension, bias=False) for _ in range(2))
        with torch.no_grad():
            for linear in (self.request, self.caption):
                linear.weight.copy_(torch.eye(dimension))

    def forward(self, reference: Tensor, target: Tensor, request: Tensor, caption: Tensor, ids: Tensor) -> Tensor:
        """The loss of a turn.

        Args:
            reference: ``[n, d]`` of MSA.
            target: ``[n, d]`` of BSA.
            request: The text tower's vectors of the requests.
            caption: Those of the targets' captions.
            ids: The numbers of the targets, ``[n]``: the same picture is no negative.
        """
        texts = {"m": F.normalize(self.request(request), dim=-1), "c": F.normalize(self.caption(caption), dim=-1)}
        ends = {"r": reference, "t": target, **texts}
        total = reference.new_zeros(())
        for term in self.terms:
            total = total + self.batch_loss(ends[term[0]], ends[term[1]], ids)
        return total

    def batch_loss(self, left: Tensor, right: Tensor, ids: Tensor) -> Tensor:
        """Equation 8, with a learned temperature."""
        scores = self.scale.exp().clamp(max=100) * left @ right.T
        same = (ids[:, None] == ids[None]) & ~torch.eye(len(ids), dtype=torch.bool, device=ids.device)
        return F.cross_entropy(scores.masked_fill(same, float("-inf")), torch.arange(len(ids), device=ids.device))


Form = Literal["peaks", "printed"]


def densities(squared: Tensor, valid: Tensor, neighbours: int) -> Tensor:
    """Equation 2: ``exp(-mean of the squared distances to the nearest neighbours)``, ``[n, s]``; 0 where not valid.

    Args:
        squared: Squared distances ``[n, s, s]``; infinite to what does not count, and to itself.
        valid: Which tokens count, ``[n, s]``.
        neighbours: How many neighbours there are.
    """
    nearest = squared.topk(min(neighbours, squared.shape[-1]), dim=-1, largest=False).values
    there = nearest.isfinite()
    mean = nearest.masked_fill(~there, 0).sum(dim=-1) / there.sum(dim=-1).clamp(min=1)
    return torch.exp(-mean) * valid


def kept_places(tokens: Tensor, valid: Tensor, keep: int, neighbours: int = 5, form: Form = "peaks") -> Tensor:
    """The places of the tokens with the best scores (equation 3), ``[n, keep]``, in their old order.

    Args:
        tokens: ``[n, s, d]``, s at least ``keep``.
        valid: Which of them count, ``[n, s]``; at least ``keep`` in each row.
        keep: How many are kept.
        neighbours: Neighbours of the density.
        form: The distance of the score: to the nearest token of higher density, or to the nearest token.
    """
    flat = tokens.detach().float()
    lengths = flat.square().sum(dim=-1)
    with torch.autocast(flat.device.type, enabled=False):  # half precision cannot tell near tokens apart
        products = flat @ flat.transpose(1, 2)
    squared = (lengths[:, :, None] + lengths[:, None] - 2 * products).clamp(min=0) / flat.shape[-1]
    size = flat.shape[1]
    itself = torch.eye(size, dtype=torch.bool, device=flat.device)
    others = squared.masked_fill(itself | ~valid[:, None], float("inf"))
    density = densities(others, valid, neighbours)
    distances = squared.sqrt()
    if form == "printed":
        distance = others.min(dim=-1).values.sqrt()
    else:
        # Of equal densities the first counts as the higher one, so that one of two equal tokens stays.
        earlier = torch.ones(size, size, dtype=torch.bool, device=flat.device).tril(-1)
        higher = (density[:, None] > density[:, :, None]) | ((density[:, None] == density[:, :, None]) & earlier)
        above = distances.masked_fill(~(higher & valid[:, None]), float("inf")).min(dim=-1).values
        farthest = distances.masked_fill(~valid[:, None], 0).max(dim=-1).values
        distance = torch.where(above.isfinite(), above, farthest)  # the highest peak
    score = (density * distance.nan_to_num(posinf=0.0)).masked_fill(~valid, -1.0)
    return score.topk(keep, dim=-1).indices.sort(dim=-1).values


def gathered(values: Tensor, places: Tensor) -> Tensor:
    """Rows of ``values [n, s, ...]`` by their places ``[n, k]``."""
    shape = (*places.shape, *values.shape[2:])
    return values.gather(1, places.reshape(*places.shape, *([1] * (values.dim() - 2))).expand(shape))
