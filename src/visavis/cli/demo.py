"""``visavis demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from typer import Option

from visavis.cli.output import HomeOption, JsonOption, OpenOption, PortOption, print_json, progress_bar, stderr, stdout
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.demo.showcase import SearchCheck
    from visavis.demo.story import Step


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    count: Annotated[int, Option(min=50, max=100_000, help="How many pictures to draw.")] = 1000,
    check: Annotated[
        bool, Option("--check", help="Play a conversation instead; end with an error unless all was found.")
    ] = False,
    port: PortOption = None,
    open_browser: OpenOption = True,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Draw a shop's catalogue, index it, and open the web app on it.

    The first run draws and encodes; later ones go straight to the page. With --check nothing is opened: a scripted
    conversation is played over HTTP, and its results are written to one contact sheet.

    [bold]Examples[/]

      visavis demo

      visavis demo --check --json

      visavis search "a striped T-shirt" --collection demo
    """
    if json and not check:
        raise BadInputError("--json tells what a check found.", "Use it with --check.")  # before a minute of drawing
    folder = _prepare(home, count, quiet=json)
    if check:
        _check(home, folder, as_json=json)
    else:
        _serve(home, port, open_browser)


def _prepare(home: str | None, count: int, *, quiet: bool) -> Path:
    """Draw and index what is not there yet."""
    from visavis.demo import showcase
    from visavis.home import home_folder

    if showcase.is_ready(home, showcase.COLLECTION, count):
        return home_folder(home) / "demo" / "pictures"
    from visavis.cli.output import IndexProgress

    folder = _draw(home, count, quiet=quiet)
    if showcase.remove_outdated(home, showcase.COLLECTION) and not quiet:
        stderr.print("The demo was made with another version of the encoder; indexing it anew.", highlight=False)
    with IndexProgress(folder, [], quiet=quiet) as progress:
        showcase.index_pictures(home, folder, progress.update).close()
    showcase.note_ready(home, count)
    return folder


def _draw(home: str | None, count: int, *, quiet: bool) -> Path:
    from visavis.demo import showcase

    if quiet or not stderr.is_terminal:
        return showcase.draw_pictures(home, count)
    with progress_bar("pictures") as bar:
        task = bar.add_task("drawing", total=count, rate="")
        return showcase.draw_pictures(home, count, lambda done, _: bar.update(task, completed=done))


def _serve(home: str | None, port: int | None, open_browser: bool) -> None:
    from visavis.cli.serve import open_page
    from visavis.demo import showcase
    from visavis.server import runner
    from visavis.server.settings import ServerSettings

    address, bound = runner.free_address("127.0.0.1", port)

    def ready(_: object) -> None:
        stdout.print(address.url, highlight=False, soft_wrap=True)
        stderr.print("Ctrl-C ends it.", highlight=False)
        if open_browser:
            open_page(f"{address.url}c/{showcase.COLLECTION}")

    runner.run(ServerSettings.of(home, warm=True), bound, ready)


def _check(home: str | None, folder: Path, *, as_json: bool) -> None:
    from visavis.api import open_collection
    from visavis.demo import showcase

    steps = _play(home)
    with open_collection(showcase.COLLECTION, home) as collection:
        answers = showcase.ask(collection)
        picture = folder.parent / "found.png"
        showcase.sheet(collection, answers).save(picture)
    found = sum(answer.found for answer in answers) + sum(step.found for step in steps)
    of = len(answers) + len(steps)
    if as_json:
        told = {"answers": [answer.as_json() for answer in answers], "story": [step.as_json() for step in steps]}
        print_json({"found": found, "of": of, "sheet": str(picture), **told})
    else:
        _tell(answers, steps, picture)
    if found < of:
        stderr.print(f"[bold red]error:[/] only {found} of {of} things were found.")
        raise typer.Exit(1)


def _play(home: str | None) -> list[Step]:
    """The scripted conversation with a server of our own, on a free port."""
    from visavis.demo import showcase
    from visavis.demo.story import Story
    from visavis.server.runner import serving
    from visavis.server.settings import ServerSettings

    with serving(ServerSettings.of(home)) as url:
        return Story(url, showcase.COLLECTION).play()


def _tell(answers: list[SearchCheck], steps: list[Step], picture: Path) -> None:
    table = Table("said, over HTTP", "expected", "found", box=None, header_style="bold")
    for step in steps:
        table.add_row(step.said, step.expected, "yes" if step.found else "[red]no[/]")
    stdout.print(table)
    table = Table("described", "first result", "found at", box=None, header_style="bold")
    for answer in answers:
        first = answer.results.results[0].picture.title if answer.results.results else "nothing fits"
        table.add_row(answer.described.heading, first, f"{answer.right}" if answer.right else "[red]not found[/]")
    stdout.print(table)
    stdout.print(f"\nContact sheet: [link={picture.as_uri()}]{picture}[/link]", highlight=False, soft_wrap=True)
    stdout.print("Now try: visavis demo", highlight=False)
