"""``visavis train mai``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from visavis.cli.train import training_extra
from visavis.cli.train.epochs import EpochOptions, Figures, Report, epoch_command


@epoch_command("mai", epochs=60, batch=256, rate=3e-4, patience=12)
def train_mai(
    shared: EpochOptions,
    report: Report,
    data: Annotated[Path, typer.Option(help="The folder with styles.csv or Fashion IQ's files.")],
    sessions: Annotated[
        Path | None,
        typer.Option(help="Sessions of FashionMT or MT-FashionIQ to train on; made from the data unless told."),
    ] = None,
    towers: Annotated[Path | None, typer.Option(help="The encoder's folder; the one that ships unless told.")] = None,
    row: Annotated[list[str] | None, typer.Option(help="Variants to train beside or instead of 'full'.")] = None,
    tokens: Annotated[int, typer.Option(min=2, help="Learned tokens.")] = 32,
    made: Annotated[int, typer.Option(min=2, help="Sessions to make for training.")] = 40_000,
    validated: Annotated[int, typer.Option(min=2, help="Sessions to validate on, and as many to report.")] = 1000,
    each: Annotated[int, typer.Option(min=2, help="Sessions of an epoch.")] = 10_000,
) -> Figures:
    """Train MAI: learned tokens of pictures and captions, kept from turn to turn, and the request.

    Products of the development part validate, those that are held out are reported; neither is trained on. Writes a
    folder a variant with log.jsonl and checkpoints, figures.json, and ship/ with the ONNX files of 'full'.

    [bold]Examples[/]

      visavis bench embed --data products --out vectors && visavis train mai --data products --vectors vectors --out run

      visavis train mai --data products --vectors vectors --out run --row full --row tsa --row no-captions --seconds 60
    """
    with training_extra():
        from visavis.lab.training.mai import MaiSettings, run
    from visavis.encoders.builtin import WEIGHTS

    settings = MaiSettings(
        data, **shared.settings(), towers=towers or WEIGHTS,
        sessions=sessions, rows=tuple(row or ("full",)), tokens=tokens, made=made, validated=validated, each=each,
    )  # fmt: skip
    return run(settings, report)
