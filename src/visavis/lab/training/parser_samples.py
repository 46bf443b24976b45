"""The course of a training of the parser, its prepared samples, and which of them each step learns from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

START, END = 101, 102
#: How much of the weak material is from where.
WEAK_SHARES = {
    "generated": 0.2,
    "coco": 0.15,
    "titles": 0.4,
    "fashion": 0.07,
    "shoes": 0.03,
    "requests": 0.15,
    "labelled": 0.15,
    "shops": 0.25,
    "situations": 0.2,
    "inquiries": 0.3,
    "turns": 0.15,
}


@dataclass(frozen=True)
class Course:
    """How to train.

    Attributes:
        steps: How many steps at most.
        seconds: How long at most; the learning rate falls to nothing by then.
        batch: ParserSamples a step.
        rate: The highest learning rate, of the decoder.
        warm_up: Steps until it is reached.
        encoder_rate: What of it the encoder learns at; at 0 only the decoder learns.
        weak_first: The share of weak material at the start.
        weak_last: ... and at the end.
        share: The share of the corpus's rows to learn from.
        sources: Learn only from sources that begin so (``caise/train``); all when empty.
        validation: The source to validate on.
        test: The source to report on at the end; no choice depends on it.
        aside: Further sources that are reported on and not learned from, separated by commas.
        copy: Whether the network has a gate for copying.
        dropout: Share of states dropped.
        smoothing: Label smoothing.
        consistency: Weight of the difference between two passes of each batch; 0 saves the second one.
        decoder_layers: Layers of the decoder; where weights to go on from have more, some of them are left out.
        average: Decay of the moving average of the weights, which is what is kept.
        checks: How often to validate on the way.
        favoured: Writers to learn from more often, separated by commas.
        favour: The share of the corpus's samples that are theirs.
        seed: The same seed gives the same order.
        half: Whether a processor computes in bfloat16, too; the newer ones are faster by it.
    """

    steps: int = 4000
    seconds: float = 1e9
    batch: int = 256
    rate: float = 5e-4
    warm_up: int = 300
    encoder_rate: float = 0.3
    weak_first: float = 0.5
    weak_last: float = 0.1
    share: float = 1.0
    sources: str = ""
    validation: str = "corpus/z"
    test: str = "corpus/y"
    aside: str = "corpus/ac,corpus/ah,corpus/aj,corpus/am,corpus/aq,corpus/au,corpus/az,corpus/bj"
    copy: bool = True
    dropout: float = 0.1
    smoothing: float = 0.05
    consistency: float = 0.0
    decoder_layers: int = 3
    average: float = 0.999
    checks: int = 3
    favoured: str = ""
    favour: float = 0.5
    seed: int = 0
    half: bool = False


class ParserSamples:
    """Prepared material on a device; batches are gathered there."""

    def __init__(self, path: Path, device: torch.device, limit: int | None = None) -> None:
        self.limit = limit
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        self.source_names = [str(name) for name in arrays["source_names"]]
        self.source: NDArray[np.int64] = arrays["source"].astype(np.int64)
        self.row: NDArray[np.int64] = arrays["row"].astype(np.int64)
        self.generated = torch.from_numpy(arrays["generated"].astype(np.int64))
        self.lengths: NDArray[np.int64] = arrays["input_lengths"].astype(np.int64)
        self.device = device
        self._inputs, self._input_at, self._input_lengths = self._flat(arrays["inputs"], arrays["input_lengths"])
        self._targets, self._target_at, self._target_lengths = self._flat(arrays["targets"], arrays["target_lengths"])
        self._messages = torch.from_numpy(arrays["message_lengths"].astype(np.int64)).to(device)

    def _flat(self, values: NDArray[np.uint16], lengths: NDArray[np.uint16]) -> tuple[Tensor, Tensor, Tensor]:
        counts = torch.from_numpy(lengths.astype(np.int64))
        begins = torch.cumsum(counts, 0) - counts
        flat = torch.from_numpy(np.append(values.astype(np.int32), 0))
        return flat.to(self.device), begins.to(self.device), counts.to(self.device)

    def of(self, prefix: str) -> NDArray[np.int64]:
        """The numbers of the samples of a source, or of all below a folder."""
        wanted = [at for at, name in enumerate(self.source_names) if name == prefix or name.startswith(f"{prefix}/")]
        return np.flatnonzero(np.isin(self.source, wanted))

    def held_back(self, prefix: str) -> NDArray[np.int64]:
        """The samples to validate on."""
        return self.of(prefix)[: self.limit]

    @staticmethod
    def _gather(flat: Tensor, begins: Tensor, counts: Tensor) -> Tensor:
        steps = torch.arange(int(counts.max()), device=flat.device)
        inside = steps[None] < counts[:, None]
        return torch.where(inside, flat[(begins[:, None] + steps).clamp(max=len(flat) - 1)], 0).long()

    def batch(self, numbers: NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Input pieces, their kinds, what was written before each step, what is to be written; 0 is padding."""
        at = torch.from_numpy(numbers).to(self.device)
        ids = self._gather(self._inputs, self._input_at[at], self._input_lengths[at])
        targets = self._gather(self._targets, self._target_at[at], self._target_lengths[at])
        kinds = (torch.arange(ids.shape[1], device=self.device)[None] >= self._messages[at][:, None]).long()
        written = torch.cat([torch.full_like(targets[:, :1], START), targets[:, :-1]], dim=1)
        return ids, kinds, written, targets


class Sampler:
    """Chooses the samples of each step: less and less weak material, inputs of like length together."""

    def __init__(self, samples: ParserSamples, course: Course) -> None:
        self._samples, self._course = samples, course
        self._chance = np.random.default_rng(course.seed)
        self._favoured = np.array([], np.int64)
        if course.sources:
            self._corpus, self._weak = samples.of(course.sources), []
            return
        held_back = {course.validation, course.test, *course.aside.split(",")}
        names = [name for name in samples.source_names if name.startswith("corpus/") and name not in held_back]
        corpus = np.concatenate([samples.of(name) for name in names])
        rows = np.unique(samples.row[corpus])
        kept = np.random.default_rng(1).permutation(rows)[: max(1, round(len(rows) * course.share))]
        self._corpus = corpus[np.isin(samples.row[corpus], kept)]
        if course.favoured:
            favoured = np.concatenate([samples.of(f"corpus/{name}") for name in course.favoured.split(",")])
            self._favoured = favoured[np.isin(favoured, self._corpus)]
        self._weak = [(samples.of(name), share) for name, share in WEAK_SHARES.items() if len(samples.of(name))]

    def batches(self, progress: Callable[[], float], pool: int = 8) -> Iterator[NDArray[np.int64]]:
        """Endless batches; ``progress`` tells how much of the training is done."""
        size, chance = self._course.batch, self._chance
        while True:
            share = self._course.weak_first + (self._course.weak_last - self._course.weak_first) * progress()
            weak = round(pool * size * share) if self._weak else 0
            favoured = round((pool * size - weak) * self._course.favour) if len(self._favoured) else 0
            drawn = [chance.choice(self._corpus, pool * size - weak - favoured)]
            if favoured:
                drawn.append(chance.choice(self._favoured, favoured))
            total = sum(part for _, part in self._weak)
            drawn += [chance.choice(numbers, round(weak * part / total)) for numbers, part in self._weak]
            numbers = np.concatenate(drawn)
            numbers = numbers[np.argsort(self._samples.lengths[numbers] + chance.random(len(numbers)))]
            parts = np.array_split(numbers, pool)
            for at in chance.permutation(pool):
                yield parts[at]
