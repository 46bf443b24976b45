"""``visavis bench captions``: relative captions against what people said."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from visavis.cli.bench import bench_app
from visavis.cli.output import JsonOption, print_json, stdout


@bench_app.command()
def captions(
    file: Annotated[Path, typer.Option(help="captions.json of visavis train captioner.")], json: JsonOption = False
) -> None:
    """Score relative captions against real ones: BLEU-4, ROUGE-L, CIDEr (pycocoevalcap and Java).

    [bold]Examples[/]

      visavis bench captions --file run/captioner/captions.json
    """
    from visavis.lab.evaluation.metrics import caption_scores, read_captions

    found = caption_scores(read_captions(file))
    if json:
        print_json(found)
        return
    table = Table(title=str(file))
    for column in ("decoded", "of", "pairs", "BLEU-4", "ROUGE-L", "CIDEr", "distinct %"):
        table.add_column(column)
    for way, parts in found.items():
        for category, scores in parts.items():
            table.add_row(way, category, *(f"{value:g}" for value in scores.values()))
    stdout.print(table)
