"""Training of the parser's network on prepared material; needs torch and numpy only.

``python -m visavis.lab.training.parser --material material.npz --start DIR --out DIR --name main``
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.networks.parser import ParserNetwork, ParserShape
from visavis.lab.training.parser_samples import END, START, Course, ParserSamples, Sampler
from visavis.lab.training.parser_state import ExportedEncoder, load_state, save_state

TABLE = "table.npz"
_ENCODER = ("layers.", "norm.", "positions.")


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
        with torch.autocast(samples.device.type, dtype=torch.bfloat16, enabled=on_gpu or course.half):
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
    options.add_argument("--exported", type=Path, help="Weights whose exported encoder reads; only the decoder learns.")
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
    if given.exported:
        course = replace(course, encoder_rate=0.0)
        network.exported_encoder = ExportedEncoder(given.exported)
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
