"""Fashion IQ's relative captioner: how one product differs from another, in words; the simulated user (section 4.1).

The transformer attends to the difference of the pictures' vectors and to the attributes of both; an attribute is the
mean of its words' vectors, which captions share. The recurrent captioner of Guo et al. (2018) is the baseline.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.transformer import TransformerShape, hide, hide_later

PAD, BEGIN, END, UNKNOWN = range(4)
_MARKS = ("", "<begin>", "<end>", "<unknown>")
#: Words of an attribute that are read, attributes of a picture, and words of a caption (the paper's 8 cuts a third).
ATTRIBUTE_WORDS, ATTRIBUTES, LONGEST = 3, 8, 12
#: Whose captions to imitate: those of Fashion IQ's categories, of Shoes, or those made from a catalogue.
SOURCES = ("dress", "shirt", "toptee", "shoes", "products")
_TOKEN = re.compile(r"[a-z0-9]+(?:['/-][a-z0-9]+)*")


class CaptionVocabulary:
    """The words of captions and attributes by number."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 2) -> CaptionVocabulary:
        """The words that are said at least so often."""
        counts = Counter(word for text in texts for word in _TOKEN.findall(text.lower()))
        kept = sorted((word for word, number in counts.items() if number >= least), key=lambda word: -counts[word])
        return cls((*_MARKS, *kept))

    def numbers(self, text: str, most: int) -> list[int]:
        """The numbers of a text's words, cut after so many."""
        return [self._numbers.get(word, UNKNOWN) for word in _TOKEN.findall(text.lower())][:most]

    def text(self, numbers: Iterable[int]) -> str:
        """The words up to the end mark."""
        said = []
        for number in numbers:
            if number == END:
                break
            if number > UNKNOWN:
                said.append(self.words[number])
        return " ".join(said)

    def attribute_rows(self, names: Sequence[str], most: int = ATTRIBUTES) -> list[list[int]]:
        """Word numbers of attributes ``[most, ATTRIBUTE_WORDS]``, padded with 0."""
        rows = [self.numbers(name, ATTRIBUTE_WORDS) for name in names[:most]]
        rows += [[]] * (most - len(rows))
        return [row + [PAD] * (ATTRIBUTE_WORDS - len(row)) for row in rows]


class Pair(NamedTuple):
    """Pairs of products as a captioner reads them.

    Attributes:
        source: Whose captions to imitate, ``[n]``.
        difference: The reference's vector minus the target's, ``[n, d]``.
        seen: Whether there are pictures, ``[n]``.
        reference: Word numbers of the reference's attributes, ``[n, a, w]``.
        target: Those of the target's.
    """

    source: Tensor
    difference: Tensor
    seen: Tensor
    reference: Tensor
    target: Tensor

    def to(self, device: str | torch.device) -> Pair:
        """The same on a device."""
        return Pair(*(part.to(device) for part in self))

    def repeated(self, times: int) -> Pair:
        """Each pair so many times in a row."""
        return Pair(*(part.repeat_interleave(times, dim=0) for part in self))


@dataclass(frozen=True, kw_only=True)
class CaptionerShape(TransformerShape):
    """The sizes of a captioner.

    Attributes:
        words: The size of the vocabulary.
        attributes: Whether attributes are read.
    """

    words: int
    attributes: bool = True


