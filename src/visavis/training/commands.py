"""Training of the learned parser: first on our own generated dialogues, then, where wanted, on CAISE."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import torch
from torch import Tensor

from visavis.language.generated import examples
from visavis.language.lexicon import colours
from visavis.language.tokens import END, START, Encoded, encode_input, encode_target, pieces_of
from visavis.networks.caise import CommandNetwork, CommandShape

#: Log probability below which a piece cannot come about at all.
_IMPOSSIBLE = -1000.0
#: How the parameters of the reader are called.
_READER = ("layers.", "norm.", "positions.", "widen.")


@dataclass(frozen=True)
class Sample:
    """One thing to learn: an input, and the pieces to write."""

    encoded: Encoded
    target: tuple[int, ...]


@dataclass(frozen=True)
class Course:
    """How long and how fast to learn.

    Attributes:
        epochs: How often every sample is seen.
        batch: Samples a step.
        rate: The highest learning rate.
        warm_up: Steps until it is reached; it falls to almost nothing at the end.
        reader: What of the rate the reader learns at: less where it starts from what it knows already.
    """

    epochs: int = 1
    batch: int = 64
    rate: float = 1e-3
    warm_up: int = 100
    reader: float = 1.0


def sample(encoded: Encoded, commands: Iterable[str]) -> Sample:
    """A sample from an encoded input and the commands to write."""
    return Sample(encoded, (*encode_target(commands), END))


def generated_samples(count: int, seed: int) -> list[Sample]:
    """Samples from our own generated dialogues."""
    return [
        sample(encode_input(example.message, example.context), map(str, example.commands))
        for example in islice(examples(seed), count)
    ]


def generated_pieces(samples: Iterable[Sample]) -> Tensor:
    """The pieces that the network must be able to generate: those of the targets, and every colour."""
    pieces = {piece for one in samples for piece in one.target}
    pieces.update(piece for name in colours() for piece in pieces_of(name))
    return torch.tensor(sorted(pieces))


def _padded(rows: Sequence[Sequence[int] | np.ndarray]) -> Tensor:
    longest = max(len(row) for row in rows)
    out = torch.zeros(len(rows), longest, dtype=torch.long)
    for at, row in enumerate(rows):
        out[at, : len(row)] = torch.as_tensor(np.asarray(row))
    return out


def batch_of(samples: Sequence[Sample]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pieces, kinds, what was written before each step, and what is to be written; 0 is padding."""
    targets = _padded([one.target for one in samples])
    written = torch.cat([torch.full((len(samples), 1), START), targets[:, :-1]], dim=1)
    ids, kinds = _padded([one.encoded.ids for one in samples]), _padded([one.encoded.kinds for one in samples])
    return ids, kinds, written, targets


def _batches(samples: Sequence[Sample], size: int, chance: random.Random) -> list[list[Sample]]:
    """Batches of inputs of like length, in random order."""
    shuffled = list(samples)
    chance.shuffle(shuffled)
    batches: list[list[Sample]] = []
    for start in range(0, len(shuffled), 16 * size):
        pool = sorted(shuffled[start : start + 16 * size], key=lambda one: len(one.encoded.ids))
        batches += [pool[at : at + size] for at in range(0, len(pool), size)]
    chance.shuffle(batches)
    return batches


def learn(
    network: CommandNetwork,
    samples: Callable[[], Sequence[Sample]],
    course: Course,
    *,
    seed: int = 0,
    tell: Callable[[str], object] = str,
) -> float:
    """Teach a network; returns the mean loss of the last epoch.

    Args:
        network: What learns.
        samples: Gives the samples of an epoch; called anew for each, so that they may vary.
        course: How long and how fast.
        seed: The same seed gives the same order.
        tell: Gets a line now and then.
    """
    torch.manual_seed(seed)
    chance = random.Random(seed)
    device = network.table.device
    optimiser = _optimiser(network, course)
    network.train()
    began, mean = time.monotonic(), math.inf
    for epoch in range(course.epochs):
        batches = _batches(samples(), course.batch, chance)
        losses = []
        for at, batch in enumerate(batches):
            done = epoch + at / len(batches)
            warmed = (epoch * len(batches) + at + 1) / course.warm_up
            for group in optimiser.param_groups:
                group["lr"] = group["highest"] * min(warmed, max(0.02, 1 - done / course.epochs))
            ids, kinds, written, targets = (part.to(device) for part in batch_of(batch))
            likelihood = network.target_log_likelihood(ids, kinds, written, targets)
            # a piece that can be neither generated nor copied (a typing error put right, say) teaches nothing
            loss = -likelihood[(targets > 0) & (likelihood > _IMPOSSIBLE)].mean()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            losses.append(loss.item())
        mean = sum(losses) / len(losses)
        tell(f"epoch {epoch + 1} of {course.epochs}: loss {mean:.3f}, {time.monotonic() - began:.0f} s")
    network.eval()
    return mean


def _optimiser(network: CommandNetwork, course: Course) -> torch.optim.Optimizer:
    """Reader and writer, each with its own rate."""
    read = [value for name, value in network.named_parameters() if name.startswith(_READER)]
    rest = [value for name, value in network.named_parameters() if not name.startswith(_READER)]
    groups = [
        {"params": read, "lr": course.rate * course.reader, "highest": course.rate * course.reader},
        {"params": rest, "lr": course.rate, "highest": course.rate},
    ]
    return torch.optim.AdamW(groups, weight_decay=0.02)


def new_network(samples: Iterable[Sample], table: Tensor, dropout: float = 0.1, **sizes: int) -> CommandNetwork:
    """An untrained network that can write what the samples ask for."""
    pieces = generated_pieces(samples)
    shape = CommandShape(embedding=table.shape[1], generated=len(pieces), dropout=dropout, **sizes)
    return CommandNetwork(shape, pieces, table[: shape.vocabulary])


def extended(network: CommandNetwork, samples: Iterable[Sample]) -> CommandNetwork:
    """A trained network that can also generate what further samples ask for."""
    known = set(network.generated_ids.tolist())
    further = [piece for piece in generated_pieces(samples).tolist() if piece not in known]
    pieces = torch.cat([network.generated_ids, torch.tensor(further, dtype=torch.long)])
    grown = CommandNetwork(replace(network.shape, generated=len(pieces)), pieces, network.table)
    state = network.state_dict()
    start = grown.state_dict()
    for name in ("generate.weight", "generate.bias"):
        start[name][: len(known)] = state[name]
        state[name] = start[name]
    grown.load_state_dict({**state, "generated_ids": pieces})
    return grown
