"""``visavis bench match``: how true the probabilities of a match are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from visavis.cli.bench import bench_app
from visavis.cli.output import HomeOption, JsonOption, print_json, stdout


@bench_app.command()
def match(
    data: Annotated[Path, typer.Option(help="The folder with coco/ and products/: texts, objects, attributes.")],
    packs: Annotated[Path, typer.Option(help="The folder with the packed pictures: cocoval-*, products-*.")],
    fit: Annotated[bool, typer.Option("--fit", help="Fit the regression anew and write it.")] = False,
    out: Annotated[Path | None, typer.Option(help="Where --fit writes; by default into the package.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a reliability plot (SVG).")] = None,
    elsewhere: Annotated[Path | None, typer.Option(help="Texts about things that nothing shows.")] = None,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Measure the match probability on things that it was not fitted on, or fit it for the encoder that ships.

    Half of COCO's object classes, of the attributes' values and of the pictures are for fitting, the rest for
    measuring.

    [bold]Examples[/]

      visavis bench match --data data --packs packs --fit --elsewhere benchmarks/cutoff_texts.txt

      visavis bench match --data data --packs packs --json
    """
    from visavis.encoders.registry import load_encoder
    from visavis.home import home_folder
    from visavis.lab.evaluation.match_fit import bench_match
    from visavis.lab.evaluation.reliability import reliability_plot

    texts = elsewhere.read_text(encoding="utf-8").splitlines() if elsewhere else []
    cache = home_folder(home) / "cache" / "match"
    figures = bench_match(load_encoder("builtin"), data, packs, cache, texts, fitting=fit, out=out)
    if plot:
        kinds = {f"{kind}s": row["reliability"] for kind, row in figures.items() if "reliability" in row}
        reliability_plot(kinds, plot)
    if json:
        print_json(figures)
        return
    table = Table("texts", "number", "something shown", "mean AP", "ECE", "count error", "precision", "recall")
    for kind, row in figures.items():
        table.add_row(
            kind,
            *(str(row.get(name, "")) for name in ("texts", "shown", "mean AP", "ECE", "count error")),
            *(str(row.get(name, "")) for name in ("precision", "recall")),
        )
    stdout.print(table)
