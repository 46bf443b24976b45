"""``visavis bench caise``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from visavis.cli.bench import bench_app
from visavis.cli.output import JsonOption, print_json, stdout


class Split(StrEnum):
    """The parts of the data."""

    train = "train"
    valid = "valid"
    test = "test"


@bench_app.command("caise")
def bench_caise(
    data: Annotated[Path, typer.Option(help="The folder of the CAISE files.")],
    split: Annotated[Split, typer.Option(help="The part to score on.")] = Split.valid,
    weights: Annotated[
        list[Path] | None, typer.Option(help="Weights that learned from CAISE; of several, mean and spread are told.")
    ] = None,
    errors: Annotated[int, typer.Option(min=0, help="How many of the surest errors to show.")] = 0,
    json: JsonOption = False,
) -> None:
    """Score the parser on CAISE: exact match, words of a search in any order, colours by name only.

    Without --weights the shipped parser is scored, which never learned from CAISE.

    [bold]Examples[/]

      visavis bench caise --data ../shared/data/caise --split valid

      visavis bench caise --data ../shared/data/caise --weights runs/caise --json
    """
    from visavis.lab.evaluation import caise

    records = caise.read_records(data, split.value)
    outcomes: dict[str, dict[str, Any]] = {}
    for place, folder in enumerate(weights or [None], start=1):
        name = "network" if place == 1 else f"network {place}"
        outcomes[name] = caise.run(records, caise.by_network(folder)).to_json(errors)
    shares = [outcome["accuracy"] for outcome in outcomes.values()]
    told: dict[str, Any] = {"split": split.value, "records": len(records), "parsers": outcomes}
    if len(shares) > 1:
        mean = sum(shares) / len(shares)
        spread = (sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)) ** 0.5
        told |= {"mean": round(mean, 4), "spread": round(spread, 4)}
    if json:
        print_json(told)
    else:
        _show(outcomes)


def _show(outcomes: dict[str, dict[str, Any]]) -> None:
    from visavis.lab.evaluation.caise import TYPES

    table = Table("exact match", *outcomes)
    for kind in TYPES:
        table.add_row(kind, *(f"{outcome['by_type'].get(kind, 0):.1%}" for outcome in outcomes.values()))
    table.add_row("all", *(f"{outcome['accuracy']:.1%}" for outcome in outcomes.values()), style="bold")
    table.add_row("whole dialogues", *(f"{outcome['dialogues']:.1%}" for outcome in outcomes.values()))
    stdout.print(table)
    for name, outcome in outcomes.items():
        for error in outcome["errors"]:
            stdout.print(f"{name}  {error['uid']}: {error['message']}", highlight=False, markup=False)
            stdout.print(f"    wanted {error['truth']}, got {error['predicted']}", highlight=False, markup=False)
