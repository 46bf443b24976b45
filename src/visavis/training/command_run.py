"""A whole training of the learned parser: generated dialogues, CAISE where it is given, export, a first score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import torch

from visavis.language.caise.records import read_records
from visavis.language.generated import examples
from visavis.language.learned import LearnedParser
from visavis.networks.caise import CommandNetwork
from visavis.training.caise_samples import caise_samples
from visavis.training.choices import learn_choices
from visavis.training.command_export import export, load
from visavis.training.command_vectors import minilm_vectors, minilm_words, start_reader
from visavis.training.commands import Course, Sample, extended, generated_samples, learn, new_network

#: Length of the word pieces' vectors: 96 numbers a piece keep the shipped weights under 6 MB.
WIDTH = 96
#: Generated messages that are never trained on.
_HELD_OUT_SEED = 1_000_003
#: The generated messages come in so many portions, each of new messages.
_PASSES = 5
#: What of the rate a reader learns at that starts from MiniLM; a quarter or twice of that made no difference.
_READER_RATE = 0.4


@dataclass(frozen=True)
class Settings:
    """What to train on, and where to write (see ``visavis train commands --help``)."""

    out: Path
    data: Path | None = None
    generated: int = 200_000
    epochs: int = 14
    start: Path | None = None
    resume: Path | None = None
    seed: int = 7
    minilm: bool = False
    device: str = "cpu"


def run(settings: Settings, tell: Callable[[str], object] = str) -> dict[str, float]:
    """Train, export, and score what was exported on generated messages that it never saw."""
    torch.set_num_threads(1)  # batches this small are slower on several threads
    records = read_records(settings.data, "train") if settings.data else []
    network = _first(settings, caise_samples(records, vary=0.0), tell)
    if records:
        epoch = iter(range(1_000_000))
        course = Course(epochs=settings.epochs, batch=32, rate=7e-4)
        if settings.minilm:
            course = replace(course, rate=5e-4, reader=_READER_RATE)
        tell(f"learning from {len(records):,} CAISE records")
        learn(network, lambda: caise_samples(records, seed=next(epoch)), course, seed=settings.seed, tell=tell)
    network = network.cpu()
    what = "generated dialogues" + (" and the train split of CAISE (CC BY-NC-SA 4.0)" if records else "")
    export(network, settings.out, name="commands-caise" if records else "commands", trained_on=what)
    scores = {"held_out_generated": held_out(settings.out)}
    if records:
        tell("learning which colours and things the annotators mean")
        choices, told = learn_choices(records)
        choices.save(settings.out)
        scores |= told
    return scores


def _first(settings: Settings, caise: list[Sample], tell: Callable[[str], object]) -> CommandNetwork:
    """The network after the generated dialogues, or one trained before."""
    if settings.resume:
        return extended(load(settings.resume), caise).to(settings.device)
    first = generated_samples(min(settings.generated, 20_000), settings.seed)
    network = _new(settings, [*first, *caise])
    if first:
        share = -(-settings.generated // _PASSES)
        epoch = iter(range(_PASSES))
        tell(f"learning from {share * _PASSES:,} generated messages")
        course = Course(epochs=_PASSES, rate=1.5e-3)
        if settings.minilm:
            course = replace(course, rate=5e-4, reader=_READER_RATE)
        learn(
            network,
            lambda: generated_samples(share, settings.seed + next(epoch)),
            course,
            seed=settings.seed,
            tell=tell,
        )
    return network


def _new(settings: Settings, samples: list[Sample]) -> CommandNetwork:
    """A small network with MiniLM's word vectors, or one whose reader is MiniLM."""
    if settings.minilm:
        sizes = {"width": 384, "layers": 6, "heads": 12}
        network = new_network(samples, minilm_words(settings.start), dropout=0.2, **sizes)
        start_reader(network, settings.start)
    else:
        network = new_network(samples, minilm_vectors(WIDTH, settings.start))
    return network.to(settings.device)


def held_out(folder: Path, count: int = 500) -> float:
    """The share of unseen generated messages that exported weights understand exactly."""
    parser = LearnedParser(folder)
    wanted = list(islice(examples(_HELD_OUT_SEED), count))
    right = sum(parser.understand(one.message, one.context).commands == one.commands for one in wanted)
    return right / count
