"""``visavis bench talk``, ``caise`` and ``study``: the parser on messages and records of CAISE; studies with people."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from typer import Argument, Option

from visavis.cli.bench import bench_app
from visavis.cli.output import JsonOption, ParserWeightsOption, print_json, stdout
from visavis.errors import BadInputError


@bench_app.command("talk")
def bench_talk(
    data: Annotated[Path | None, Option(help="A file of the corpus of talk (JSON, one row a line).")] = None,
    gier: Annotated[Path | None, Option(help="A file of GIER requests instead (JSON, one record a line).")] = None,
    parser: Annotated[str, Option(help="Which parser reads: network or llm.")] = "network",
    weights: ParserWeightsOption = None,
    errors: Annotated[int, Option(min=0, help="How many of the errors to show.")] = 0,
    plot: Annotated[Path | None, Option(help="Write a reliability plot of --data (SVG).")] = None,
    json: JsonOption = False,
) -> None:
    """Score a parser on messages with known meaning, or on real editing requests.

    "Same" means: the same verbs in the same order, descriptions with at least 60 % of their words shared, everything
    else equal. Asking back counts as same only where the row says so.

    [bold]Examples[/]

      visavis bench talk --data corpus/y.jsonl --json

      visavis bench talk --gier gier.val.jsonl --errors 20
    """
    from visavis.lab.datasets.talk import read_all
    from visavis.lab.evaluation.metrics import reliability_plot
    from visavis.lab.evaluation.talk import read_requests, score_requests, score_talk
    from visavis.language.base import open_parser

    if (data is None) == (gier is None):
        raise BadInputError("There is nothing to score on, or too much.", "Give either --data or --gier.")
    reader = open_parser(parser, weights)
    shown: list[str] = []
    if data is not None:
        counted = score_talk(
            reader,
            read_all([data]),
            lambda row, got: shown.append(
                f"{row.message}\n    wanted {[*map(str, row.commands)] or 'to be asked'}, "
                f"got {got.lines() or (got.clarify and got.clarify.question)} ({got.confidence:.2f})"
            ),
        )
        score = counted.to_json()
        if plot:
            reliability_plot({f"{data.stem} ({counted.n} messages)": counted.reliability()}, plot)
    else:
        assert gier is not None
        score = score_requests(
            reader,
            read_requests(gier),
            lambda text, operators, got: shown.append(f"{text}\n    wanted {[*operators]}, got {got.lines()}"),
        )
    if json:
        print_json({**score, "errors": shown[:errors]} if errors else score)
        return
    _show(score)
    for line in shown[:errors]:
        stdout.print(line, highlight=False, markup=False)


def _show(score: dict[str, Any]) -> None:
    table = Table("measure", "share")
    for name, value in score.items():
        if not isinstance(value, dict):
            table.add_row(name, f"{value:.1%}" if isinstance(value, float) else str(value))
    stdout.print(table)
    parts = Table("", "rows", "right")
    for name, part in (score.get("by_command") or score.get("by_operator") or {}).items():
        parts.add_row(name, str(part["n"]), f"{part.get('same', part.get('right')):.1%}")
    stdout.print(parts)


class Split(StrEnum):
    """The parts of the data."""

    train = "train"
    valid = "valid"
    test = "test"


@bench_app.command("caise")
def bench_caise(
    data: Annotated[Path, Option(help="The folder of the CAISE files.")],
    split: Annotated[Split, Option(help="The part to score on.")] = Split.valid,
    weights: Annotated[
        list[Path] | None, Option(help="Weights that learned from CAISE; of several, mean and spread are told.")
    ] = None,
    errors: Annotated[int, Option(min=0, help="How many of the surest errors to show.")] = 0,
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
        _show_records(outcomes)


def _show_records(outcomes: dict[str, dict[str, Any]]) -> None:
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


@bench_app.command()
def study(
    file: Annotated[Path, Argument(help="What the study page or /api/v1/studies/export wrote.")],
    json: JsonOption = False,
) -> None:
    """How people find a picture in up to five turns: found among the first 1, 5 and 10 by turn, and its mean rank.

    [bold]Examples[/]

      visavis bench study study-photos.jsonl
    """
    from visavis.lab.evaluation.report import read_runs

    runs = read_runs(file)
    if not runs:
        raise BadInputError(f"In {file} nobody said anything.", "Export it after somebody took part.")
    told = [{"setting": dict(run.setting), **run.summary()} for run in runs]
    if json:
        print_json(told)
        return
    for figures in told:
        setting = figures["setting"]
        about = f"{figures['targets']} studies among {figures['gallery']:,} pictures"
        table = Table(title=f"{setting['collection']}, {setting['retriever']}: {about}")
        for column in ("after turn", *map(str, range(1, figures["rounds"] + 2))):
            table.add_column(column, justify="left" if column == "after turn" else "right")
        for name in ("hits@1", "hits@5", "hits@10"):
            table.add_row(name.title(), *(f"{100 * share:.1f}" for share in figures[name]))
        table.add_row("mean rank", *(f"{rank:.1f}" for rank in figures["mean_rank"]))
        stdout.print(table)
