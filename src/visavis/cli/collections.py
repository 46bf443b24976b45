"""``visavis collections`` and ``visavis collection ...``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from typer import Argument, Option

from visavis.cli.output import HomeOption, JsonOption, print_json, progress_bar, stderr, stdout
from visavis.errors import BadInputError
from visavis.files import PRIVATE_FILE
from visavis.logs import printable

NameArgument = Annotated[str, Argument(help="The collection's name.")]
one = typer.Typer(help="Look at, check, upgrade, copy, export or remove one collection.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(collections)
    app.add_typer(one, name="collection")


def collections(json: JsonOption = False, home: HomeOption = None) -> None:
    """List all collections.

    [bold]Examples[/]

      visavis collections

      visavis collections --json
    """
    from visavis.collections.reports import list_collections

    found = list(list_collections(home))
    if json:
        print_json({"collections": found})
        return
    table = Table("name", "pictures", "files", "missing", "failed", "encoder", box=None)
    for row in found:
        if "error" in row:
            table.add_row(escape(row["name"]), f"[red]{escape(row['error'])}[/]")
        else:
            numbers = (f"{row[key]:,}" for key in ("pictures", "files", "missing", "failed"))
            table.add_row(escape(row["name"]), *numbers, row["encoder"] or "")
    stdout.print(table)
    if not found:
        stderr.print("There are none yet. Create one with: visavis index FOLDER --collection NAME", highlight=False)


@one.command()
def info(
    name: NameArgument,
    failures: Annotated[bool, Option("--failures", help="Name the files that could not be indexed.")] = False,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Tell what a collection holds.

    [bold]Examples[/]

      visavis collection info photos --failures
    """
    from visavis.api import open_collection
    from visavis.collections.reports import describe

    with open_collection(name, home) as opened:
        facts = describe(opened)
        if failures:
            facts["failures"] = [{"path": one.path, "reason": one.reason} for one in opened.catalogue.failures()]
    if json:
        print_json(facts)
    else:
        _show(facts)


def _show(facts: dict[str, Any]) -> None:
    failures = facts.pop("failures", [])
    table = Table(box=None, show_header=False)
    for key, value in facts.items():
        shown = ", ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, dict) else value
        table.add_row(key, escape(f"{shown:,}" if isinstance(shown, int) else str(shown)))
    stdout.print(table)
    for failure in failures:
        stdout.print(f"failed: {escape(printable(failure['reason']))}", highlight=False, soft_wrap=True)


