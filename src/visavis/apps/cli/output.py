"""How commands speak: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

stdout = Console()
stderr = Console(stderr=True)

#: The options that many commands share, spelled once.
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of text.")]
PictureOutputOption = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help="Where to write: a file, whose suffix names the format, a folder, or - for standard output.",
    ),
]
CollectionOption = Annotated[str, typer.Option("--collection", "-c", help="The collection's name.")]
HomeOption = Annotated[
    str | None, typer.Option("--home", envvar="VISAVIS_HOME", show_envvar=False, help="Where visavis keeps its things.")
]


def print_json(value: Any) -> None:
    """Write one JSON value on one line."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


def progress_bar(unit: str) -> Progress:
    """A progress bar with rate and time left, on standard error so that output stays clean for pipes."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit}  {{task.fields[rate]}}"),
        TimeRemainingColumn(),
        console=stderr,
        transient=not stderr.is_terminal,
    )