class Captioner(nn.Module, ABC):
    """What both captioners share: how pairs are embedded, and how captions are decoded."""

    def __init__(self, shape: CaptionerShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.words, shape.width, padding_idx=PAD)
        nn.init.normal_(self.words.weight, std=shape.width**-0.5)
        self.sources = nn.Embedding(len(SOURCES), shape.width)
        self.difference = nn.Linear(shape.dimension, shape.width)
        self.unseen = nn.Parameter(torch.zeros(shape.width))
        self.sides = nn.Embedding(2, shape.width)

    @abstractmethod
    def encode(self, pair: Pair) -> tuple[Tensor, ...]:
        """What decoding needs of pairs."""

    @abstractmethod
    def decode(self, encoded: tuple[Tensor, ...], words: Tensor) -> Tensor:
        """Logits of the next word after each of ``words [n, l]``, ``[n, l, words]``."""

    def forward(self, pair: Pair, words: Tensor) -> Tensor:
        return self.decode(self.encode(pair), words)

    def attribute_vectors(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors ``[n, a, w]`` of attributes and which are there ``[n, a]``."""
        there = (rows > PAD).float()
        number = there.sum(dim=-1, keepdim=True)
        return (self.words(rows) * there[..., None]).sum(dim=2) / number.clamp(min=1), (number[..., 0] > 0).float()

    def picture_token(self, pair: Pair) -> Tensor:
        """The vector of the pictures' difference ``[n, 1, w]``."""
        scale = float(self.shape.dimension) ** 0.5
        seen = pair.seen[:, None].to(pair.difference.dtype)
        return (seen * self.difference(pair.difference * scale) + (1 - seen) * self.unseen)[:, None]

    @torch.no_grad()
    def greedy(self, pair: Pair, longest: int = LONGEST) -> Tensor:
        """The likeliest word after word, ``[n, longest]`` at most."""
        encoded = self.encode(pair)
        words = torch.full((len(pair.source), 1), BEGIN, dtype=torch.long, device=pair.source.device)
        for _ in range(longest):
            logits = self.decode(encoded, words)[:, -1]
            logits[:, :END] = float("-inf")
            logits[:, UNKNOWN] = float("-inf")
            words = torch.cat([words, logits.argmax(dim=-1, keepdim=True)], dim=1)
            if words.device.type == "cpu" and bool((words == END).any(dim=1).all()):
                break  # elsewhere looking whether all have ended takes longer than going on
        return words[:, 1:]

    @torch.no_grad()
    def beam(self, pair: Pair, width: int = 5, longest: int = LONGEST) -> Tensor:
        """The likeliest caption of a beam, its logarithm divided by its length, ``[n, longest]``."""
        number = len(pair.source)
        encoded = tuple(part.repeat_interleave(width, dim=0) for part in self.encode(pair))
        words = torch.full((number * width, 1), BEGIN, dtype=torch.long, device=pair.source.device)
        totals = torch.full((number, width), float("-inf"), device=pair.source.device)
        totals[:, 0] = 0.0
        ended = torch.zeros(number * width, dtype=torch.bool, device=pair.source.device)
        lengths = torch.zeros(number * width, device=pair.source.device)
        for _ in range(longest):
            logits = self.decode(encoded, words)[:, -1].float().log_softmax(dim=-1)
            logits[:, [PAD, BEGIN, UNKNOWN]] = float("-inf")
            logits[ended] = float("-inf")
            logits[ended, END] = 0.0
            size = logits.shape[-1]
            sums = totals[:, :, None] + logits.view(number, width, size)
            totals, chosen = sums.flatten(1).topk(width, dim=1)
            rows = (torch.arange(number, device=chosen.device)[:, None] * width + chosen // size).flatten()
            taken = (chosen % size).flatten()
            words = torch.cat([words[rows], taken[:, None]], dim=1)
            lengths = lengths[rows] + (~ended[rows]).float()
            ended = ended[rows] | (taken == END)
        best = (totals / lengths.view(number, width).clamp(min=1)).argmax(dim=1)
        return words.view(number, width, -1)[torch.arange(number), best, 1:]


class TransformerCaptioner(Captioner):
    """The paper's captioner."""

    def __init__(self, shape: CaptionerShape) -> None:
        super().__init__(shape)
        self.reading, self.writing = shape.blocks(), shape.blocks(crossed=True)
        self.read_norm, self.write_norm = nn.LayerNorm(shape.width), nn.LayerNorm(shape.width)
        self.places = nn.Embedding(LONGEST + 1, shape.width)
        self.dropout = nn.Dropout(shape.dropout)

    def encode(self, pair: Pair) -> tuple[Tensor, ...]:
        """The encoder's output ``[n, s, w]`` and what is hidden of it."""
        parts = [self.sources(pair.source)[:, None], self.picture_token(pair)]
        masks = [torch.ones(len(pair.source), 2, device=pair.source.device)]
        for side, rows in enumerate((pair.reference, pair.target)):
            if self.shape.attributes:
                vectors, there = self.attribute_vectors(rows)
                parts.append(vectors * self.shape.width**0.5 + self.sides.weight[side])
                masks.append(there)
        x, hidden = self.dropout(torch.cat(parts, dim=1)), hide(torch.cat(masks, dim=1))
        for block in self.reading:
            x = block(x, hidden)
        return self.read_norm(x), hidden

    def decode(self, encoded: tuple[Tensor, ...], words: Tensor) -> Tensor:
        """Logits of the next word."""
        over, over_hidden = encoded
        length = words.shape[1]
        x = self.words(words) * self.shape.width**0.5 + self.places.weight[:length]
        x, hidden = self.dropout(x), hide_later(length, words)
        for block in self.writing:
            x = block(x, hidden, over, over_hidden)
        return self.write_norm(x) @ self.words.weight.T


class RecurrentCaptioner(Captioner):
    """The captioner of Guo et al. (2018), show and tell: a recurrent network that begins with what differs."""

    def __init__(self, shape: CaptionerShape) -> None:
        super().__init__(shape)
        inputs = 4 if shape.attributes else 2
        self.begin = nn.Linear(inputs * shape.width, shape.width)
        self.recurrent = nn.GRU(shape.width, shape.width, batch_first=True)
        self.dropout = nn.Dropout(shape.dropout)

    def encode(self, pair: Pair) -> tuple[Tensor, ...]:
        """The first state ``[n, w]``."""
        parts = [self.sources(pair.source), self.picture_token(pair)[:, 0]]
        for side, rows in enumerate((pair.reference, pair.target)):
            if self.shape.attributes:
                vectors, there = self.attribute_vectors(rows)
                number = there.sum(dim=1, keepdim=True).clamp(min=1)
                mean = (vectors * there[..., None]).sum(dim=1) / number
                parts.append(mean * self.shape.width**0.5 + self.sides.weight[side])
        with torch.autocast(pair.source.device.type, enabled=False):
            return (torch.tanh(self.begin(self.dropout(torch.cat(parts, dim=-1).float()))),)

    def decode(self, encoded: tuple[Tensor, ...], words: Tensor) -> Tensor:
        """Logits of the next word."""
        with torch.autocast(words.device.type, enabled=False):  # a recurrent network in half precision gains nothing
            vectors = self.dropout(self.words(words) * self.shape.width**0.5)
            made, _ = self.recurrent(vectors, encoded[0].float()[None].contiguous())
            return self.dropout(made) @ self.words.weight.T


def caption_loss(captioner: Captioner, pair: Pair, words: Tensor, smoothing: float = 0.1) -> Tensor:
    """The cross entropy of captions ``[n, l]`` that begin with the begin mark and end with the end mark."""
    logits = captioner(pair, words[:, :-1])
    return F.cross_entropy(
        logits.flatten(0, 1).float(), words[:, 1:].flatten(), ignore_index=PAD, label_smoothing=smoothing
    )
