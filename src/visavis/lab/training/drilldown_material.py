"""What Drill-down is trained on: its settings, scenes as conversations of queries, queries as words or vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from visavis.encoders.base import Encoder
from visavis.lab.datasets.scene_dialogues import Scene, queries_of
from visavis.lab.training.epochs import chosen_device
from visavis.lab.training.scene_parts import (
    SceneParts,
    SceneSettings,
    read_parts,
    text_vectors,
)


@dataclass(frozen=True)
class DrilldownSettings(SceneSettings):
    """What a person chooses of a run; epochs and seconds are those of each stage.

    Attributes:
        states: State vectors.
        dimension: Their length.
        turns: Queries of a conversation.
        margin: The margin of the triplet loss.
        trade: What the policy's loss counts.
        words: Whether a recurrent network over words reads the queries instead of the text tower.
        joined: Whether it reads all queries as one text (R-RE); needs ``words`` and one state.
        form: The form of the similarity.
        pooled: Whether a picture is one vector (HRE).
        sentences: Whether whole captions are queries beside their phrases.
        whole: Whether the whole picture is one more region.
        nine: Whether there are nine regions, each the mean of four, instead of 36.
    """

    states: int = 3
    dimension: int = 256
    turns: int = 10
    margin: float = 0.2
    trade: float = 0.1
    words: bool = False
    joined: bool = False
    form: str = "code"
    pooled: bool = False
    sentences: bool = False
    whole: bool = False
    nine: bool = False


@dataclass(frozen=True)
class SceneConversations:
    """Pictures and the numbers of their queries, on the device.

    Attributes:
        whole: Their vectors ``[n, d]``.
        regions: Their region vectors ``[n, r, d]``.
        queries: The numbers of each picture's queries ``[n, q]``, as many as ``counts`` ``[n]`` says.
        counts: How many there are.
    """

    whole: Tensor
    regions: Tensor
    queries: Tensor
    counts: Tensor

    def __len__(self) -> int:
        return len(self.whole)

    def first(self, number: int | None) -> SceneConversations:
        """The first pictures."""
        return SceneConversations(
            self.whole[:number], self.regions[:number], self.queries[:number], self.counts[:number]
        )

    def pictures(self, places: Tensor, settings: DrilldownSettings) -> Tensor:
        """What the network sees of pictures: their regions ``[n, r, d]``, the whole first where it is one."""
        regions = self.regions[places].float()
        if settings.nine:
            regions = nine_regions(regions)
        return torch.cat([self.whole[places].float()[:, None], regions], dim=1) if settings.whole else regions

    def asked(self, places: Tensor, turns: int, chance: torch.Generator | None = None) -> Tensor:
        """The numbers of the queries of conversations ``[n, t]``; in a random order where there is chance.

        Where there are fewer queries than turns they are said again.
        """
        own, counts = self.queries[places], self.counts[places, None]
        turn = torch.arange(turns, device=own.device)[None]
        if chance is not None:
            keys = torch.rand(own.shape, generator=chance, device=own.device)
            keys = keys.masked_fill(torch.arange(own.shape[1], device=own.device)[None] >= counts, 2.0)
            own = own.gather(1, keys.argsort(dim=1))
        return own.gather(1, turn % counts)


def nine_regions(regions: Tensor) -> Tensor:
    """Means of two by two of a square of regions ``[n, r, d]``, unit length."""
    side = round(regions.shape[1] ** 0.5)
    squares = regions.view(len(regions), side // 2, 2, side // 2, 2, -1).mean(dim=(2, 4))
    return F.normalize(squares.flatten(1, 2), dim=-1)


@dataclass(frozen=True)
class DrilldownMaterial:
    """Conversations to train, to validate and to test on, and what the network reads of each query.

    Attributes:
        train: Of Karpathy's train and restval.
        held: Of val; they choose the epoch.
        test: Of val; they choose nothing.
        texts: The queries by number.
        vectors: Their vectors ``[q, d]``; none where words are read.
        known: How many of the texts are of pictures to train on: they come first.
    """

    train: SceneConversations
    held: SceneConversations
    test: SceneConversations
    texts: tuple[str, ...]
    vectors: Tensor
    known: int


def vocabulary_of(texts: Sequence[str], most: int = 14_000) -> dict[str, int]:
    """The commonest words by number; 0 is none and 1 unknown."""
    counts: dict[str, int] = {}
    for text in texts:
        for word in text.split():
            counts[word] = counts.get(word, 0) + 1
    kept = sorted(counts, key=lambda word: (-counts[word], word))[:most]
    return {word: number for number, word in enumerate(kept, 2)}


def word_numbers(texts: Sequence[str], vocabulary: dict[str, int], longest: int = 12) -> NDArray[np.int64]:
    """Word numbers ``[n, longest]`` of texts, padded with 0."""
    rows = np.zeros((len(texts), longest), np.int64)
    for row, text in zip(rows, texts, strict=True):
        numbers = [vocabulary.get(word, 1) for word in text.split()[:longest]] or [1]
        row[: len(numbers)] = numbers
    return rows


def read_material(settings: DrilldownSettings, encoder: Encoder, *, words: bool = False) -> DrilldownMaterial:
    """Material of a folder; with words the queries' vectors are left out."""
    said_of = {}

    def usable(scene: Scene) -> bool:
        said_of[scene.id] = queries_of(scene, settings.sentences)
        return len(said_of[scene.id]) >= 2

    parts = read_parts(settings, usable)
    rng = random.Random(settings.seed)
    numbers: dict[str, int] = {}
    rows, known = [], 0
    for part in parts:
        asked = [rng.sample(said, min(len(said), 2 * settings.turns)) for said in (said_of[one.id] for one in part)]
        rows.append([[numbers.setdefault(text, len(numbers)) for text in said] for said in asked])
        known = known or len(numbers)
    device = chosen_device(settings.device)
    texts = tuple(numbers)
    vectors = torch.zeros(0, device=device) if words else text_vectors(texts, encoder, settings, device)
    made = [_conversations(parts, part, said, device) for part, said in zip(parts, rows, strict=True)]
    return DrilldownMaterial(made[0], made[1], made[2], texts, vectors, known)


def _conversations(
    parts: SceneParts, scenes: Sequence[Scene], said: Sequence[Sequence[int]], device: str
) -> SceneConversations:
    queries = np.zeros((len(said), max(map(len, said))), np.int64)
    for row, own in zip(queries, said, strict=True):
        row[: len(own)] = own
    counts = np.array([len(own) for own in said], np.int64)
    arrays = (parts.rows(scenes, "whole"), parts.rows(scenes, "regions"), queries, counts)
    whole, regions, numbers, many = (torch.from_numpy(array).to(device) for array in arrays)
    return SceneConversations(whole, regions, numbers, many)
