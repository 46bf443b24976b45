"""Fashion IQ's single-turn retrievers A to F: a reference and one sentence of feedback in, a query out (appendix B).

Gating, after Vo et al. (2019): the encoded feedback passes to the query directly, weighed by what all modalities say.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


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
