"""What the trainings of the scene retrievers share: settings, pictures that train, validate and test, an epoch."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.encoders.base import TOKENIZER, Encoder
from visavis.errors import BadInputError
from visavis.lab.datasets.protocol import is_development
from visavis.lab.datasets.scene_dialogues import Scene, queries_of, read_scenes
from visavis.lab.evaluation.gallery import read_ids
from visavis.lab.training.epochs import EpochSettings, chosen_device

#: The torch weights in a folder of towers.
TOWERS = "towers.pt"
#: Pictures that validate at most: a look after every epoch.
_VALIDATING = 1000


@dataclass(frozen=True)
class SceneSettings(EpochSettings):
    """What a person chooses of any run about scenes.

    Attributes:
        towers: A folder of an encoder with ``towers.pt``: texts are read by it in torch.
    """

    epochs: int = 30
    batch: int = 128
    rate: float = 2e-4
    patience: int = 4
    towers: Path | None = None


@dataclass(frozen=True)
class SceneParts:
    """Scenes whose pictures have vectors.

    Attributes:
        train: Those to train on, in an order that has nothing to do with their ids.
        held: Those of Karpathy's val that validate: every fourth, by a hash.
        test: The others of val.
        places: The row of each picture's vectors.
        vectors: Their folder.
    """

    train: tuple[Scene, ...]
    held: tuple[Scene, ...]
    test: tuple[Scene, ...]
    places: dict[str, int]
    vectors: Path

    def __iter__(self) -> Iterator[tuple[Scene, ...]]:
        return iter((self.train, self.held, self.test))

    @property
    def classes(self) -> tuple[str, ...]:
        """All classes of objects."""
        return tuple(sorted({name for part in self for scene in part for name in scene.objects}))

    def rows(self, scenes: Sequence[Scene], name: str) -> NDArray[np.float16]:
        """The vectors of pictures: ``whole`` ``[n, d]`` or ``regions`` ``[n, r, d]``."""
        stored = np.load(self.vectors / f"{name}.npy", mmap_mode="r")
        return np.asarray(stored[[self.places[scene.id] for scene in scenes]], np.float16)


def read_parts(settings: SceneSettings, usable: Callable[[Scene], bool]) -> SceneParts:
    """Scenes to train, to validate and to test on; Karpathy's test split is in none of them."""
    places = {id: place for place, id in enumerate(read_ids(settings.vectors))}
    scenes = [one for one in read_scenes(settings.data) if one.id in places and one.split != "test" and usable(one)]
    train = sorted((one for one in scenes if one.split != "val"), key=_drawn)[: settings.limit]
    val = [one for one in scenes if one.split == "val"]
    held = [one for one in val if is_development(one.id)] or val
    test = [one for one in val if not is_development(one.id)] or val
    if not train or not val:
        raise BadInputError("There is nothing to train or to validate on.", "captions.jsonl needs train and val.")
    most = max(50, min(_VALIDATING, len(train) // 4))
    return SceneParts(tuple(train), tuple(held[:most]), tuple(test[: 4 * most]), places, settings.vectors)


def _drawn(scene: Scene) -> bytes:
    return hashlib.blake2b(scene.id.encode(), digest_size=8).digest()


def text_vectors(texts: Sequence[str], encoder: Encoder, settings: SceneSettings, device: str) -> Tensor:
    """One unit vector a text, ``[n, d]`` on the device: by the towers in torch where they are given."""
    if settings.towers is None:
        return torch.from_numpy(encoder.encode_texts(texts)).to(device)
    from visavis.lab.networks.towers import TorchTextEncoder

    return TorchTextEncoder(settings.towers / TOWERS, settings.towers / TOKENIZER, device).encode(texts)


def train_epoch(
    number: int,
    pictures: int,
    settings: SceneSettings,
    optimiser: torch.optim.Optimizer,
    loss_of: Callable[[list[int]], dict[str, Tensor]],
    most: float = float("inf"),
) -> dict[str, float]:
    """One epoch over all pictures in a random order; the losses of a step are summed, and their means returned.

    Args:
        number: The number of the epoch; it and the seed draw the order.
        pictures: How many there are.
        settings: The batch and the seed.
        optimiser: Its parameters are trained.
        loss_of: The losses of some pictures by name.
        most: Gradients longer than this are cut.
    """
    order = random.Random(f"{settings.seed}-{number}").sample(range(pictures), pictures)
    parameters = [one for group in optimiser.param_groups for one in group["params"]]
    totals: dict[str, Tensor] = {}
    steps = 0
    for start in range(0, pictures, settings.batch):
        chosen = order[start : start + settings.batch]
        if len(chosen) < 2:
            continue
        losses = loss_of(chosen)
        optimiser.zero_grad()
        sum(losses.values(), torch.zeros((), device=parameters[0].device)).backward()
        if most < float("inf"):
            nn.utils.clip_grad_norm_(parameters, most)
        optimiser.step()
        for name, loss in losses.items():
            totals[name] = totals.get(name, torch.zeros((), device=loss.device)) + loss.detach()
        steps += 1
    return {name: float(total) / max(steps, 1) for name, total in totals.items()}


def settings_json(settings: SceneSettings) -> dict[str, Any]:
    """Settings for a log, without paths."""
    return {name: value for name, value in vars(settings).items() if not isinstance(value, Path) and value is not None}


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
        rollout: The states that the joint stage trains: ``best`` (of the most rewarding slots, as in the paper) or
            ``policy`` (of the policy's likeliest).
        start: A folder with exported weights: the joint stage goes on from them, and there is no other.
        half: Whether products are computed in bfloat16; a processor that has it needs a quarter of the time.
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
    rollout: str = "best"
    start: Path | None = None
    half: bool = False


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
