"""``visavis train``: what visavis learns from data; one module a training, with the options that they share."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from visavis.cli.output import print_json, stderr

train_app = typer.Typer(help="Train what visavis learns from data (extra 'train').", no_args_is_help=True)
#: In the order of ``visavis train --help``; each module adds its command when it is imported.
TRAININGS = ("parser", "encoder", "retrievers", "fashioniq", "mai")
VectorsOption = Annotated[Path, typer.Option(help="Its vectors: what visavis bench embed wrote.")]
OutOption = Annotated[Path, typer.Option(help="Where checkpoints, the log and the weights go; a run goes on there.")]
LimitOption = Annotated[int | None, typer.Option(min=2, help="Train on so many pictures; all unless told.")]
PatienceOption = Annotated[int, typer.Option(min=1, help="Epochs without improvement before it ends.")]
SecondsOption = Annotated[float, typer.Option(min=1, help="How long each stage may take.")]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same run.")]
DeviceOption = Annotated[str, typer.Option(help="cuda, cpu, or auto.")]
TowersOption = Annotated[
    Path | None, typer.Option(help="The encoder's folder with towers.pt, which reads texts in torch; else what ships.")
]


def register(app: typer.Typer) -> None:
    """Add ``visavis train``."""
    for name in TRAININGS:
        import_module(f"{__name__}.{name}")
    app.add_typer(train_app, name="train")


def told_by(quiet: bool) -> Any:
    """What tells a person about a run: nothing where the figures are printed as JSON."""
    return str if quiet else lambda line: stderr.print(line, highlight=False)


def show_figures(figures: dict[str, Any], out: Path, as_json: bool) -> None:
    """Print what a run returned."""
    if as_json:
        print_json(figures)
    else:
        stderr.print(f"{figures}\nwritten to {out}", highlight=False)
