"""A whole training of the parser: material, training, export, calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from visavis.lab.datasets.talk import read_rows
from visavis.lab.training.parser import Course, ParserSamples, new_network, report, train
from visavis.lab.training.parser_calibration import calibrate
from visavis.lab.training.parser_export import export
from visavis.lab.training.parser_material import TEST, VALIDATION, ParserSources, build, caise_material
from visavis.lab.training.parser_state import save_start, save_state


@dataclass(frozen=True)
class ParserSettings:
    """What to train on, and where to write (see ``visavis train parser --help``)."""

    data: Path
    out: Path
    more: Path | None = None
    caise: Path | None = None
    minilm: Path | None = None
    steps: int = 6000
    seconds: float = 1200
    batch: int = 256
    variants: int = 12
    seed: int = 0
    device: str = "auto"
    limit: int | None = None


def run(settings: ParserSettings, tell: Callable[[str], object] = str) -> dict[str, float]:
    """Train, export and calibrate; returns the share of exactly right outputs on the writers held back."""
    device = torch.device(
        settings.device if settings.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    )
    more = settings.more
    sources = ParserSources(
        corpus=settings.data,
        coco=more / "coco" / "captions.jsonl" if more else None,
        fashion=more / "fashioniq" if more else None,
        requests=more / "requests" if more else None,
        generated=60_000 if more else 0,
        variants=settings.variants,
        seed=settings.seed,
    )
    course = Course(steps=settings.steps, seconds=settings.seconds, batch=settings.batch, seed=settings.seed)
    with TemporaryDirectory(prefix="visavis-parser-") as scratch:
        folder = Path(scratch)
        material, generated = build(sources)
        tell(f"{len(material.inputs):,} samples")
        material.save(folder / "material.npz", generated)
        save_start(folder, settings.minilm)
        samples = ParserSamples(folder / "material.npz", device, settings.limit)
        network = new_network(samples, folder, course)
        state, _ = train(samples, network, course, tell)
        scores = {name: part["exact"] for name, part in report(samples, network, state, course).items()}
        if settings.caise:
            save_state(state, folder, "talk")
            part, pieces = caise_material(settings.caise, generated)
            part.save(folder / "caise.npz", pieces)
            samples = ParserSamples(folder / "caise.npz", device, settings.limit)
            course = replace(course, sources="caise/train", validation="caise/valid", test="caise/valid", batch=128)
            network = new_network(samples, folder, course, (folder, "talk"))
            state, _ = train(samples, network, course, tell)
            scores |= {name: part["exact"] for name, part in report(samples, network, state, course).items()}
        network.load_state_dict(dict(state))
    writers = sorted(path.stem for path in settings.data.glob("*.jsonl") if path.stem not in (VALIDATION, TEST))
    told = f"the corpus of talk, writers {', '.join(writers)}"
    told += "; CAISE train (CC BY-NC-SA 4.0, not to be shipped)" if settings.caise else ""
    export(network, settings.out, name="parser", trained_on=told)
    held_back = settings.data / f"{VALIDATION}.jsonl"
    if held_back.is_file():
        scores |= calibrate(settings.out, list(read_rows(held_back))[: settings.limit])
    return scores
