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

from visavis.encoders.base import Encoder
from visavis.encoders.description import TOKENIZER
from visavis.errors import BadInputError
from visavis.lab.datasets.protocol import is_development
from visavis.lab.datasets.scene_dialogues import Scene, read_scenes
from visavis.lab.evaluation.gallery import read_ids
from visavis.lab.training.epochs import EpochSettings

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
    from visavis.lab.networks.torch_text import TorchTextEncoder

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
