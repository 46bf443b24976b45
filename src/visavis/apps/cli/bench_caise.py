"""``visavis bench caise``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from visavis.apps.cli.bench import bench_app
from visavis.apps.cli.output import JsonOption, print_json, stderr, stdout
from visavis.errors import VisavisError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from visavis.language.caise.bench import Predict
    from visavis.language.caise.records import Record


class WhichParser(StrEnum):
    """Which parser is scored."""

    rules = "rules"
    learned = "learned"
    combined = "combined"
    all = "all"


class Split(StrEnum):
    """The parts of the data."""

    train = "train"
    valid = "valid"


def register(app: typer.Typer) -> None:
    """Nothing to add to the app itself: the command belongs to ``visavis bench``."""


@bench_app.command("caise")
def bench_caise(
    data: Annotated[Path, typer.Option(help="The folder of the CAISE files.")],
    split: Annotated[Split, typer.Option(help="The part to score on.")] = Split.valid,
    parser: Annotated[WhichParser, typer.Option(help="Which parser to score.")] = WhichParser.all,
    weights: Annotated[
        Path | None, typer.Option(help="Weights of the learned parser (visavis train commands --data ...).")
    ] = None,
    errors: Annotated[int, typer.Option(min=0, help="How many of the surest errors to show.")] = 0,
    json: JsonOption = False,
) -> None:
    """Score the parsers on CAISE: exact match, words of a search in any order, colours by name only.

    With --weights the combined parser uses what was trained on the train split: the choices of colours and things, and
    the network. Without, the choices are learned on the spot (half a minute) and no network has a say. On the train
    split itself its choices are always learned from other dialogues than those they are scored on, without a network.

    Examples:
        visavis bench caise --data ../shared/data/caise --split valid --parser rules

        visavis bench caise --data ../shared/data/caise --weights runs/caise --json
    """
    from visavis.language.caise import bench
    from visavis.language.caise.records import read_records

    records = read_records(data, split.value)
    makers: dict[str, Any] = {
        "rules": bench.by_rules,
        "learned": lambda: bench.by_network(weights),
        "combined": lambda: _combined(data, split, records, weights),
    }
    names = list(makers) if parser is WhichParser.all else [parser.value]
    outcomes = {}
    for name in names:
        try:
            predictor: Predict = makers[name]()
            outcome = bench.run(records, predictor)
            outcomes[name] = outcome.to_json(errors)
            if name == "combined":
                outcomes[name]["open"] = bench.open_words(records, outcome)
        except VisavisError as error:
            if parser is not WhichParser.all:
                raise
            stderr.print(f"{name}: {error.message} {error.remedy}", highlight=False)
    if json:
        print_json({"split": split.value, "records": len(records), "parsers": outcomes})
    else:
        _show(outcomes)


def _combined(data: Path, split: Split, records: Sequence[Record], weights: Path | None) -> Predict:
    """Rules, choices and network, or rules and choices learned on the spot from the train split."""
    from visavis.language.caise import bench
    from visavis.language.caise.combining import Combined
    from visavis.language.caise.records import read_records
    from visavis.training.choices import cross_fitted, learn_choices

    if split is Split.train:
        return cross_fitted(records)
    if weights is not None:
        return bench.by_both(weights)
    return Combined(learn_choices(read_records(data, "train"))[0])


def _show(outcomes: dict[str, dict[str, Any]]) -> None:
    from visavis.language.caise.scoring import TYPES

    table = Table("exact match", *outcomes)
    for kind in TYPES:
        table.add_row(kind, *(f"{outcome['by_type'].get(kind, 0):.1%}" for outcome in outcomes.values()))
    table.add_row("all", *(f"{outcome['accuracy']:.1%}" for outcome in outcomes.values()), style="bold")
    stdout.print(table)
    for name, outcome in outcomes.items():
        for hole, count in outcome.get("open", {}).items():
            told = f"{count['records']} records, {count['possible']} could be right, {count['right']} are"
            stdout.print(f"{name}: a {hole} is left open by the rules in {told}", highlight=False)
        for error in outcome["errors"]:
            stdout.print(f"{name}  {error['uid']}: {error['message']}", highlight=False, markup=False)
            stdout.print(f"    wanted {error['truth']}, got {error['predicted']}", highlight=False, markup=False)
