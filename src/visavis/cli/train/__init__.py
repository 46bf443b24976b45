"""``visavis train``: what visavis learns from data; one module a training, and the data sets made for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from visavis.errors import MissingExtraError

train_app = typer.Typer(help="Train what visavis learns from data (extra 'train').", no_args_is_help=True)
#: Options that several trainings share.
WeightsOption = Annotated[Path, Option(help="Where the weights go.")]
BatchOption = Annotated[int, Option(min=2, help="Samples a step.")]
DeviceOption = Annotated[str, Option(help="cuda, cpu, or auto.")]
#: In the order of ``visavis train --help``; each module adds its command when it is imported.
MODULES = ("parser", "encoder", "retrievers", "products")


def register(app: typer.Typer) -> None:
    """Add ``visavis train``."""
    app.add_typer(train_app, name="train")


@contextmanager
def training_extra() -> Iterator[None]:
    """Raises ``MissingExtraError`` where what is imported inside it needs the extra 'train'."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error
