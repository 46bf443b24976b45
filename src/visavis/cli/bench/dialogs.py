"""``visavis bench scenes`` and ``visavis bench products``: how well conversations close in on a target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.progress import track
from rich.table import Table
from typer import Option

from visavis.cli.bench import GalleryOption, bench_app
from visavis.cli.bench.encoder import protocol_vectors
from visavis.cli.output import HomeOption, JsonOption, print_json, stderr, stdout
from visavis.errors import BadInputError, MissingExtraError

if TYPE_CHECKING:
    from visavis.lab.datasets.multiturn import Kind
    from visavis.lab.evaluation.dialogs import Bench, Message, System

DataOption = Annotated[
    Path | None,
    Option(help="A folder with captions.jsonl or styles.csv, and pictures; its vectors are made once."),
]
EmbeddingsOption = Annotated[
    Path | None,
    Option(help="Vectors of the gallery: what bench embed wrote, or ids, whole, regions in one .npz."),
]
LimitOption = Annotated[int | None, Option(min=1, help="Play so many conversations; all unless told.")]
AllOption = Annotated[bool, Option("--alternatives", help="Compare with what was tried and lost, too.")]
HalfOption = Annotated[
    str | None, Option(help="Only every other target: 'tuning', or 'report' for the others; all unless told.")
]
RetrieverOption = Annotated[
    list[str] | None,
    Option("--retriever", help="Also play learned retrievers: their names, or all that are installed."),
]
_TURNS, _PHRASES = 5, 10
#: The table has many figures; a narrow terminal may wrap its lines, but not its cells.
_WIDTH = 200


@bench_app.command()
def scenes(
    data: DataOption = None,
    captions: Annotated[Path | None, Option(help="captions.jsonl, where it lies elsewhere.")] = None,
    embeddings: EmbeddingsOption = None,
    split: Annotated[str, Option(help="Whose pictures are looked for.")] = "val",
    gallery: GalleryOption = None,
    limit: LimitOption = None,
    half: HalfOption = None,
    alternatives: AllOption = False,
    retriever: RetrieverOption = None,
    phrases: Annotated[
        bool, Option("--phrases", help="Ten short phrases of the captions instead of five captions.")
    ] = False,
    rounds: Annotated[
        int, Option(min=0, max=20, help="A made dialogue: a caption and so many questions with answers.")
    ] = 0,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Say the five captions of a picture one after another: how high does it stand after each?

    With --retriever the learned retrievers play the same conversations; each is compared with composed.

    [bold]Examples[/]

      visavis bench scenes --data photos

      visavis bench scenes --captions coco/captions.jsonl --embeddings coco.npz --limit 300

      visavis bench scenes --captions coco/captions.jsonl --embeddings coco.npz --alternatives --json

      visavis bench scenes --data coco --retriever all --phrases --json

      visavis bench scenes --data coco --retriever chatir --rounds 10 --gallery 50000 --limit 1000
    """
    from visavis.lab.datasets.protocol import CAPTIONS, read_rows
    from visavis.lab.evaluation.dialogs import message_ranks, scene_ranks
    from visavis.lab.evaluation.gallery import load_gallery

    rows = read_rows(captions or _named(data) / CAPTIONS)
    pictures = load_gallery(_vectors(data, embeddings, home, json))
    turns = _PHRASES if phrases else _TURNS
    said = {row.id: _said(row.captions, phrases) for row in rows if row.is_target(split) and row.id in pictures.places}
    told = {id: texts[:turns] for id, texts in said.items() if len(texts) >= turns}
    _some(told, "pictures with five captions")
    targets = _half(list(told), half)[:limit]
    bench = _bench(pictures.of_size(gallery, targets))
    dialogs = _dialogs(_named(data), targets, rounds) if rounds else {}

    def play(system: System, target: str) -> list[int]:
        if rounds:
            return message_ranks(bench, system, target, dialogs[target])
        return scene_ranks(bench, system, target, told[target])

    turns = rounds + 1 if rounds else turns
    _report(bench, targets, play, alternatives, json, "scenes", turns, chosen_retrievers(retriever))


