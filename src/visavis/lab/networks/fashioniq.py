"""Fashion IQ's dialog retriever: words, attributes and picture of every turn in, one query vector out (section 4.2).

Words come in as the frozen text tower's token vectors, where the paper has GloVe. The recurrent retriever of Guo et
al. (2018) is the baseline. Both add what they read to the tower's own vector of all the feedback, so that a training
begins at what the encoder knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.transformer import TransformerShape, hide


class History(NamedTuple):
    """The turns of dialogues, oldest first.

    Attributes:
        words: Token vectors of each turn's feedback, ``[n, t, l, w]``.
        there: Which of them are there, ``[n, t, l]``.
        pictures: The whole vectors of the pictures that were shown, ``[n, t, d]``.
        attributes: Numbers of their attributes, ``[n, t, a]``.
        seen: Whether a picture was shown, ``[n, t]``.
        said: The tower's vector of all the feedback in one text, ``[n, d]``.
    """

    words: Tensor
    there: Tensor
    pictures: Tensor
    attributes: Tensor
    seen: Tensor
    said: Tensor


@dataclass(frozen=True, kw_only=True)
class RetrieverShape(TransformerShape):
    """The sizes of a retriever.

    Attributes:
        attributes: How many attributes there are; 0 where none are read.
        tokens: Length of a token's vector.
        turns: Turns that are told apart.
        words: Words of a turn that are read.
    """

    attributes: int
    tokens: int = 384
    inner: int = 512
    turns: int = 10
    words: int = 16


class DialogRetriever(nn.Module):
    """The paper's retriever: one sequence of all turns, pooled and made a query."""

    def __init__(self, shape: RetrieverShape) -> None:
        super().__init__()
        self.shape = shape
        self.words, self.pictures = nn.Linear(shape.tokens, shape.width), nn.Linear(shape.dimension, shape.width)
        self.attributes = nn.Embedding(max(1, shape.attributes), shape.width)
        self.kinds = nn.Embedding(3, shape.width)
        self.turns = nn.Embedding(shape.turns, shape.width)
        self.places = nn.Embedding(shape.words, shape.width)
        for table in (self.attributes, self.kinds, self.turns, self.places):
            nn.init.normal_(table.weight, std=0.1)
        self.layers = shape.blocks()
        self.norm = nn.LayerNorm(shape.width)
        self.out = nn.Linear(shape.width, shape.dimension)
        nn.init.zeros_(self.out.weight)  # what the tower reads of the feedback to begin with
        nn.init.zeros_(self.out.bias)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, history: History) -> Tensor:
        """The query ``[n, d]``, unit length."""
        x, mask = self.tokens(history)
        x, hidden = self.dropout(x), hide(mask)
        for layer in self.layers:
            x = layer(x, hidden)
        weight = mask[:, :, None].to(x.dtype)
        pooled = (self.norm(x) * weight).sum(dim=1, keepdim=True) / weight.sum(dim=1, keepdim=True).clamp(min=1)
        return F.normalize(history.said + self.out(pooled)[:, 0], dim=-1)

    def tokens(self, history: History) -> tuple[Tensor, Tensor]:
        """The sequence ``[n, s, w]`` and which of it is there ``[n, s]``."""
        turns, length = history.words.shape[1:3]
        newest = torch.arange(turns - 1, -1, -1, device=history.words.device).clamp(max=self.shape.turns - 1)
        turn = self.turns(newest)[None, :, None]
        words = self.words(history.words) + self.kinds.weight[0] + self.places.weight[:length] + turn
        scale = float(self.shape.dimension) ** 0.5
        pictures = self.pictures(history.pictures * scale)[:, :, None] + self.kinds.weight[1] + turn
        parts, masks = [words, pictures], [history.there, history.seen[:, :, None]]
        if self.shape.attributes:
            parts.append(self.attributes(history.attributes) + self.kinds.weight[2] + turn)
            masks.append(history.seen[:, :, None].expand(-1, -1, history.attributes.shape[2]))
        x, mask = torch.cat(parts, dim=2), torch.cat(masks, dim=2)
        return x.flatten(1, 2), mask.flatten(1, 2)


class RecurrentRetriever(nn.Module):
    """The baseline: feedback and picture of a turn joined, a GRU over turns, and its last state made a query."""

    def __init__(self, shape: RetrieverShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Linear(shape.tokens, shape.width)
        self.pictures = nn.Linear(shape.dimension, shape.width)
        self.turn = nn.Linear(2 * shape.width, shape.width)
        self.history = nn.GRU(shape.width, shape.width, batch_first=True)
        self.out = nn.Linear(shape.width, shape.dimension)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, history: History) -> Tensor:
        """The query ``[n, d]``, unit length."""
        weight = history.there[..., None].to(history.words.dtype)
        words = (self.words(history.words) * weight).sum(dim=2) / weight.sum(dim=2).clamp(min=1)
        scale = float(self.shape.dimension) ** 0.5
        pictures = self.pictures(history.pictures * scale) * history.seen[..., None]
        states, _ = self.history(F.relu(self.turn(torch.cat([words, pictures], dim=-1))))
        return F.normalize(history.said + self.out(states[:, -1]), dim=-1)


