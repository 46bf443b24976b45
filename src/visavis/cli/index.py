"""``visavis index``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from typer import Argument, Option

from visavis.cli.output import CollectionOption, HomeOption, JsonOption, print_json, stderr
from visavis.errors import BadInputError
from visavis.logs import printable

if TYPE_CHECKING:
    from visavis.api import Collection
    from visavis.collections.indexing.indexer import Options
    from visavis.collections.indexing.items import IndexReport


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(index)


def index(
    context: typer.Context,
    path: Annotated[Path, Argument(help="A folder, a picture, or a catalogue file (CSV, JSON lines, Parquet).")],
    collection: CollectionOption,
    json: JsonOption = False,
    watch: Annotated[bool, Option("--watch", help="Go on: index what changes, until Ctrl-C.")] = False,
    ignore: Annotated[list[str] | None, Option(help="Pass over files like this, as in a .gitignore.")] = None,
    workers: Annotated[int, Option(min=1, max=64, help="Threads that decode pictures.")] = 2,
    columns: Annotated[
        list[str] | None,
        Option("--map", help="COLUMN=ATTRIBUTE of a catalogue file; also =picture, =caption, =ignore."),
    ] = None,
    allow_urls: Annotated[bool, Option("--allow-urls", help="Fetch pictures from links in the file.")] = False,
    ocr: Annotated[bool, Option("--ocr", help="Read the text in pictures, to search it (extra ocr; slow).")] = False,
    follow_links: Annotated[
        bool, Option("--follow-links", help="Follow links, and paths in a catalogue file, out of the folder.")
    ] = False,
    retry_failed: Annotated[
        bool, Option("--retry-failed", help="Try unchanged files again that failed before.")
    ] = False,
    wait: Annotated[bool, Option("--wait", help="Wait for another process that indexes this collection.")] = False,
    encoder: Annotated[str | None, Option(help="For a new collection: the encoder's name.")] = None,
    store: Annotated[
        str | None,
        Option(
            envvar="VISAVIS_STORE", help="For a new collection: where vectors live: qdrant://... or postgresql://..."
        ),
    ] = None,
    catalogue: Annotated[
        str | None, Option(envvar="VISAVIS_CATALOGUE", help="For a new collection: a postgresql:// URL.")
    ] = None,
    ray: Annotated[str | None, Option(metavar="ADDRESS", help="Spread the work over a Ray cluster.")] = None,
    home: HomeOption = None,
) -> None:
    """Bring pictures into a collection, creating it if there is none.

    Only what is new or changed is read. It can be stopped or killed at any moment and goes on where it was.

    [bold]Examples[/]

      visavis index ~/Pictures --collection photos

      visavis index ~/Pictures -c photos --watch --ignore 'Screenshots/'

      visavis index ~/Scans -c scans --ocr

      visavis index shop.csv -c shop --map articleType=category --map productDisplayName=title

      visavis index shop.parquet -c shop --allow-urls --json
    """
    from visavis.api import open_collection
    from visavis.collections.indexing.indexer import Options
    from visavis.collections.indexing.items import existing
    from visavis.collections.places import Place

    mapping = _mapping(columns or [])
    if ocr and ray is not None:
        raise BadInputError("Text is not read on a cluster.", "Index with --ray first, then once more with --ocr.")
    options = Options(workers, retry_failed, follow_links, texts=ocr)
    path = existing(path)  # before a collection is made for it
    if Place.of(collection, home).exists:  # an existing collection keeps its store, whatever the environment says
        store = None if _from_environment(context, "store") else store
        catalogue = None if _from_environment(context, "catalogue") else catalogue
    opened = open_collection(collection, home, store, catalogue=catalogue, encoder=encoder, create=True)
    with opened:
        if ray is not None:
            from visavis.collections.indexing.cluster import index_on_ray

            report = index_on_ray(
                opened, path, ray, ignore=ignore or [], columns=mapping, allow_urls=allow_urls, options=options
            )
        else:
            report = _index(opened, path, ignore, mapping, allow_urls, options, wait, json)
        _tell(opened, report, json)
        if watch and not report.interrupted:
            _watch(opened, path, ignore, replace(options, retry_failed=False), json)
        if report.interrupted:
            raise typer.Exit(130)


def _from_environment(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "ENVIRONMENT"


def _index(
    opened: Collection,
    path: Path,
    ignore: list[str] | None,
    mapping: dict[str, str],
    allow_urls: bool,
    options: Options,
    wait: bool,
    quiet: bool,
) -> IndexReport:
    from visavis.cli.output import IndexProgress

    with IndexProgress(path, ignore or [], quiet=quiet) as progress:
        return opened.index(
            path,
            ignore=ignore or [],
            columns=mapping,
            allow_urls=allow_urls,
            options=options,
            wait=-1.0 if wait else 0.0,
            on_wait=lambda message: stderr.print(escape(message), highlight=False),
            on_progress=progress.update,
        )


def _watch(opened: Collection, path: Path, ignore: list[str] | None, options: Options, json: bool) -> None:
    from visavis.collections.indexing.indexer import watch_folder

    stderr.print(f"Watching {escape(str(path))}; Ctrl-C ends it.", highlight=False)
    try:
        for report in watch_folder(opened, path, ignore or [], options):
            _tell(opened, report, json)
    except KeyboardInterrupt:
        return


def _mapping(pairs: list[str]) -> dict[str, str]:
    mapping = {}
    for pair in pairs:
        column, equals, attribute = pair.partition("=")
        if not equals or not column.strip() or not attribute.strip():
            raise BadInputError(f"--map {pair} is not COLUMN=ATTRIBUTE.", "For example: --map price_eur=price")
        mapping[column.strip()] = attribute.strip()
    return mapping


def _tell(opened: Collection, report: IndexReport, json: bool) -> None:
    from visavis.collections.indexing.items import Outcome

    if json:
        print_json({"collection": opened.name, "pictures": len(opened), **report.as_json()})
        return
    counts = [f"{report.outcomes[outcome]:,} {outcome.value}" for outcome in Outcome if report.outcomes[outcome]]
    if report.missing:
        counts.append(f"{report.missing:,} gone")
    stderr.print(
        f"{opened.name}: {len(opened):,} pictures ({', '.join(counts) or 'nothing to do'}) in {report.seconds:.1f} s, "
        f"{report.rate:.1f} pictures/s",
        highlight=False,
    )
    if report.texts is not None:
        stderr.print(f"{report.texts:,} of the pictures that were read have text in them.", highlight=False)
    for _, reason in report.failures[:10]:
        stderr.print(f"  [yellow]failed[/] {escape(printable(reason))}", highlight=False, soft_wrap=True)
    if report.outcomes[Outcome.FAILED] > 10:
        stderr.print(f"  all of them: visavis collection info {opened.name} --failures", highlight=False)
    if report.interrupted:
        stderr.print("Stopped; run it again to go on.", highlight=False)
