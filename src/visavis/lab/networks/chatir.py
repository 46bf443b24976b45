"""ChatIR's image retriever: a dialogue in, the vector of the picture that is meant out (Levy et al., NeurIPS 2023).

The dialog encoder is the text tower that ships, its weights read back from int8. Trained as a whole it is the paper's
model; what ships is a head over the tower's own token vectors, so that the product keeps one tower.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.towers import TextTower


@dataclass(frozen=True)
class HeadShape:
    """The sizes of a head.

    Attributes:
        width: Length of a token's vector.
        dimension: Length of a picture's vector.
        inner: Width of the head's own attention.
        heads: Attention heads.
        rank: Rank of the residual that the dialogue puts on pictures' vectors; 0 for none.
    """

    width: int = 384
    dimension: int = 256
    inner: int = 192
    heads: int = 6
    rank: int = 0


class DialogHead(nn.Module):
    """A change of the tower's own vector, read from its token vectors by one attention layer and a pooling query."""

    def __init__(self, shape: HeadShape | None = None) -> None:
        super().__init__()
        self.shape = shape = shape or HeadShape()
        self.narrow = nn.Linear(shape.width, shape.inner)
        self.norm = nn.LayerNorm(shape.inner)
        self.qkv = nn.Linear(shape.inner, 3 * shape.inner)
        self.out = nn.Linear(shape.inner, shape.inner)
        self.pool = nn.Linear(shape.inner, shape.heads)
        self.widen = nn.Linear(shape.heads * shape.inner, shape.dimension)
        nn.init.zeros_(self.widen.weight)  # the tower's own vector to begin with
        nn.init.zeros_(self.widen.bias)
        if shape.rank:
            self.project = nn.Linear(shape.dimension, shape.rank, bias=False)
            self.residual = nn.Linear(shape.heads * shape.inner, shape.dimension * shape.rank)
            nn.init.zeros_(self.residual.weight)
            nn.init.zeros_(self.residual.bias)

    def forward(self, tokens: Tensor, mask: Tensor, whole: Tensor) -> Tensor:
        """Token vectors ``[n, l, w]``, mask ``[n, l]`` and the tower's vectors ``[n, d]`` to queries ``[n, d]``.

        With a rank each picture v is taken as v + U(d) W v, where W is shared by all dialogues and U(d) is read from
        the dialogue d. Its product with a query q is (q + W' U(d)' q) v: the pictures' vectors stay as they are.
        """
        pooled = self.pooled(tokens, mask)
        query = F.normalize(whole + self.widen(pooled), dim=-1)
        if not self.shape.rank:
            return query
        lifted = self.residual(pooled).view(-1, self.shape.dimension, self.shape.rank)
        toward = torch.einsum("nd,ndr->nr", query, lifted)
        return F.normalize(query + toward @ self.project.weight, dim=-1)

    def pooled(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """What the head read, ``[n, heads * inner]``."""
        shape = self.shape
        x = self.narrow(tokens)
        n, length, inner = x.shape
        q, k, v = self.qkv(self.norm(x)).view(n, length, 3, shape.heads, inner // shape.heads).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)) / (inner // shape.heads) ** 0.5
        scores = scores.masked_fill(mask[:, None, None, :] == 0, -1e9)
        mixed = (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(n, length, inner)
        x = x + self.out(mixed)
        weights = self.pool(x).masked_fill(mask[:, :, None] == 0, -1e9).softmax(dim=1)
        return torch.einsum("nlh,nlw->nhw", weights, x).flatten(1)


class DialogEncoder(nn.Module):
    """The tower and a head: the paper's model where the tower is trained, a head on the shared one where it is not."""

    def __init__(self, tower: TextTower, head: DialogHead, *, frozen: bool = True) -> None:
        super().__init__()
        self.tower = tower
        self.head = head
        self.frozen = frozen
        if frozen:
            tower.requires_grad_(False)

    def read(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The tower's vectors ``[n, d]`` and its token vectors ``[n, l, w]``."""
        with torch.set_grad_enabled(not self.frozen and torch.is_grad_enabled()):
            return self.tower.read(self.tower.words(ids), mask)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        whole, tokens = self.read(ids, mask)
        return self.head(tokens, mask, whole)


def recall_surrogate(scores: Tensor, ks: tuple[int, ...] = (1, 2, 4, 8), rank_heat: float = 0.01) -> Tensor:
    """One minus a smooth Recall@K of scores ``[n, p]``, the right picture of row i at column i (Patel et al., 2022).

    A rank is one plus the sum of sigmoids of how far other pictures lie above the right one; whether it is within K is
    a sigmoid as well.
    """
    right = scores.diagonal()[:, None]
    above = torch.sigmoid((scores - right) / rank_heat)
    own = torch.eye(len(scores), scores.shape[1], dtype=torch.bool, device=scores.device)
    ranks = 1 + above.masked_fill(own, 0.0).sum(dim=1)
    losses = [1 - torch.sigmoid(k + 0.5 - ranks).mean() for k in ks if k < scores.shape[1]]
    return torch.stack(losses).mean()


def info_nce(scores: Tensor, scale: float = 40.0) -> Tensor:
    """The symmetric contrastive loss of scores ``[n, p]``, the right picture of row i at column i.

    Pictures beyond the first n have no dialogue of their own: they are told from others by the dialogues alone.
    """
    places = torch.arange(len(scores), device=scores.device)
    square = scores[:, : len(scores)]
    return (F.cross_entropy(scale * scores, places) + F.cross_entropy(scale * square.T, places)) / 2
