"""Dialogues as token numbers, made by other processes while the last epoch trains."""

from __future__ import annotations

import multiprocessing
import os
import random
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from visavis.lab.datasets.scene_dialogues import THERE, Masking, Scene, dialogue_of_scene, masked
from visavis.search.learned.chatir import MOST_TOKENS, Dialog, joined, shortened

#: Dialogues that a process makes at once.
_CHUNK = 2048
#: The share of published dialogues, for pictures that have one.
_PUBLISHED = 0.5


@dataclass(frozen=True)
class Tokens:
    """Texts as token numbers, one after another, on a device."""

    flat: Tensor
    starts: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, rows: Sequence[NDArray[np.uint16]], device: str | torch.device) -> Tokens:
        """Texts from their token numbers."""
        lengths = np.array([len(row) for row in rows], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        flat = np.concatenate(rows).astype(np.int32)
        one, two, three = (torch.from_numpy(array).to(device) for array in (flat, starts, lengths))
        return cls(one, two, three)

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Token numbers ``[n, l]``, padded with 0, and their mask."""
        lengths = self.lengths[places]
        along = torch.arange(int(lengths.max()), device=places.device)[None]
        mask = along < lengths[:, None]
        found = self.flat[(self.starts[places][:, None] + along).clamp(max=len(self.flat) - 1)]
        return found.long() * mask, mask.float()


@dataclass(frozen=True)
class DialogueMaker:
    """Makes dialogues of scenes, cut at a random round and masked, as a training reads them.

    Attributes:
        scenes: The pictures.
        classes: All classes of objects.
        tokenizer: The tokenizer's file.
        phrasings: How it is asked whether something is there.
        published: Published dialogues by picture; half of the dialogues of these are such.
        masking: What is hidden.
        rounds: Rounds at most; none for the baseline of captions alone.
        seed: Draws everything, with the number of the epoch.
    """

    scenes: Sequence[Scene]
    classes: Sequence[str]
    tokenizer: Path
    phrasings: Sequence[str] = THERE
    published: Mapping[str, Sequence[Dialog]] = field(default_factory=dict)
    masking: Masking = "none"
    rounds: int = 10
    seed: int = 0

    def whole(self, place: int, draw: random.Random) -> Dialog:
        """A whole dialogue about a picture."""
        scene = self.scenes[place]
        told = self.published.get(scene.id)
        if told and draw.random() < _PUBLISHED:
            return draw.choice(told).first(self.rounds)
        return dialogue_of_scene(scene, self.classes, draw, self.rounds, self.phrasings)

    def cut(self, place: int, epoch: int) -> Dialog:
        """A dialogue of an epoch, after some of its rounds, with something hidden."""
        draw = random.Random(f"{self.seed}-{place}-{epoch}")
        dialog = self.whole(place, draw)
        return masked(dialog.first(draw.randint(0, len(dialog.rounds))), self.masking, draw)

    def read(self, dialogs: Sequence[Dialog]) -> list[NDArray[np.uint16]]:
        """Token numbers of dialogues, shortened by whole rounds."""
        tokens = _tokenizer(self.tokenizer)
        rows = []
        for dialog in dialogs:
            ids = tokens.encode(joined(dialog)).ids
            if len(ids) > MOST_TOKENS:
                dialog, _ = shortened(dialog, lambda text: len(tokens.encode(text).ids))
                ids = tokens.encode(joined(dialog)).ids[:MOST_TOKENS]
            rows.append(np.array(ids, np.uint16))
        return rows

    def epoch(self, places: Sequence[int], number: int) -> list[NDArray[np.uint16]]:
        """Token numbers of the dialogues of an epoch about some pictures."""
        return self.read([self.cut(place, number) for place in places])


@lru_cache(maxsize=2)
def _tokenizer(path: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


_MAKER: list[DialogueMaker] = []


def _start(maker: DialogueMaker) -> None:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _MAKER[:] = [maker]


def _make(start: int, end: int, number: int) -> list[NDArray[np.uint16]]:
    return _MAKER[0].epoch(range(start, end), number)


class DialogueFeed:
    """The dialogues of one epoch after another; the next one's are made while the last is read."""

    def __init__(self, maker: DialogueMaker, device: str, workers: int = 0) -> None:
        """Start making dialogues.

        Args:
            maker: Makes them.
            device: Where they are read.
            workers: Processes; none makes them when they are asked for. They are forked: start them before a GPU is.
        """
        self._maker = maker
        self._device = device
        self._waiting: dict[int, list[Future[list[NDArray[np.uint16]]]]] = {}
        self._pool: ProcessPoolExecutor | None = None
        if workers:
            forked = multiprocessing.get_context("fork")
            self._pool = ProcessPoolExecutor(workers, forked, _start, (maker,))
            self._ask(0)

    def __call__(self, number: int) -> Tokens:
        """The dialogues of an epoch, one a picture in their order."""
        pictures = len(self._maker.scenes)
        if self._pool is None:
            return Tokens.of(self._maker.epoch(range(pictures), number), self._device)
        self._ask(number)
        self._ask(number + 1)
        return Tokens.of([row for part in self._waiting.pop(number) for row in part.result()], self._device)

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, number: int) -> None:
        if number in self._waiting:
            return
        assert self._pool is not None
        pictures = len(self._maker.scenes)
        self._waiting[number] = [
            self._pool.submit(_make, start, min(start + _CHUNK, pictures), number)
            for start in range(0, pictures, _CHUNK)
        ]
