"""``visavis bench match``: how true the probabilities of a match are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from visavis.cli.bench import bench_app
from visavis.cli.output import HomeOption, JsonOption, print_json, stdout


@bench_app.command()
def match(
    data: Annotated[Path, typer.Option(help="The folder with coco/ and products/: texts, objects, attributes.")],
    vectors: Annotated[
        Path | None, typer.Option(help="The folder with the vectors of pictures; made from --packs if it is not there.")
    ] = None,
    packs: Annotated[
        Path | None, typer.Option(help="The folder with the packed pictures of COCO and products.")
    ] = None,
    fit: Annotated[bool, typer.Option("--fit", help="Make the reference and fit the regression anew.")] = False,
    out: Annotated[Path | None, typer.Option(help="The folder where --fit writes; by default the package.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a reliability plot (SVG).")] = None,
    alone: Annotated[bool, typer.Option("--alone", help="Measure without the reference.")] = False,
    elsewhere: Annotated[Path | None, typer.Option(help="Texts about things that nothing shows.")] = None,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Measure the match probability on things that it was not fitted on, or fit it for the encoder that ships.

    Half of COCO's object classes, of the attributes' values and of the pictures are for fitting, the rest for
    measuring.

    [bold]Examples[/]

      visavis bench match --data data --packs packs --fit --elsewhere benchmarks/cutoff_texts.txt

      visavis bench match --data data --vectors vectors --json
    """
    from visavis.encoders.registry import load_encoder
    from visavis.home import home_folder
    from visavis.lab.evaluation.match_figures import bench_match
    from visavis.lab.evaluation.metrics import reliability_plot

    texts = elsewhere.read_text(encoding="utf-8").splitlines() if elsewhere else []
    encoder, part = load_encoder("builtin"), "alone" if alone else "with reference"
    folder = vectors or home_folder(home) / "cache" / "match" / re.sub(r"[^A-Za-z0-9._-]", "_", encoder.fingerprint)
    figures = bench_match(encoder, data, folder, packs, texts, fitting=fit, out=out, part=part)
    if plot:
        kinds = {"objects": "object", "attributes": "attribute", "colour and kind": "pair", "drawings": "drawn"}
        reliability_plot({name: figures[kind]["reliability"] for name, kind in kinds.items()}, plot)
    if json:
        print_json(figures)
        return
    table = Table("texts", "number", "something shown", "mean AP", "ECE", "count error", "precision", "recall")
    excluded = figures.pop("exclusion")
    for kind, row in figures.items():
        table.add_row(
            kind,
            *(str(row.get(name, "")) for name in ("texts", "shown", "mean AP", "ECE", "count error")),
            *(str(row.get(name, "")) for name in ("precision", "recall")),
        )
    stdout.print(table)
    table = Table("avoided", "left out", "wrongly left out")
    for thing, (right, wrong) in excluded.items():
        table.add_row(thing, f"{right:.1%}", f"{wrong:.1%}")
    stdout.print(table)
