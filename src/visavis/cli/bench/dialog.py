"""``visavis bench dialog``: a shopper who says what is different, five times."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.table import Table
from typer import Option

from visavis.cli.bench import ResultsOption, VectorsOption, bench_app
from visavis.cli.bench.dialogs import (
    CaptionerOption,
    PredictorOption,
    RetrieverOption,
    check_networks,
    chosen_retrievers,
    product_user,
)
from visavis.cli.bench.encoder import protocol_vectors
from visavis.cli.output import HomeOption, JsonOption, print_json, progress_bar, stdout
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.lab.evaluation.dialogs import Bench

#: The column whose values are the categories.
_CATEGORY = "subCategory"


@bench_app.command()
def dialog(
    data: Annotated[Path, Option(help="Folder with styles.csv, or captions.jsonl with attributes, and pictures.")],
    embeddings: VectorsOption = None,
    gallery: Annotated[int | None, Option(min=10, help="Look among so many products; all unless told.")] = None,
    limit: Annotated[int | None, Option(min=1, help="Play so many targets.")] = 300,
    noise: Annotated[float, Option(min=0, max=1, help="Share of turns in which the shopper slips.")] = 0.0,
    seed: Annotated[int, Option(help="Draws the starts and the shopper.")] = 0,
    rules: Annotated[
        str,
        Option(help="paper: a gallery a category, shown products stay; open: one gallery, nothing shown twice."),
    ] = "paper",
    retriever: RetrieverOption = None,
    captioner: CaptionerOption = None,
    predictor: PredictorOption = None,
    pictures: Annotated[Path | None, Option(help="Folder of the pictures, for thumbnails.")] = None,
    out: ResultsOption = Path("out/dialog"),
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Fashion IQ's protocol: five turns from a random product; percentile and R@10, R@50 at turns 1, 3 and 5.

    By the paper's rules each of the three largest categories is a gallery of its own. Writes dialog.json, TREC runs and
    qrels, plots and report.html, for each category in a folder of its own; a run that was stopped goes on.

    [bold]Examples[/]

      visavis bench dialog --data products --embeddings products.npz --limit 200 --json

      visavis bench dialog --data products --retriever all --captioner run/captioner --predictor run/attributes
    """
    from visavis.encoders.registry import load_encoder
    from visavis.lab.datasets.protocol import find_rows, read_rows
    from visavis.lab.evaluation.dialogs import BASELINES, Bench, composed, learned
    from visavis.lab.evaluation.fashion import OPEN, RULES, run_shopping
    from visavis.lab.evaluation.gallery import load_gallery
    from visavis.lab.simulation.base import Strength
    from visavis.search.vectors import TextVectors

    if rules not in RULES:
        raise BadInputError(f"There are no rules '{rules}'.", f"Use one of {', '.join(RULES)}.")
    check_networks(captioner, predictor)
    systems = {**BASELINES, **{name: learned(name) for name in chosen_retrievers(retriever)}, "composed": composed}
    named = {row.id: row for row in read_rows(find_rows(data)) if row.attributes}
    rows = {id: row.attributes for id, row in named.items()}
    everything = load_gallery(protocol_vectors(data, embeddings, home, quiet=json)).with_attributes(rows)
    every = [id for id in everything.ids if named[id].is_target("val")]
    if not every:
        raise BadInputError("No held-out product is among the vectors.", "Check that both files are of the same set.")
    parts = {"": every} if rules == OPEN.name else _largest(every, rows)
    texts = TextVectors(load_encoder(), capacity=200_000)
    results = {}
    for category, own in parts.items():
        inside = everything if not category else everything.of_category(_CATEGORY, category)
        targets = own[:limit]
        bench = Bench(inside.of_size(gallery, targets, seed), texts)
        user = product_user(bench.gallery, rows, Strength(noise=noise, seed=seed), captioner, predictor)
        pairs = _pairs(bench, targets, seed)
        with progress_bar(category or "targets") as bar:
            tasks = {name: bar.add_task(name, total=len(pairs), rate="") for name in systems}
            update = partial(_update, bar, tasks)
            results[category] = run_shopping(
                bench, systems, user, pairs, out / category, rules=RULES[rules], seed=seed, pictures=pictures,
                progress=update,
            )  # fmt: skip
    if json:
        print_json(results.get("") or {"protocol": "dialog", "rules": rules, "categories": results})
        return
    for category, result in results.items():
        _show(result, category, out / category)


def _largest(targets: list[str], rows: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """The targets of the three categories that have most of them; all of them where nothing has a category."""
    by_category: dict[str, list[str]] = {}
    for id in targets:
        by_category.setdefault(str(rows[id].get(_CATEGORY) or ""), []).append(id)
    return dict(sorted(by_category.items(), key=lambda pair: -len(pair[1]))[:3])


def _pairs(bench: Bench, targets: list[str], seed: int) -> list[tuple[str, str]]:
    """Each target with the product that is shown first."""
    import numpy as np

    starts = np.random.default_rng(seed).integers(len(bench.gallery), size=len(targets))
    return [(target, bench.gallery.ids[start]) for target, start in zip(targets, starts, strict=True)]


def _update(bar: Any, tasks: Mapping[str, Any], name: str, done: int) -> None:
    bar.update(tasks[name], completed=done)


def _show(result: dict[str, Any], category: str, out: Path) -> None:
    systems = result["systems"]
    first = next(iter(systems.values()))
    named = f"{category}: " if category else ""
    table = Table(title=f"{named}{first['targets']:,} targets among {first['gallery']:,} products, turns 1, 3 and 5")
    for column in ("system", "percentile", "R@10", "R@50"):
        table.add_column(column)
    for name, figures in systems.items():
        table.add_row(name, *(" ".join(f"{v:.1f}" for v in figures[k]) for k in ("ranking_percentile", "R@10", "R@50")))
    stdout.print(table)
    for name, found in result["comparisons"].items():
        stdout.print(f"{name}: {100 * found['difference']:+.1f} points, p = {found['p']:.4f}")
    stdout.print(f"Report: {out / 'report.html'}")
