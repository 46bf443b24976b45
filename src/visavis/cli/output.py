"""How commands print: results on standard output, everything else on standard error, and the progress of indexing."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from typer import Option

from visavis.errors import VisavisError

if TYPE_CHECKING:
    from visavis.collections.indexing.items import IndexReport

stdout = Console()
stderr = Console(stderr=True)

#: Options that many commands share.
JsonOption = Annotated[bool, Option("--json", help="Print JSON for scripts instead of text.")]
PictureOutputOption = Annotated[
    str,
    Option(
        "--output",
        "-o",
        help="Where to write: a file, whose suffix names the format, a folder, or - for standard output.",
    ),
]
CollectionOption = Annotated[str, Option("--collection", "-c", help="The collection's name.")]
HomeOption = Annotated[
    str | None, Option("--home", envvar="VISAVIS_HOME", show_envvar=False, help="Where visavis keeps its things.")
]
ExifOption = Annotated[
    bool, Option("--keep-exif/--strip-exif", help="Keep what the camera wrote (time, place), or leave it out.")
]
RecipeOutputOption = Annotated[Path | None, Option(help="Also write how it was made, as JSON that replays.")]
ParserWeightsOption = Annotated[Path | None, Option(help="Other weights of the network than the shipped ones.")]
OpenOption = Annotated[bool, Option("--open/--no-open", help="Open the page in a browser.")]
PortOption = Annotated[int | None, Option(min=0, max=65535, help="0 for any free one.")]
#: Where the data of new collections and of the server lies.
StoreOption = Annotated[
    str | None,
    Option(envvar="VISAVIS_STORE", help="For new collections: vectors on qdrant://... or postgresql://..."),
]
CatalogueOption = Annotated[
    str | None, Option(envvar="VISAVIS_CATALOGUE", help="For new collections: a postgresql:// URL.")
]
DatabaseOption = Annotated[
    str | None, Option(envvar="VISAVIS_SERVER_DATABASE", help="Users and jobs: a postgresql:// URL.")
]


def print_json(value: Any) -> None:
    """Write one JSON value on one line."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


def fields_told(fields: Iterable[str], known: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The attributes, of those that were sorted or chosen by, but for what all of several pictures share.

    >>> fields_told(["price", "gender"], [{"price": 5, "gender": "Men"}, {"price": 7, "gender": "Men"}])
    ('price',)
    """
    return tuple(
        field for field in dict.fromkeys(fields) if len({str(one.get(field)) for one in known}) != 1 or len(known) == 1
    )


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


class IndexProgress:
    """A bar that starts without a total; a thread counts the files meanwhile."""

    def __init__(self, path: Path, ignore: Sequence[str], *, quiet: bool) -> None:
        self._path = path
        self._ignore = ignore
        self._bar = None if quiet or not stderr.is_terminal else progress_bar("files")
        self._task = self._bar.add_task("indexing", total=None, rate="") if self._bar else None
        self._started = time.monotonic()
        self._stop = Event()

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
            Thread(target=self._count, name="visavis-count", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._bar:
            self._bar.stop()

    def update(self, report: IndexReport) -> None:
        """Show how far it is."""
        if self._bar and self._task is not None:
            rate = report.encoded / max(time.monotonic() - self._started, 1e-3)
            self._bar.update(self._task, completed=report.files, rate=f"{rate:.1f} encoded/s")

    def _count(self) -> None:
        from visavis.collections.sources.catalogue_file import is_catalogue_file, read_rows
        from visavis.pictures.folders import walk

        total = 0
        try:
            table = self._path.is_file() and is_catalogue_file(self._path)
            for _ in read_rows(self._path) if table else walk(self._path, self._ignore, on_error=lambda _: None):
                total += 1
                if self._stop.is_set():
                    return
        except VisavisError:
            return  # indexing itself will say what is wrong
        if self._bar and self._task is not None:
            self._bar.update(self._task, total=total)


class ProgressBars:
    """A progress bar for each kind of work, when standard error is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._progress = None if quiet or not stderr.is_terminal else progress_bar("")
        self._tasks: dict[str, TaskID] = {}
        self._started: dict[str, float] = {}

    def __enter__(self) -> Self:
        if self._progress:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress:
            self._progress.stop()

    def update(self, kind: str, done: int, total: int) -> None:
        """Show how far one kind of work is."""
        if not self._progress:
            return
        if kind not in self._tasks:
            self._tasks[kind] = self._progress.add_task(kind, total=total, rate="")
            self._started[kind] = time.monotonic()
        seconds = max(time.monotonic() - self._started[kind], 1e-3)
        self._progress.update(self._tasks[kind], completed=done, rate=f"{done / seconds:.1f}/s")