class AttributePredictor(nn.Module):
    """Reads the whole picture, and the mean and the maximum of its regions."""

    def __init__(self, attributes: int, dimension: int = 256, inner: int = 256, dropout: float = 0.2) -> None:
        super().__init__()
        self.attributes, self.dimension, self.inner = attributes, dimension, inner
        self.fc1 = nn.Linear(3 * dimension, inner)
        self.fc2 = nn.Linear(inner, attributes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, whole: Tensor, regions: Tensor) -> Tensor:
        """Whole vectors ``[n, d]`` and regions ``[n, r, d]`` to logits ``[n, a]``."""
        read = torch.cat([whole, regions.mean(dim=1), regions.amax(dim=1)], dim=-1)[:, None]
        scale = float(self.dimension) ** 0.5  # numbers of unit vectors are small
        return self.fc2(self.dropout(F.gelu(self.fc1(read * scale))))[:, 0]


def top_attributes(logits: Tensor, number: int) -> Tensor:
    """The likeliest attributes, ``[n, number]``."""
    return logits.topk(min(number, logits.shape[1]), dim=1).indices


def average_precisions(scores: Tensor, labels: Tensor) -> Tensor:
    """Average precision of each attribute over pictures ``[n, a]``; NaN where no picture has it."""
    order = scores.argsort(dim=0, descending=True)
    right = labels.float().gather(0, order)
    places = torch.arange(1, len(scores) + 1, device=scores.device, dtype=torch.float32)[:, None]
    precision = right.cumsum(dim=0) / places
    number = right.sum(dim=0)
    found = (precision * right).sum(dim=0) / number.clamp(min=1)
    return torch.where(number > 0, found, torch.full_like(found, float("nan")))


@dataclass(frozen=True)
class SingleTurnShape:
    """The sizes of a model, and what it reads.

    Attributes:
        words: The size of the vocabulary.
        attributes: How many attributes there are.
        picture: Whether the reference's vector is read.
        named: Whether the reference's attributes are.
        said: Whether the feedback is.
        gated: Whether the feedback has a gate of its own.
        dimension: Length of a picture's vector.
        width: Hidden units.
    """

    words: int
    attributes: int
    picture: bool = True
    named: bool = True
    said: bool = True
    gated: bool = True
    dimension: int = 256
    width: int = 256


#: What the models of Table 5 read: picture, attributes, feedback, gate.
MODELS = {
    "A": (True, True, True, True),
    "B": (True, False, True, True),
    "C": (True, False, True, False),
    "D": (False, False, True, False),
    "E": (True, False, False, False),
    "F": (False, True, False, False),
}


class SingleTurn(nn.Module):
    """Each modality embedded, joined, and made a query."""

    def __init__(self, shape: SingleTurnShape) -> None:
        super().__init__()
        self.shape = shape
        width, d = shape.width, shape.dimension
        self.picture = nn.Linear(d, width) if shape.picture else None
        self.named = nn.Linear(shape.attributes, width) if shape.named else None
        self.words = nn.Embedding(shape.words, width, padding_idx=0) if shape.said else None
        self.read = nn.GRU(width, width, batch_first=True) if shape.said else None
        parts = shape.picture + shape.named + shape.said
        self.join = nn.Sequential(nn.Linear(parts * width, width), nn.ReLU(), nn.Linear(width, d))
        self.gate = nn.Linear(parts * width, d) if shape.gated else None
        self.direct = nn.Linear(width, d) if shape.gated else None

    def forward(self, pictures: Tensor, named: Tensor, words: Tensor) -> Tensor:
        """Vectors ``[n, d]``, chances of attributes ``[n, a]`` and word numbers ``[n, l]`` to queries ``[n, d]``."""
        parts = []
        if self.picture is not None:
            parts.append(self.picture(pictures * float(self.shape.dimension) ** 0.5))
        if self.named is not None:
            parts.append(self.named(named))
        said = self.feedback(words)
        if said is not None:
            parts.append(said)
        joined = torch.cat(parts, dim=-1)
        query = self.join(F.relu(joined))
        if self.gate is not None and self.direct is not None and said is not None:
            query = query + torch.sigmoid(self.gate(F.relu(joined))) * self.direct(said)
        return F.normalize(query, dim=-1)

    def feedback(self, words: Tensor) -> Tensor | None:
        """The last state over each sentence, ``[n, w]``; None where no feedback is read."""
        if self.words is None or self.read is None:
            return None
        lengths = (words > 0).sum(dim=1).clamp(min=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(self.words(words), lengths, batch_first=True, enforce_sorted=False)
        return self.read(packed)[1][-1]