@one.command()
def verify(
    name: NameArgument,
    repair: Annotated[bool, Option("--repair", help="Put right what can be.")] = False,
    forget_missing: Annotated[
        bool, Option("--forget-missing", help="Forget pictures that no file holds any more.")
    ] = False,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Check that catalogue, vectors, files and thumbnails agree; ends with 1 when they do not.

    [bold]Examples[/]

      visavis collection verify photos

      visavis collection verify photos --repair --forget-missing
    """
    from visavis.api import open_collection

    with open_collection(name, home) as opened:
        result = opened.verify(repair=repair, forget_missing=forget_missing)
    if json:
        print_json(result.as_json())
    else:
        for fault in result.faults.values():
            repaired = f", {fault.repaired:,} repaired" if repair else ""
            stdout.print(f"{fault.kind}: {fault.count:,}{repaired}", highlight=False)
            stdout.print(f"  [dim]{escape(', '.join(fault.examples[:3]))}[/]", highlight=False, soft_wrap=True)
        state = "[green]sound[/]" if result.sound else "[red]not sound[/]"
        stdout.print(f"{result.pictures:,} pictures, {result.points:,} points: {state}", highlight=False)
    if not result.sound:
        raise typer.Exit(1)


@one.command()
def export(
    name: NameArgument,
    output: Annotated[Path | None, Option("--output", "-o", help="A file; standard output without it.")] = None,
    vectors: Annotated[bool, Option("--vectors", help="With the vector of each picture.")] = False,
    missing: Annotated[bool, Option("--missing", help="With pictures that no file holds any more.")] = False,
    home: HomeOption = None,
) -> None:
    """Write all rows as JSON lines, which `visavis index` can read again.

    [bold]Examples[/]

      visavis collection export photos -o photos.jsonl
    """
    from visavis.api import open_collection
    from visavis.collections.reports import export_json_lines

    with open_collection(name, home) as opened:
        if output is None:
            export_json_lines(opened, sys.stdout, missing=missing, vectors=vectors)
            return
        with output.open("w", encoding="utf-8") as stream:
            count = export_json_lines(opened, stream, missing=missing, vectors=vectors)
    stderr.print(f"{count:,} pictures written to {escape(str(output))}", highlight=False)


@one.command()
def attributes(
    name: NameArgument,
    output: Annotated[
        Path | None, Option("--output", "-o", help="The table to write, a CSV file; beside --index its own.")
    ] = None,
    index: Annotated[bool, Option("--index", help="Make its columns attributes of the collection.")] = False,
    home: HomeOption = None,
) -> None:
    """Predict what the products of a collection are, as a table or as attributes of the collection.

    Texture, fabric, shape, part and style by the predictor that ships with the retriever fashioniq, which knows
    clothes, shoes, bags, watches and cosmetics, nothing else. Attributes are there to filter by, to be counted, to be
    asked about. Pictures that a catalogue gives attributes are left out. Indexing the pictures' folder again takes
    them away, since a file is described by what was indexed last: then predict them again.

    [bold]Examples[/]

      visavis collection attributes shop --index

      visavis collection attributes shop -o shop.csv
    """
    from visavis.api import open_collection
    from visavis.collections.indexing.indexer import Options
    from visavis.search.learned.fashioniq import write_table

    if output is None and not index:
        raise BadInputError("Nothing would be done with the attributes.", "Give --index, or a file with --output.")
    with open_collection(name, home) as opened:
        table = output or opened.place.folder / "predicted.csv"
        if output is None:
            table.touch(PRIVATE_FILE)
        number = write_table(opened, table)
        if index:
            opened.index(table, options=Options(follow_links=True))  # its pictures are those of the collection
    told = f"{number:,} pictures gained attributes" if index else f"{number:,} pictures written to {escape(str(table))}"
    stderr.print(told, highlight=False)


@one.command()
def prepare(
    name: NameArgument,
    retriever: Annotated[str, Option(help="The retriever, mai for example.")],
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Compute what a learned retriever keeps of every picture, so that conversations need not wait for it.

    Begun again it does what is missing or has another caption now. A picture without a caption is read without one.

    [bold]Examples[/]

      visavis collection prepare shop --retriever mai
    """
    from visavis.api import open_collection
    from visavis.search.learned.kept import kept_bytes

    with open_collection(name, home) as opened, progress_bar("pictures") as bar:
        task = bar.add_task("preparing", total=None, rate="")
        kept = opened.engine.prepare(retriever, lambda done, total: bar.update(task, completed=done, total=total))
        size = kept_bytes(opened.place.folder)
    if json:
        print_json({"collection": name, "retriever": retriever, "pictures": kept, "bytes": size})
    elif kept:
        stderr.print(f"{kept:,} pictures prepared for {escape(retriever)}, {size:,} bytes", highlight=False)
    else:
        stderr.print(f"The retriever {escape(retriever)} keeps nothing of pictures.", highlight=False)


@one.command()
def copy(
    name: NameArgument,
    to: Annotated[str, Option("--to", help="qdrant://host:6333, postgresql://host/database, or 'local'.")],
    switch: Annotated[bool, Option("--switch", help="Use the copy from then on.")] = False,
    replace: Annotated[
        bool, Option("--replace", help="Remove pictures from the target that the collection has not.")
    ] = False,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Copy all vectors to another store, and check that they arrived; goes on where it was when begun again.

    [bold]Examples[/]

      visavis collection copy photos --to qdrant://localhost:6333 --switch

      visavis collection copy photos --to local --switch
    """
    from visavis.api import open_collection
    from visavis.collections.vectors import copy_vectors

    with open_collection(name, home) as opened, progress_bar("pictures") as bar:
        task = bar.add_task("copying", total=None, rate="")
        report = copy_vectors(
            opened,
            to,
            switch=switch,
            replace_others=replace,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if json:
        print_json({"collection": name, "to": to, "switched": switch, **asdict(report)})
    else:
        stderr.print(
            f"{report.count:,} pictures at {escape(to)} ({report.written:,} written, {report.removed:,} removed), "
            f"checksum {report.checksum}",
            highlight=False,
        )


@one.command()
def upgrade(name: NameArgument, json: JsonOption = False, home: HomeOption = None) -> None:
    """Make new vectors of all pictures with the encoder of this version, in place.

    Begun again after a break it goes on where it was. Meanwhile a search covers the pictures that are done. A picture
    whose file is gone is encoded from its thumbnail. Days in file names and names of places are added too.

    [bold]Examples[/]

      visavis collection upgrade photos
    """
    from visavis.api import open_collection

    with open_collection(name, home) as opened, progress_bar("pictures") as bar:
        task = bar.add_task("upgrading", total=None, rate="")
        report = opened.upgrade(
            on_progress=lambda now: bar.update(task, completed=now.encoded + now.lost, total=now.waiting)
        )
    if json:
        print_json({"collection": name, **asdict(report)})
    else:
        stderr.print(
            f"{report.encoded:,} of {report.pictures:,} pictures encoded with {escape(report.encoder)}"
            f" ({report.from_thumbnails:,} from thumbnails) in {report.seconds:.1f} s",
            highlight=False,
        )
        if report.derived:
            stderr.print(f"{report.derived:,} gained a day or the name of their place.", highlight=False)
        if report.lost:
            stderr.print(f"{report.lost:,} have neither a file nor a thumbnail any more.", highlight=False)
    if report.interrupted:
        stderr.print("Stopped; run it again to go on.", highlight=False)
        raise typer.Exit(130)


@one.command()
def remove(
    name: NameArgument,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Delete a collection, its vectors and thumbnails, and pictures made in it; your own files stay.

    [bold]Examples[/]

      visavis collection remove photos --yes
    """
    from visavis.api import open_collection

    with open_collection(name, home) as opened:
        count, edited = len(opened), opened.catalogue.counts().edited
        made = f", and {edited:,} pictures made by editing" if edited else ""
        if not yes:
            if not sys.stdin.isatty():
                raise BadInputError(f"Removing '{name}' must be confirmed.", "Add --yes.")
            typer.confirm(f"Remove the collection '{name}' with {count:,} pictures{made}?", abort=True)
        opened.remove()
    if json:
        print_json({"removed": name, "pictures": count, "edited": edited})
        return
    stderr.print(f"Removed '{escape(name)}'; the files of its pictures are where they were.", highlight=False)
