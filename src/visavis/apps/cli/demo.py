"""``visavis demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from visavis.apps.cli.output import HomeOption, JsonOption, print_json, progress_bar, stderr, stdout

if TYPE_CHECKING:
    from visavis.demo.showcase import Answer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    count: Annotated[int, typer.Option(min=50, max=100_000, help="How many pictures to draw.")] = 1000,
    check: Annotated[bool, typer.Option("--check", help="End with an error unless everything was found.")] = False,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Draw a shop's catalogue, index it, and find things in it by describing them.

    The first run draws and encodes; later ones go straight to the searches. The results lie on one contact sheet.

    [bold]Examples[/]

      visavis demo

      visavis demo --check --json

      visavis search "a striped T-shirt" --collection demo
    """
    from visavis.apps.cli.progress import IndexProgress
    from visavis.demo import showcase

    folder = _draw(home, count, quiet=json)
    with IndexProgress(folder, [], quiet=json) as progress:
        collection = showcase.index_pictures(home, folder, progress.update)
    with collection:
        answers = showcase.ask(collection)
        picture = folder.parent / "found.png"
        showcase.sheet(collection, answers).save(picture)
    found = sum(answer.found for answer in answers)
    if json:
        print_json(
            {"found": found, "of": len(answers), "sheet": str(picture), "answers": [a.as_json() for a in answers]}
        )
    else:
        _tell(answers, picture)
    if check and found < len(answers):
        stderr.print(f"[bold red]error:[/] only {found} of {len(answers)} described things were found.")
        raise typer.Exit(1)


def _draw(home: str | None, count: int, *, quiet: bool) -> Path:
    from visavis.demo import showcase

    if quiet or not stderr.is_terminal:
        return showcase.draw_pictures(home, count)
    with progress_bar("pictures") as bar:
        task = bar.add_task("drawing", total=count, rate="")
        return showcase.draw_pictures(home, count, lambda done, _: bar.update(task, completed=done))


def _tell(answers: list[Answer], picture: Path) -> None:
    table = Table("described", "first result", "found at", box=None, header_style="bold")
    for answer in answers:
        first = answer.results.results[0].picture.title if answer.results.results else "nothing fits"
        table.add_row(answer.described.heading, first, f"{answer.right}" if answer.right else "[red]not found[/]")
    stdout.print(table)
    stdout.print(f"\nContact sheet: [link={picture.as_uri()}]{picture}[/link]", highlight=False, soft_wrap=True)
    stdout.print('Now try: visavis search "a striped T-shirt" --collection demo', highlight=False)
