"""Packs on the device: pictures as bytes, texts as token ids, and batches drawn from them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.training.packs import Pack
from visavis.lab.training.scene_texts import hard_negative
from visavis.language.english import chunks

#: captions: several sentences a picture; labels: names of a class; images: no texts, the teacher speaks.
Kind = Literal["captions", "labels", "images"]

MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class Source:
    """One pack and how it is used.

    Attributes:
        pack: The pack's path without its ending.
        kind: What its texts are.
        batch: How many of its pictures are in every step.
        size: The side its pictures are kept at.
        weight: Of its loss.
    """

    pack: str
    kind: Kind
    batch: int
    size: int = 192
    weight: float = 1.0


@dataclass
class Batch:
    """What a step sees of one source."""

    pixels: Tensor  # uint8 [n, 3, s, s]
    groups: Tensor  # int64 [n]
    tokens: Tensor  # int64 [n * views, l], views of one picture side by side
    text_keys: Tensor  # int64 [n * views]: equal where the texts are equal
    negatives: Tensor  # int64 [n, l]
    has_negative: Tensor  # bool [n]
    chunks: Tensor  # int64 [m, l]
    chunk_words: Tensor  # float [m, vocabulary of nouns]
    image_words: Tensor  # float [n, vocabulary of nouns]


class Words:
    """Tokenises once and for all; texts become rows of one table."""

    def __init__(self, tokenizer: Any, length: int) -> None:
        self._tokenizer, self._length = tokenizer, length
        self.end = tokenizer.token_to_id("[SEP]")

    def rows(self, texts: list[str]) -> np.ndarray:
        """``int32 [n, length]``, zero-padded."""
        out = np.zeros((len(texts), self._length), dtype=np.int32)
        for i, encoding in enumerate(self._tokenizer.encode_batch(texts)):
            ids = encoding.ids[: self._length]
            ids[-1] = self.end
            out[i, : len(ids)] = ids
        return out


class Feed:
    """Draws batches of one source for ever, each picture once an epoch."""

    def __init__(
        self, source: Source, folder: Path, words: Words, device: torch.device, *, seed: int, nouns: int = 4096
    ) -> None:
        pack = Pack(folder / source.pack)
        chosen = [i for i, sample in enumerate(pack.samples) if sample.split == "train"]
        self.source, self.device, self._nouns = source, device, nouns
        self._chance, self._generator = random.Random(seed), np.random.default_rng(seed)
        self._samples = [pack.samples[i] for i in chosen]
        pixels = pack.pixels(chosen, source.size, processes=torch.get_num_threads())
        self.pixels = torch.from_numpy(pixels).to(device)
        names = {group: number for number, group in enumerate(sorted({s.group for s in self._samples}))}
        self._groups = np.array([names[s.group] for s in self._samples])
        self._order = np.empty(0, dtype=np.int64)
        self._prepare_texts(words)

    def _prepare_texts(self, words: Words) -> None:
        unique = sorted({text for sample in self._samples for text in sample.texts})
        number = {text: i for i, text in enumerate(unique)}
        self._rows = words.rows(unique)
        self._texts = [[number[text] for text in sample.texts] for sample in self._samples]
        self._negatives = np.zeros_like(self._rows)
        self._chunk_rows, self._chunk_of, self._words = np.zeros((0, self._rows.shape[1]), np.int32), [], []
        if self.source.kind != "captions":
            return
        wrong = [hard_negative(text, self._chance) for text in unique]
        have = [i for i, text in enumerate(wrong) if text]
        self._negatives[have] = words.rows([text for text in wrong if text])
        parts = [chunks(text) for text in unique]
        every = sorted({part for some in parts for part in some})
        place = {part: i for i, part in enumerate(every)}
        self._chunk_rows = words.rows(every)[:, :12].copy()
        self._chunk_of = [[place[part] for part in some] for some in parts]
        self._chunk_text = every
        # The nouns of each picture's captions, hashed: a chunk whose words a picture's captions have is no negative.
        self._words = [
            {_slot(w, self._nouns) for t in s.texts for w in t.lower().strip(".").split()} for s in self._samples
        ]

    def __len__(self) -> int:
        return len(self._samples)

    def batches(self) -> Iterator[Batch]:
        """Batches for ever, each prepared while the one before is learned from."""
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self.next)
            while True:
                batch, ahead = ahead.result(), pool.submit(self.next)
                yield batch

    def next(self) -> Batch:
        """The next batch."""
        while len(self._order) < self.source.batch:
            self._order = np.concatenate([self._order, self._generator.permutation(len(self))])
        chosen, self._order = self._order[: self.source.batch], self._order[self.source.batch :]
        views = 2 if self.source.kind == "captions" else 1
        texts = [self._views(int(i), views) for i in chosen] if self.source.kind != "images" else []
        flat = [text for some in texts for text in some]
        tokens = self._rows[flat] if flat else np.zeros((0, self._rows.shape[1]), np.int32)
        if self.source.kind == "captions":
            self._join_some(tokens, chosen)
        first = [some[0] for some in texts]
        negatives = self._negatives[first] if first else tokens
        chunk_rows, chunk_words, image_words = self._draw_chunks(chosen, first)
        return Batch(
            pixels=self.pixels[torch.from_numpy(chosen).to(self.device)],
            groups=self._to(self._groups[chosen]),
            tokens=self._to(tokens),
            text_keys=self._to(np.array(flat, dtype=np.int64)),
            negatives=self._to(negatives),
            has_negative=self._to(negatives[:, 0] if len(negatives) else np.zeros(0, np.int64)) > 0,
            chunks=self._to(chunk_rows),
            chunk_words=chunk_words,
            image_words=image_words,
        )

    def _views(self, index: int, views: int) -> list[int]:
        texts = self._texts[index]
        if len(texts) >= views:
            return self._chance.sample(texts, views)
        return [self._chance.choice(texts) for _ in range(views)]

    def _join_some(self, tokens: np.ndarray, chosen: np.ndarray, share: float = 0.12) -> None:
        """Lengthen some texts by further captions of the same picture: a conversation says more than a caption."""
        length = tokens.shape[1]
        for row in np.flatnonzero(self._generator.random(len(tokens)) < share):
            used = int((tokens[row] > 0).sum())
            for text in self._views(int(chosen[row // 2]), 2):
                extra = self._rows[text]
                extra = extra[1 : int((extra > 0).sum())]  # without [CLS]
                room = length - used + 1
                if room > 4:
                    end = min(len(extra), room)
                    tokens[row, used - 1 : used - 1 + end] = extra[:end]
                    used += end - 1

    def _draw_chunks(self, chosen: np.ndarray, texts: list[int]) -> tuple[np.ndarray, Tensor, Tensor]:
        none = torch.zeros((0, self._nouns), device=self.device)
        if not self._chunk_of:
            return np.zeros((0, 12), np.int32), none, none
        picked = [self._chance.choice(self._chunk_of[t]) if self._chunk_of[t] else -1 for t in texts]
        rows = np.stack([self._chunk_rows[p] if p >= 0 else np.zeros(12, np.int32) for p in picked])
        words = [{_slot(w, self._nouns) for w in self._chunk_text[p].split()} if p >= 0 else set() for p in picked]
        return rows, self._multi_hot(words), self._multi_hot([self._words[i] for i in chosen])

    def _multi_hot(self, sets: list[set[int]]) -> Tensor:
        rows = np.repeat(np.arange(len(sets)), [len(s) for s in sets])
        columns = np.fromiter((w for s in sets for w in s), dtype=np.int64, count=len(rows))
        out = torch.zeros((len(sets), self._nouns), device=self.device)
        out[self._to(rows), self._to(columns)] = 1
        return out

    def _to(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array).astype(np.int64)).to(self.device, non_blocking=True)


def _slot(word: str, slots: int) -> int:
    value = 0
    for letter in word.strip(".,!?'\""):
        value = (value * 131 + ord(letter)) & 0xFFFFFFFF
    return value % slots


def augment(pixels: Tensor, size: int, *, smallest: float = 0.6, sided: Tensor | None = None) -> Tensor:
    """Random crop, squash and flip, and a little light and contrast, on the device; float and normalised.

    Pictures that are ``sided`` (a text speaks of left or right) are not flipped.
    """
    n = len(pixels)
    area = torch.empty(n, device=pixels.device).uniform_(smallest, 1.0)
    ratio = torch.empty(n, device=pixels.device).uniform_(-0.29, 0.29).exp()  # 3:4 to 4:3
    wide = (area * ratio).sqrt().clamp(max=1.0)
    high = (area / ratio).sqrt().clamp(max=1.0)
    left = (torch.rand(n, device=pixels.device) * 2 - 1) * (1 - wide)
    top = (torch.rand(n, device=pixels.device) * 2 - 1) * (1 - high)
    flip = torch.where(torch.rand(n, device=pixels.device) < 0.5, -1.0, 1.0)
    if sided is not None:
        flip = torch.where(sided, 1.0, flip)
    zero = torch.zeros_like(wide)
    theta = torch.stack([torch.stack([wide * flip, zero, left], -1), torch.stack([zero, high, top], -1)], 1)
    grid = F.affine_grid(theta, [n, 3, size, size], align_corners=False)
    out = F.grid_sample(pixels.float(), grid, mode="bilinear", padding_mode="reflection", align_corners=False)
    light = torch.empty(n, 1, 1, 1, device=pixels.device).uniform_(0.8, 1.2)
    contrast = torch.empty(n, 1, 1, 1, device=pixels.device).uniform_(0.8, 1.2)
    middle = out.mean(dim=(1, 2, 3), keepdim=True)
    return normalise(((out - middle) * contrast + middle) * light)


def resize(pixels: Tensor, size: int) -> Tensor:
    """The whole picture at the tower's size, normalised: what the encoder sees when it is used."""
    small = F.interpolate(pixels.float(), size=(size, size), mode="bicubic", antialias=True, align_corners=False)
    return normalise(small.clamp(0, 255))


def normalise(pixels: Tensor) -> Tensor:
    """Bytes 0..255 to the range the tower was built for."""
    mean = torch.tensor(MEAN, device=pixels.device).view(1, 3, 1, 1) * 255
    deviation = torch.tensor(DEVIATION, device=pixels.device).view(1, 3, 1, 1) * 255
    return (pixels - mean) / deviation