@bench_app.command()
def products(
    data: DataOption = None,
    styles: Annotated[Path | None, Option(help="styles.csv, where it lies elsewhere.")] = None,
    embeddings: EmbeddingsOption = None,
    gallery: GalleryOption = None,
    limit: LimitOption = 300,
    half: HalfOption = None,
    seed: Annotated[int, Option(help="Another seed, other conversations.")] = 0,
    alternatives: AllOption = False,
    retriever: RetrieverOption = None,
    captioner: CaptionerOption = None,
    predictor: PredictorOption = None,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """From a random picture towards another: each turn says what should be different, goes back or combines.

    The targets are a twentieth of the ids of styles.csv, chosen by a hash, which the built-in encoder has not been
    trained on; of captions.jsonl with attributes they are the rows of the split val, or all where there is no split.
    With --retriever the learned retrievers play with the same targets, starts and shoppers; each is compared with
    composed, once without titles of products and once with them.

    [bold]Examples[/]

      visavis bench products --data products

      visavis bench products --styles products/styles.csv --embeddings products.npz --limit 200

      visavis bench products --data products --retriever all --limit 500 --json

      visavis bench products --data products --retriever all --captioner run/captioner --predictor run/attributes
    """
    import random

    from visavis.lab.datasets.protocol import find_rows, read_rows
    from visavis.lab.evaluation.fashion import shopping_ranks
    from visavis.lab.evaluation.gallery import load_gallery
    from visavis.lab.simulation.base import Strength

    trained = check_networks(captioner, predictor)
    chosen = chosen_retrievers(retriever)
    rows = {row.id: row for row in read_rows(styles or find_rows(_named(data))) if row.attributes}
    attributes = {id: row.attributes for id, row in rows.items()}
    pictures = load_gallery(_vectors(data, embeddings, home, json)).with_attributes(attributes)
    targets = _half([id for id in pictures.ids if rows[id].is_target("val")], half)[:limit]
    _some(targets, "products")
    bench = _bench(pictures.of_size(gallery, targets))
    chance = random.Random(seed)
    starts = {target: chance.choice([id for id in bench.gallery.ids if id != target]) for target in targets}
    strength = Strength(seed=seed)
    user = product_user(bench.gallery, attributes, strength, captioner, predictor) if trained else None

    kinds: Counter[Kind] = Counter()

    def play(system: System, target: str) -> list[int]:
        return shopping_ranks(bench, system, target, starts[target], _TURNS, seed, user, kinds)

    _report(bench, targets, play, alternatives, json, "products", retrievers=chosen, titles=bool(chosen), kinds=kinds)


def _said(captions: Sequence[str], phrases: bool) -> Sequence[str]:
    """What is said of a picture: its captions, or the different phrases in them."""
    from visavis.language.english import chunks

    return list(dict.fromkeys(part for text in captions for part in chunks(text))) if phrases else captions


def _dialogs(data: Path, targets: Sequence[str], rounds: int) -> dict[str, list[Message]]:
    """A dialogue about each target, made of what is known of it; always the same one."""
    import random

    from visavis.lab.datasets.scene_dialogues import dialogue_of_scene, read_scenes
    from visavis.lab.evaluation.dialogs import dialog_messages

    scenes = {scene.id: scene for scene in read_scenes(data)}
    classes = sorted({name for scene in scenes.values() for name in scene.objects})
    return {
        id: dialog_messages(dialogue_of_scene(scenes[id], classes, random.Random(f"test-{id}"), rounds))
        for id in targets
    }


def chosen_retrievers(names: Sequence[str] | None) -> list[str]:
    """The learned retrievers that were named, checked before anything is computed."""
    from visavis.encoders.registry import load_encoder
    from visavis.search.learned.registry import DEFAULT, available, make_reader

    encoder = load_encoder("builtin")
    if names and "all" in names:
        return [name for name, missing in available(encoder).items() if name != DEFAULT and not missing]
    for name in names or ():
        make_reader(name, encoder)
    return [name for name in names or () if name != DEFAULT]


def _half(targets: list[str], half: str | None) -> list[str]:
    """What was tuned or validated on must not be reported."""
    from visavis.lab.datasets.protocol import is_development

    if half not in (None, "tuning", "report"):
        raise BadInputError(f"There is no half '{half}'.", "Use tuning or report.")
    if half != "report":
        return targets if half is None else targets[::2]
    return [target for target in targets[1::2] if not is_development(target)]


def _named(data: Path | None) -> Path:
    if data is None:
        raise BadInputError("No data was named.", "Give a folder with --data.")
    return data


def _vectors(data: Path | None, embeddings: Path | None, home: Path | str | None, quiet: bool) -> Path:
    return embeddings or protocol_vectors(_named(data), None, home, quiet=quiet)


def _some(found: Sequence[str] | Mapping[str, Any], what: str) -> None:
    if not found:
        raise BadInputError(f"None of the {what} are among the vectors.", "Check that both files are of the same set.")


def _bench(pictures: Any) -> Bench:
    from visavis.encoders.registry import load_encoder
    from visavis.lab.evaluation.dialogs import Bench
    from visavis.search.vectors import TextVectors

    return Bench(pictures, TextVectors(load_encoder("builtin"), capacity=200_000))


def _report(
    bench: Bench,
    targets: Sequence[str],
    play: Callable[[System, str], list[int]],
    alternatives: bool,
    json: bool,
    name: str,
    turns: int = _TURNS,
    retrievers: Sequence[str] = (),
    *,
    titles: bool = False,
    kinds: Mapping[Kind, int] | None = None,
) -> None:
    import time

    from visavis.lab.evaluation.alternatives import ALTERNATIVES
    from visavis.lab.evaluation.dialogs import BASELINES, composed, figures, leads, learned, with_titles

    systems = {**BASELINES, **(ALTERNATIVES if alternatives else {}), "composed": composed}
    systems |= {title: learned(title) for title in retrievers}
    rivals = dict.fromkeys(retrievers, "composed")
    if titles:
        systems["composed, titles"] = with_titles
        systems |= {f"{title}, titles": learned(title, titles=True) for title in retrievers}
        rivals |= {f"{title}, titles": "composed, titles" for title in retrievers}
    ranks, costs = {}, {}
    for title, make in systems.items():
        system = make(bench)
        played = track(targets, f"{title:34}", console=stderr, transient=not stderr.is_terminal)
        started = time.perf_counter()
        ranks[title] = [play(system, target) for target in played]
        costs[title] = round(1000 * (time.perf_counter() - started) / max(1, sum(map(len, ranks[title]))), 1)
    scores = {title: {**figures(found, turns), "ms a turn": costs[title]} for title, found in ranks.items()}
    each = 2 * bench.gallery.whole.shape[1]
    for title, figure in scores.items():
        whole_only = title in BASELINES
        figure["bytes a picture"] = each if whole_only else each * (1 + bench.gallery.regions.shape[1])
    ahead = {title: leads(ranks["composed"], ranks[title], turns) for title in BASELINES}
    better = {title: leads(ranks[title], ranks[rival], turns) for title, rival in rivals.items()}
    spoken = sum(kinds.values()) if kinds else 0
    shares = {kind: round(100 * number / spoken, 1) for kind, number in sorted(kinds.items())} if kinds else {}
    if json:
        size: dict[str, Any] = {"gallery": len(bench.gallery), "targets": len(targets)}
        if shares:
            size["turns after the first, %"] = shares
        print_json(
            {"protocol": name, **size, "systems": scores, "composed ahead of": ahead, "ahead of composed": better}
        )
        return
    table = Table(title=f"{name}: {len(targets)} targets among {len(bench.gallery)} pictures, turns 1 to {turns}")
    columns = ("R@1", "R@5", "R@10", "R@50", "mean rank")
    for column in ("", *columns, "worse %"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for title, figure in scores.items():
        by_turn = ("  ".join(f"{value:g}" for value in figure[column]) for column in columns)
        table.add_row(title, *by_turn, f"{figure['worse']:g}")
    stdout.print(table, width=max(stdout.width, _WIDTH))
    if shares:
        told = ", ".join(f"{share:g} % {kind}" for kind, share in shares.items())
        stdout.print(f"Turns after the first: {told}", highlight=False)
    pairs = [(f"composed ahead of {title}", found) for title, found in ahead.items()]
    pairs += [(f"{title} ahead of {rivals[title]}", found) for title, found in better.items()]
    for title, found in pairs:
        stdout.print(f"{title}, in points (95 % interval; p of the sign-flip test):")
        for where, lead in found.items():
            told = f"{lead['difference']:+.1f} ({lead['low']:+.1f} to {lead['high']:+.1f}; p = {lead['p']:.4f})"
            stdout.print(f"  {where}: {told}", highlight=False)


if TYPE_CHECKING:
    from visavis.lab.evaluation.gallery import Gallery
    from visavis.lab.simulation.base import SimulatedUser, Strength

CaptionerOption = Annotated[
    Path | None, Option(help="The run of visavis train captioner speaks instead of the catalogue.")
]
PredictorOption = Annotated[Path | None, Option(help="The run of visavis train attributes, for it.")]


def check_networks(captioner: Path | None, predictor: Path | None) -> bool:
    """Whether a trained user speaks.

    Raises:
        BadInputError: One of the two networks is missing.
    """
    if (captioner is None) != (predictor is None):
        raise BadInputError("A captioner needs the attribute predictor.", "Give --captioner and --predictor.")
    return captioner is not None


def product_user(
    gallery: Gallery,
    rows: Mapping[str, Mapping[str, Any]],
    strength: Strength,
    captioner: Path | None,
    predictor: Path | None,
) -> SimulatedUser:
    """The user who speaks by trained networks where they are given, else the one who speaks by the catalogue."""
    from visavis.lab.simulation.captions import AttributeUser

    if captioner is None or predictor is None:
        return AttributeUser(rows, strength)
    try:
        from visavis.lab.simulation.captioner import TrainedUser
    except ImportError as error:
        raise MissingExtraError("A trained user", "train") from error
    return TrainedUser(gallery, rows, captioner, predictor, strength)
