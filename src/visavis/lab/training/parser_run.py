"""A whole training of the parser: material, training, export, calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from visavis.lab.datasets.talk import read_rows
from visavis.lab.networks.parser_shipped import read_shipped_parser, read_trained_on
from visavis.lab.training.parser import new_network, report, train
from visavis.lab.training.parser_calibration import calibrate
from visavis.lab.training.parser_export import export
from visavis.lab.training.parser_material import HELD_BACK, PLAYED, VALIDATION, ParserSources, build, caise_material
from visavis.lab.training.parser_samples import Course, ParserSamples
from visavis.lab.training.parser_state import save_start, save_state, save_table
from visavis.lab.training.parser_states import ExportedEncoder


@dataclass(frozen=True)
class ParserSettings:
    """What to train on, and where to write (see ``visavis train parser --help``).

    Attributes:
        start: Exported weights to go on from; MiniLM's when None.
        favoured: Writers that half of the corpus's samples are from, separated by commas.
        rate: The highest learning rate; 5e-4 for a whole training, 1e-4 from exported weights when None.
        decoder: Whether only the decoder learns, on the states of the exported encoder: enough for a processor.
    """

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
    start: Path | None = None
    favoured: str = ""
    rate: float | None = None
    decoder: bool = False


def run(settings: ParserSettings, tell: Callable[[str], object] = str) -> dict[str, float]:
    """Train, export and calibrate; returns the share of exactly right outputs on the writers held back."""
    device = torch.device(
        settings.device if settings.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    )
    more = settings.more
    state, pieces = read_shipped_parser(settings.start) if settings.start else (None, None)
    sources = ParserSources(
        corpus=settings.data,
        coco=more / "coco" / "captions.jsonl" if more else None,
        fashion=more / "fashioniq" if more else None,
        requests=more / "requests" if more else None,
        generated=60_000 if more else 0,
        shops=40_000 if more else 0,
        variants=settings.variants,
        seed=settings.seed,
        pieces=[] if pieces is None else pieces.tolist(),
    )
    course = _course(settings)
    with TemporaryDirectory(prefix="visavis-parser-") as scratch:
        folder = Path(scratch)
        material, generated = build(sources)
        tell(f"{len(material.inputs):,} samples")
        material.save(folder / "material.npz", generated)
        if state is None:
            save_start(folder, settings.minilm)
        else:
            save_table(folder)
        samples = ParserSamples(folder / "material.npz", device, settings.limit)
        network = new_network(samples, folder, course, state)
        if settings.start and settings.decoder:
            network.exported_encoder = ExportedEncoder(settings.start)
        learned, _ = train(samples, network, course, tell)
        scores = {name: part["exact"] for name, part in report(samples, network, learned, course).items()}
        if settings.caise:
            save_state(learned, folder, "talk")
            part, pieces = caise_material(settings.caise, generated)
            part.save(folder / "caise.npz", pieces)
            samples = ParserSamples(folder / "caise.npz", device, settings.limit)
            course = replace(course, sources="caise/train", validation="caise/valid", test="caise/valid", batch=128)
            network = new_network(samples, folder, course, (folder, "talk"))
            learned, _ = train(samples, network, course, tell)
            scores |= {name: part["exact"] for name, part in report(samples, network, learned, course).items()}
        network.load_state_dict(dict(learned))
    held_back = (*HELD_BACK, PLAYED)
    writers = sorted(path.stem for path in settings.data.glob("*.jsonl") if path.stem not in held_back)
    told = f"the corpus of talk, writers {', '.join(writers)}"
    told += f"; started from {read_trained_on(settings.start)}" if settings.start else ""
    told += "; CAISE train (CC BY-NC-SA 4.0, not to be shipped)" if settings.caise else ""
    export(network, settings.out, name="parser", trained_on=told)
    calibrating = settings.data / f"{VALIDATION}.jsonl"
    if calibrating.is_file():
        scores |= calibrate(settings.out, list(read_rows(calibrating))[: settings.limit])
    return scores


def _course(settings: ParserSettings) -> Course:
    given = Course(
        steps=settings.steps,
        seconds=settings.seconds,
        batch=settings.batch,
        seed=settings.seed,
        favoured=settings.favoured,
    )
    if settings.start is None:
        return replace(given, rate=settings.rate or given.rate)
    # A network that reads well already: small steps, the corpus almost alone, an average over less.
    learned = replace(given, rate=settings.rate or 1e-4, warm_up=20, weak_first=0.1, weak_last=0.1, average=0.99)
    return replace(
        learned, encoder_rate=0.0 if settings.decoder else 0.5, checks=1 if settings.decoder else given.checks
    )
