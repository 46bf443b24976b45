"""``visavis bench scenes`` and ``visavis bench products``: how well conversations close in on a target."""

from __future__ import annotations

import csv
import hashlib
import json as jsonlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from visavis.apps.cli.bench import bench_app
from visavis.apps.cli.output import JsonOption, print_json, stderr, stdout
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.evaluation.dialogs import Bench, System

EmbeddingsOption = Annotated[Path, typer.Option(help="Vectors of the gallery: ids, whole and regions in one .npz.")]
GalleryOption = Annotated[int | None, typer.Option(min=10, help="Look among so many pictures; all unless told.")]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Play so many conversations; all unless told.")]
AllOption = Annotated[bool, typer.Option("--alternatives", help="Compare with what was tried and lost, too.")]
HalfOption = Annotated[
    str | None, typer.Option(help="Only every other target: 'tuning', or 'report' for the others; all unless told.")
]
_TURNS = 5
#: The table has many figures; a narrow terminal may wrap its lines, but not its cells.
_WIDTH = 200


def register(_app: typer.Typer) -> None:
    """The commands are part of ``visavis bench``."""


@bench_app.command()
def scenes(
    captions: Annotated[Path, typer.Option(help="captions.jsonl with image_id, split and captions.")],
    embeddings: EmbeddingsOption,
    split: Annotated[str, typer.Option(help="Whose pictures are looked for.")] = "val",
    gallery: GalleryOption = None,
    limit: LimitOption = None,
    half: HalfOption = None,
    alternatives: AllOption = False,
    json: JsonOption = False,
) -> None:
    """Say the five captions of a picture one after another: how high does it stand after each?

    [bold]Examples[/]

      visavis bench scenes --captions coco/captions.jsonl --embeddings coco.npz --limit 300

      visavis bench scenes --captions coco/captions.jsonl --embeddings coco.npz --alternatives --json
    """
    from visavis.evaluation.dialogs import scene_ranks
    from visavis.evaluation.gallery import load_gallery

    rows = [jsonlib.loads(line) for line in captions.read_text(encoding="utf-8").splitlines() if line.strip()]
    pictures = load_gallery(embeddings)
    told = {
        str(row["image_id"]): row["captions"][:_TURNS]
        for row in rows
        if row["split"] == split and len(row["captions"]) >= _TURNS and str(row["image_id"]) in pictures.places
    }
    _some(told, "pictures with five captions")
    targets = _half(list(told), half)[:limit]
    bench = _bench(pictures.of_size(gallery, targets))

    def play(system: System, target: str) -> list[int]:
        return scene_ranks(bench, system, target, told[target])

    _report(bench, targets, play, alternatives, json, "scenes")


@bench_app.command()
def products(
    styles: Annotated[Path, typer.Option(help="styles.csv: id, gender, articleType, baseColour and so on.")],
    embeddings: EmbeddingsOption,
    gallery: GalleryOption = None,
    limit: LimitOption = 300,
    half: HalfOption = None,
    seed: Annotated[int, typer.Option(help="Another seed, other conversations.")] = 0,
    alternatives: AllOption = False,
    json: JsonOption = False,
) -> None:
    """From a random picture towards another: each turn says what should be different, goes back or combines.

    The targets are a twentieth of the ids, chosen by a hash, which the built-in encoder has not been trained on.

    [bold]Examples[/]

      visavis bench products --styles products/styles.csv --embeddings products.npz --limit 200
    """
    import random

    from visavis.evaluation.gallery import load_gallery
    from visavis.evaluation.shopping import shopping_ranks

    with styles.open(encoding="utf-8", newline="") as stream:
        attributes = {row["id"]: row for row in csv.DictReader(stream)}
    pictures = load_gallery(embeddings).with_attributes(attributes)
    targets = _half([id for id in pictures.ids if _held_out(id)], half)[:limit]
    _some(targets, "products")
    bench = _bench(pictures.of_size(gallery, targets))
    chance = random.Random(seed)
    starts = {target: chance.choice([id for id in bench.gallery.ids if id != target]) for target in targets}

    def play(system: System, target: str) -> list[int]:
        return shopping_ranks(bench, system, target, starts[target], _TURNS, seed)

    _report(bench, targets, play, alternatives, json, "products")


def _half(targets: list[str], half: str | None) -> list[str]:
    """What was tuned on must not be reported."""
    if half not in (None, "tuning", "report"):
        raise BadInputError(f"There is no half '{half}'.", "Use tuning or report.")
    return targets if half is None else targets[half == "report" :: 2]


def _held_out(id: str) -> bool:
    return int(hashlib.blake2b(id.encode()).hexdigest()[:8], 16) % 20 == 0


def _some(found: Sequence[str] | Mapping[str, Any], what: str) -> None:
    if not found:
        raise BadInputError(f"None of the {what} are among the vectors.", "Check that both files are of the same set.")


def _bench(pictures: Any) -> Bench:
    from visavis.encoders.registry import load_encoder
    from visavis.evaluation.dialogs import Bench
    from visavis.retrieval.texts import TextVectors

    return Bench(pictures, TextVectors(load_encoder("builtin"), capacity=200_000))


def _report(
    bench: Bench,
    targets: Sequence[str],
    play: Callable[[System, str], list[int]],
    alternatives: bool,
    json: bool,
    name: str,
) -> None:
    from visavis.evaluation.alternatives import ALTERNATIVES
    from visavis.evaluation.dialogs import BASELINES, composed, figures, leads

    systems = {**BASELINES, **(ALTERNATIVES if alternatives else {}), "composed": composed}
    ranks = {}
    for title, make in systems.items():
        system = make(bench)
        played = track(targets, f"{title:34}", console=stderr, transient=not stderr.is_terminal)
        ranks[title] = [play(system, target) for target in played]
    scores = {title: figures(found, _TURNS) for title, found in ranks.items()}
    ahead = {title: leads(ranks["composed"], ranks[title], _TURNS) for title in BASELINES}
    if json:
        size = {"gallery": len(bench.gallery), "targets": len(targets)}
        print_json({"protocol": name, **size, "systems": scores, "composed ahead of": ahead})
        return
    table = Table(title=f"{name}: {len(targets)} targets among {len(bench.gallery)} pictures, turns 1 to {_TURNS}")
    columns = ("R@1", "R@5", "R@10", "R@50", "mean rank")
    for column in ("", *columns, "worse %"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for title, figure in scores.items():
        by_turn = ("  ".join(f"{value:g}" for value in figure[column]) for column in columns)
        table.add_row(title, *by_turn, f"{figure['worse']:g}")
    stdout.print(table, width=max(stdout.width, _WIDTH))
    for title, found in ahead.items():
        stdout.print(f"composed ahead of {title}, in points (95 % interval; p of the sign-flip test):")
        for where, lead in found.items():
            told = f"{lead['difference']:+.1f} ({lead['low']:+.1f} to {lead['high']:+.1f}; p = {lead['p']:.4f})"
            stdout.print(f"  {where}: {told}", highlight=False)
