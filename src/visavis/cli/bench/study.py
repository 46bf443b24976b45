"""``visavis bench study``: what people found, of the runs that the study page exports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from visavis.cli.bench import bench_app
from visavis.cli.output import JsonOption, print_json, stdout
from visavis.errors import BadInputError


@bench_app.command()
def study(
    file: Annotated[Path, typer.Argument(help="What the study page or /api/v1/studies/export wrote.")],
    json: JsonOption = False,
) -> None:
    """How people find a picture in up to five turns: found among the first 1, 5 and 10 by turn, and its mean rank.

    [bold]Examples[/]

      visavis bench study study-photos.jsonl
    """
    from visavis.lab.evaluation.results import read_runs

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
