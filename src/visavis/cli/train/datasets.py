"""``visavis datasets``: data sets for trainings that are made from a catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from visavis.cli.output import JsonOption, print_json, stdout
from visavis.errors import BadInputError

datasets_app = typer.Typer(no_args_is_help=True, help="Make data sets for training and for benchmarks.")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(datasets_app, name="datasets")


@datasets_app.callback()
def _datasets() -> None:
    """Make data sets for training and for benchmarks."""


@datasets_app.command("make-multiturn")
def make_multiturn(
    data: Annotated[Path, Option(help="A folder with styles.csv.")],
    out: Annotated[Path, Option(help="The file to write, in FashionMT's layout.")],
    number: Annotated[int, Option(min=1, help="Sessions.")] = 1000,
    turns: Annotated[str, Option(help="Turns of a session: one number, or a range as 2-6.")] = "3",
    split: Annotated[str, Option(help="Whose products: train, val (held out), or all.")] = "train",
    openings: Annotated[
        float, Option(min=0, max=1, help="The share that begins with a description instead of a picture.")
    ] = 0.0,
    seed: Annotated[int, Option(help="The same seed gives the same sessions.")] = 0,
    json: JsonOption = False,
) -> None:
    """Make sessions of several turns over products of one category, with rollback and combination.

    A file in FashionMT's layout: ref, tar1 to tarN, mod1 to modN, cap0 to capN. Pictures in between are not steps
    towards the last one. Prints what can be counted of their quality.

    [bold]Examples[/]

      visavis datasets make-multiturn --data products --out sessions.json --number 5000 --turns 2-6
    """
    from visavis.lab.datasets.multiturn import quality, write_sessions
    from visavis.lab.datasets.product_attributes import products_of
    from visavis.lab.datasets.protocol import find_rows, read_rows
    from visavis.lab.simulation.modifications import SessionMaker

    if split not in ("train", "val", "all"):
        raise BadInputError(f"There is no split '{split}'.", "Use train, val or all.")
    products = [one for one in products_of(read_rows(find_rows(data))) if split in ("all", one.split)]
    made = list(SessionMaker(products, seed, openings).sessions(number, _turns(turns)))
    write_sessions(out, made)
    figures = quality(made, {product.id: product for product in products})
    if json:
        print_json(figures)
        return
    for name, value in figures.items():
        stdout.print(f"{name}: {value:g}", highlight=False)


def _turns(text: str) -> range:
    first, _, last = text.partition("-")
    try:
        found = range(int(first), int(last or first) + 1)
    except ValueError as error:
        raise BadInputError(f"'{text}' is no number of turns.", "Use 3, or 2-6.") from error
    if not found or found[0] < 1 or found[-1] > 6:
        raise BadInputError(f"Sessions have 1 to 6 turns, not {text}.", "Use 3, or 2-6.")
    return found
