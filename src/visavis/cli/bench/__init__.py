"""``visavis bench``: scores of what visavis is made of, on data of your own; one module a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

bench_app = typer.Typer(help="Measure how good the parts are, on data of your own.", no_args_is_help=True)
#: Options that several benchmarks share.
VectorsOption = Annotated[
    Path | None, Option(help="Vectors of the gallery; made once from DATA's pictures unless told.")
]
GalleryOption = Annotated[int | None, Option(min=10, help="Look among so many pictures; all unless told.")]
ResultsOption = Annotated[Path, Option(help="Where results go; a run that was stopped goes on from there.")]
#: In the order of ``visavis bench --help``; each module adds its commands when it is imported.
MODULES = ("encoder", "talk", "dialogs", "chatir", "dialog")


def register(app: typer.Typer) -> None:
    """Add ``visavis bench``."""
    app.add_typer(bench_app, name="bench")
