"""Training of the parser's network on prepared material; needs torch and numpy only.

``python -m visavis.lab.training.parser --material material.npz --start DIR --out DIR --name main``
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.networks.parser import ParserNetwork, ParserShape
from visavis.lab.training.parser_state import load_state, save_state

START, END = 101, 102
TABLE = "table.npz"
#: How much of the weak material is from where.
WEAK_SHARES = {
    "generated": 0.2,
    "coco": 0.15,
    "fashion": 0.07,
    "shoes": 0.03,
    "requests": 0.15,
    "labelled": 0.15,
    "shops": 0.25,
    "situations": 0.25,
}
_ENCODER = ("layers.", "norm.", "positions.")


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
        test: The source to report on at the end; nobody chooses by it.
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
    aside: str = "corpus/ac"
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


@torch.no_grad()
def written(
    network: ParserNetwork, samples: ParserSamples, numbers: NDArray[np.int64], longest: int = 48
) -> list[list[int]]:
    """What the network writes for samples: the likeliest piece at each step, without a grammar."""
    outputs: list[list[int]] = []
    for part in np.array_split(numbers, max(1, len(numbers) // 256)):
        ids, kinds, _, _ = samples.batch(part)
        present = ids > 0
        states = network.encode(network.vectors(ids), kinds, present)
        copy_keys, table = network.copy_key(states), network.generator_table()
        line = torch.full((len(part), 1), START, device=ids.device)
        done = torch.zeros(len(part), dtype=torch.bool, device=ids.device)
        for _ in range(longest):
            x = network.decode(states, present, line)[:, -1:]
            vectors, copied, gate = network.sources(x, copy_keys)
            scale = network.shape.width**-0.5 * 8
            generated = F.softmax((vectors @ table.T)[:, 0].float() * scale + network.bias.float(), dim=-1)
            total = torch.zeros(len(part), network.shape.vocabulary, device=ids.device)
            share = torch.sigmoid(gate[:, 0].float())[:, None] if network.shape.copy else 0.0
            total[:, network.generated_ids] = generated * (1 - share)
            if network.shape.copy:
                pointed = F.softmax(copied[:, 0].float().masked_fill(~present, -1e4), dim=-1)
                total.scatter_add_(1, ids, pointed * share)
            piece = total.argmax(dim=-1).masked_fill(done, 0)
            line = torch.cat([line, piece[:, None]], dim=1)
            done |= piece == END
            if bool(done.all()):
                break
        outputs += [row[: row.index(END)] if END in row else row for row in line[:, 1:].tolist()]
    return outputs


def exact_share(
    network: ParserNetwork, samples: ParserSamples, numbers: NDArray[np.int64]
) -> tuple[float, list[list[int]]]:
    """The share of samples that are written exactly, and what was written."""
    if not len(numbers):
        return 0.0, []
    was = network.training
    network.eval()
    outputs = written(network, samples, numbers)
    network.train(was)
    right = 0
    for number, output in zip(numbers, outputs, strict=True):
        wanted = samples.batch(np.array([number]))[3][0].tolist()
        right += wanted == [*output, END]
    return right / len(numbers), outputs


def _table(folder: Path) -> Tensor:
    with np.load(folder / TABLE) as stored:
        return torch.from_numpy(stored["bytes"].astype(np.float32) * stored["scale"])


def new_network(
    samples: ParserSamples, start: Path, course: Course, init: tuple[Path, str] | Mapping[str, Tensor] | None = None
) -> ParserNetwork:
    """A network whose encoder is MiniLM, or one trained before: its weights, or the folder and name of their files."""
    table = _table(start)
    generated = samples.generated if course.copy else torch.arange(1, len(table))
    shape = ParserShape(
        generated=len(generated), copy=course.copy, dropout=course.dropout, decoder_layers=course.decoder_layers
    )
    torch.manual_seed(course.seed)
    network = ParserNetwork(shape, generated, table)
    given = load_state(*init) if isinstance(init, tuple) else init
    state = with_layers(given, course.decoder_layers) if given else load_state(start, "start")
    if init and state["bias"].shape != network.bias.shape:
        del state["bias"]  # it belongs to another choice of pieces that can be generated
    missing = network.load_state_dict(state, strict=False)
    assert not missing.unexpected_keys, missing.unexpected_keys
    assert not init or set(missing.missing_keys) <= {"bias"}, missing.missing_keys
    return network.to(samples.device)


def decoder_layers(state: Mapping[str, Tensor]) -> int:
    """How many layers the decoder of some weights has."""
    return len({name.split(".")[1] for name in state if name.startswith("decoder.")})


def with_layers(state: Mapping[str, Tensor], count: int) -> dict[str, Tensor]:
    """Weights with fewer decoder layers: the first, the last, and those evenly between."""
    present = decoder_layers(state)
    if present == count:
        return dict(state)
    chosen = {str(round(at * (present - 1) / max(1, count - 1))): str(at) for at in range(count)}
    kept: dict[str, Tensor] = {}
    for name, value in state.items():
        head, _, rest = name.partition(".")
        layer, _, part = rest.partition(".")
        if head != "decoder":
            kept[name] = value
        elif layer in chosen:
            kept[f"decoder.{chosen[layer]}.{part}"] = value
    return kept


class MovingAverage:
    """A slowly following copy of the weights."""

    def __init__(self, network: torch.nn.Module, decay: float) -> None:
        self.decay = decay
        self.steps = 0
        self.state = {name: value.detach().clone().float() for name, value in network.state_dict().items()}

    @torch.no_grad()
    def update(self, network: torch.nn.Module) -> None:
        """Follow one step."""
        self.steps += 1
        keep = min(self.decay, (1 + self.steps) / (10 + self.steps))
        mine = list(self.state.values())
        theirs = [value.float() for value in network.state_dict().values()]
        torch._foreach_mul_(mine, keep)
        torch._foreach_add_(mine, theirs, alpha=1 - keep)


def train(
    samples: ParserSamples,
    network: ParserNetwork,
    course: Course,
    tell: Callable[[str], object] = print,
    keep: Callable[[Mapping[str, Tensor]], object] | None = None,
) -> tuple[Mapping[str, Tensor], list[dict[str, float]]]:
    """Train a network; returns the averaged weights and how validation went. ``keep`` gets them at every check."""
    began = time.monotonic()
    step = 0

    def progress() -> float:
        return min(1.0, max(step / course.steps, (time.monotonic() - began) / course.seconds))

    encoder = [value for name, value in network.named_parameters() if name.startswith(_ENCODER)]
    rest = [value for name, value in network.named_parameters() if not name.startswith(_ENCODER)]
    on_gpu = samples.device.type == "cuda"
    optimiser = torch.optim.AdamW(
        [{"params": encoder, "part": course.encoder_rate}, {"params": rest, "part": 1.0}],
        lr=course.rate,
        betas=(0.9, 0.98),
        weight_decay=0.02,
        fused=on_gpu,
    )
    network.frozen_encoder = course.encoder_rate == 0
    network.marks.requires_grad_(not network.frozen_encoder)  # it reads them, too
    average = MovingAverage(network, course.average)
    validation = samples.held_back(course.validation)
    history: list[dict[str, float]] = []
    losses: list[Tensor] = []
    every = 1 / course.checks
    due = every
    network.train()
    batches = Sampler(samples, course).batches(progress)
    while progress() < 1:
        now = min(1.0, (step + 1) / course.warm_up) * max(0.01, 0.5 + 0.5 * math.cos(math.pi * progress()))
        for group in optimiser.param_groups:
            group["lr"] = course.rate * group["part"] * now
        with torch.autocast(samples.device.type, dtype=torch.bfloat16, enabled=on_gpu):
            batch = samples.batch(next(batches))
            loss = network.loss(*batch, smoothing=course.smoothing, consistency=course.consistency)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        average.update(network)
        losses.append(loss.detach())
        step += 1
        if progress() >= due - 1e-9:
            due += every
            share, _ = _of_average(network, average, lambda: exact_share(network, samples, validation))
            mean = float(torch.stack(losses).mean())
            losses.clear()
            history.append({"step": step, "loss": mean, "validation": share, "seconds": time.monotonic() - began})
            tell(f"step {step}: loss {mean:.3f}, validation {share:.3f}, {time.monotonic() - began:.0f} s")
            if keep is not None:
                keep(average.state)
    return average.state, history


def _of_average(network: ParserNetwork, average: MovingAverage, work: Callable[[], Any]) -> Any:
    """Do something with the averaged weights in place."""
    own = {name: value.detach().clone() for name, value in network.state_dict().items()}
    network.load_state_dict(average.state)
    result = work()
    network.load_state_dict(own)
    return result


def report(
    samples: ParserSamples, network: ParserNetwork, state: Mapping[str, Tensor], course: Course
) -> dict[str, Any]:
    """What averaged weights write for the validation and the test rows."""
    network.load_state_dict(dict(state))
    found: dict[str, Any] = {}
    for name in dict.fromkeys((course.validation, course.test, *course.aside.split(","))):
        if not len(samples.held_back(name)):
            continue
        share, outputs = exact_share(network, samples, samples.held_back(name))
        found[name] = {"exact": share, "written": outputs}
    return found


def write_result(
    out: Path, name: str, state: Mapping[str, Tensor], found: dict[str, dict[str, Any]], about: dict[str, Any]
) -> None:
    """Write weights and their scores as ``NAME.json``."""
    files = save_state(state, out, name)
    result = {
        "name": name,
        **about,
        "files": [file.name for file in files],
        "results": {split: part["exact"] for split, part in found.items()},
        "written": {split: part["written"] for split, part in found.items()},
    }
    (out / f"{name}.json").write_text(json.dumps(result), encoding="utf-8")
    print(f"{name}: {result['results']}", flush=True)


def main() -> None:
    """Train one network from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--material", type=Path, required=True)
    options.add_argument("--start", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--name", default="parser")
    options.add_argument("--init", default="", help="FOLDER/NAME of weights to go on from.")
    options.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options.add_argument("--limit", type=int, default=0, help="Validate on at most so many rows (for a quick try).")
    for name, value in asdict(Course()).items():
        kind = (lambda text: text == "True") if isinstance(value, bool) else type(value)
        options.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value)
    given = options.parse_args()
    course = Course(**{name: getattr(given, name) for name in asdict(Course())})
    torch.backends.cuda.matmul.allow_tf32 = True
    samples = ParserSamples(given.material, torch.device(given.device), given.limit or None)
    init = (Path(given.init).parent, Path(given.init).name) if given.init else None
    network = new_network(samples, given.start, course, init)
    state, history = train(
        samples,
        network,
        course,
        lambda line: print(f"{given.name}: {line}", flush=True),
        lambda weights: save_state(weights, given.out, given.name),  # in case it is ended early
    )
    found = report(samples, network, state, course)
    about = {"course": asdict(course), "history": history, "parameters": sum(v.numel() for v in network.parameters())}
    write_result(given.out, given.name, state, found, about)


if __name__ == "__main__":
    main()
