"""``visavis bench dialog``: a shopper who says what is different, five times."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from visavis.cli.bench import bench_app
from visavis.cli.bench.embed import protocol_vectors
from visavis.cli.output import HomeOption, JsonOption, print_json, progress_bar, stdout
from visavis.errors import BadInputError


@bench_app.command()
def dialog(
    data: Annotated[
        Path, typer.Option(help="Folder with styles.csv, or captions.jsonl with attributes, and pictures.")
    ],
    embeddings: Annotated[
        Path | None, typer.Option(help="Vectors of the gallery; made once from DATA's pictures unless told.")
    ] = None,
    gallery: Annotated[int | None, typer.Option(min=10, help="Look among so many products; all unless told.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Play so many targets.")] = 300,
    noise: Annotated[float, typer.Option(min=0, max=1, help="Share of turns in which the shopper slips.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Draws the starts and the shopper.")] = 0,
    pictures: Annotated[Path | None, typer.Option(help="Folder of the pictures, for thumbnails.")] = None,
    out: Annotated[Path, typer.Option(help="Where results go; a run that was stopped goes on from there.")] = Path(
        "out/dialog"
    ),
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Fashion IQ's protocol: five turns from a random product; percentile and R@10, R@50 at turns 1, 3 and 5.

    Writes dialog.json, TREC runs and qrels, plots and report.html; a run that was stopped goes on where it was.

    [bold]Examples[/]

      visavis bench dialog --data products --embeddings products.npz --limit 200 --json
    """
    import numpy as np

    from visavis.encoders.registry import load_encoder
    from visavis.lab.datasets.protocol import find_rows, read_rows
    from visavis.lab.evaluation.dialogs import BASELINES, Bench, composed
    from visavis.lab.evaluation.fashion import run_shopping
    from visavis.lab.evaluation.gallery import load_gallery
    from visavis.lab.simulation.attributes import AttributeUser
    from visavis.lab.simulation.base import Strength
    from visavis.search.vectors import TextVectors

    named = {row.id: row for row in read_rows(find_rows(data)) if row.attributes}
    rows = {id: row.attributes for id, row in named.items()}
    everything = load_gallery(protocol_vectors(data, embeddings, home, quiet=json)).with_attributes(rows)
    targets = [id for id in everything.ids if named[id].is_target("val")][:limit]
    if not targets:
        raise BadInputError("No held-out product is among the vectors.", "Check that both files are of the same set.")
    bench = Bench(everything.of_size(gallery, targets, seed), TextVectors(load_encoder(), capacity=200_000))
    user = AttributeUser(rows, Strength(noise=noise, seed=seed))
    starts = np.random.default_rng(seed).integers(len(bench.gallery), size=len(targets))
    pairs = [(target, bench.gallery.ids[start]) for target, start in zip(targets, starts, strict=True)]
    systems = {**BASELINES, "composed": composed}
    with progress_bar("targets") as bar:
        tasks = {name: bar.add_task(name, total=len(pairs), rate="") for name in systems}
        result = run_shopping(
            bench,
            systems,
            user,
            pairs,
            out,
            seed=seed,
            pictures=pictures,
            progress=lambda name, done: bar.update(tasks[name], completed=done),
        )
    print_json(result) if json else _show(result, out)


def _show(result: dict[str, Any], out: Path) -> None:
    systems = result["systems"]
    first = next(iter(systems.values()))
    table = Table(title=f"{first['targets']:,} targets among {first['gallery']:,} products, turns 1, 3 and 5")
    for column in ("system", "percentile", "R@10", "R@50"):
        table.add_column(column)
    for name, figures in systems.items():
        table.add_row(name, *(" ".join(f"{v:.1f}" for v in figures[k]) for k in ("ranking_percentile", "R@10", "R@50")))
    stdout.print(table)
    for name, found in result["comparisons"].items():
        stdout.print(f"{name}: {100 * found['difference']:+.1f} points, p = {found['p']:.4f}")
    stdout.print(f"Report: {out / 'report.html'}")
