"""``visavis bench chatir``: how much sooner a picture is found when the system asks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from rich.table import Table
from typer import Option

from visavis.cli.bench import GalleryOption, ResultsOption, VectorsOption, bench_app
from visavis.cli.bench.dialogs import CaptionerOption, PredictorOption, check_networks, product_user
from visavis.cli.bench.encoder import protocol_vectors
from visavis.cli.output import HomeOption, JsonOption, print_json, progress_bar, stdout
from visavis.errors import BadInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from visavis.encoders.base import Encoder
    from visavis.lab.evaluation.chatir import Ranker
    from visavis.lab.evaluation.gallery import Gallery
    from visavis.lab.simulation.base import SimulatedUser, Strength

#: The users of products, and whether they need trained networks.
_SHOPPERS = {"catalogue": "needs no", "captioner": "needs"}
#: The table has many figures; a narrow terminal may wrap its lines, but not its cells.
_WIDTH = 160


@bench_app.command()
def chatir(
    data: Annotated[Path, Option(help="Folder with captions.jsonl or styles.csv, and pictures.")],
    embeddings: VectorsOption = None,
    gallery: GalleryOption = None,
    rounds: Annotated[int, Option(min=1, max=50, help="How many questions may be asked.")] = 10,
    questioner: Annotated[
        list[str] | None, Option(help="Who asks; repeat to compare, the first with the others.")
    ] = None,
    ranker: Annotated[
        str, Option(help="shipped (the whole assistant) or belief (one simple rule, only the questioner).")
    ] = "shipped",
    retriever: Annotated[str, Option(help="What ranks: composed, drilldown, chatir, fashioniq or mai.")] = "composed",
    user: Annotated[
        str, Option(help="Who answers: captions, model, recorded; of products: catalogue or captioner.")
    ] = "captions",
    captioner: CaptionerOption = None,
    predictor: PredictorOption = None,
    noise: Annotated[float, Option(min=0, max=1, help="Share of closed questions answered wrongly.")] = 0.0,
    limit: Annotated[int | None, Option(min=1, help="Play so many targets; all unless told.")] = None,
    dialogs: Annotated[Path | None, Option(help="Folder of published ChatIR dialogues.")] = None,
    transcript: Annotated[
        Path | None, Option(help="What the questioner llm says: recorded here, or replayed without a model.")
    ] = None,
    pictures: Annotated[Path | None, Option(help="Folder of the pictures, for thumbnails and 'model'.")] = None,
    out: ResultsOption = Path("out/chatir"),
    seed: Annotated[int, Option(help="Draws the gallery and the user.")] = 0,
    home: HomeOption = None,
    json: JsonOption = False,
) -> None:
    """ChatIR's protocol: a description, then questions; found when the target is among the first ten.

    Questioners: builtin, builtin-closed (no open questions), builtin-stops (asks only when it pays), pool, random,
    none, with --dialogs: human, unanswered, chatgpt and learned (a pool of questions learned from people's), and with
    --transcript: llm (a language model at VISAVIS_LLM_URL, or what one said before).

    [bold]Examples[/]

      visavis bench chatir --data coco --embeddings coco.npz --limit 100 --questioner builtin --questioner none

      visavis bench chatir --data coco --embeddings coco.npz --gallery 50000 --rounds 10 --json
    """
    from visavis.encoders.registry import load_encoder
    from visavis.lab.datasets.protocol import find_rows, read_rows
    from visavis.lab.evaluation.chatir import Setting, choose_targets, run_chatir
    from visavis.lab.evaluation.gallery import load_gallery
    from visavis.lab.simulation.base import Strength
    from visavis.lab.simulation.captions import read_captions

    everything = load_gallery(protocol_vectors(data, embeddings, home, quiet=json))
    encoder = load_encoder()
    strength = Strength(noise=noise, seed=seed)
    if user == "recorded":
        person, targets = _recorded(dialogs, everything, strength)
    elif user in _SHOPPERS:
        if check_networks(captioner, predictor) != (user == "captioner"):
            raise BadInputError(f"The user '{user}' {_SHOPPERS[user]} trained networks.", "See --captioner.")
        rows = {row.id: row for row in read_rows(find_rows(data)) if row.attributes}
        targets = [id for id in everything.ids if id in rows and rows[id].is_target("val")]
        attributes = {id: row.attributes for id, row in rows.items()}
        person = product_user(everything, attributes, strength, captioner, predictor)
    else:
        captions, splits = read_captions(data / "captions.jsonl")
        targets = choose_targets(everything, captions, splits)
        person = _person(user, captions, targets[:limit], everything, encoder, pictures, strength)
    names = tuple(questioner or ("builtin", "pool", "random", "none"))
    setting = Setting(names, rounds, gallery, limit, seed, cast("Ranker", ranker), retriever=retriever)
    with progress_bar("targets") as bar:
        tasks = {name: bar.add_task(name, total=None, rate="") for name in setting.questioners}
        result = run_chatir(
            everything,
            targets,
            person,
            encoder,
            setting,
            out,
            dialogs=dialogs,
            transcript=transcript,
            pictures=pictures,
            home=home,
            progress=lambda name, done, total: bar.update(tasks[name], completed=done, total=total),
        )
    print_json(result) if json else _show(result, out)


def _person(
    name: str,
    captions: Mapping[str, Sequence[str]],
    targets: Sequence[str],
    gallery: Gallery,
    encoder: Encoder,
    pictures: Path | None,
    strength: Strength,
) -> SimulatedUser:
    from visavis.lab.simulation.captions import CaptionUser

    speaker = CaptionUser(captions, strength)
    if name == "captions":
        return speaker
    if name != "model":
        raise BadInputError(
            f"There is no simulated user '{name}'.", "Use captions, model, recorded, catalogue or captioner."
        )
    if pictures is None:
        raise BadInputError("The user 'model' looks at the pictures.", "Name their folder with --pictures.")
    from visavis.lab.evaluation.gallery import other_views
    from visavis.lab.simulation.model import ModelUser

    world = [id for id in gallery.ids if id not in set(targets)][:200]
    views = other_views([*targets, *world], pictures, encoder)
    return ModelUser(encoder, views, _stack(views, world), speaker.describe, strength)


def _stack(views: Mapping[str, Any], ids: Sequence[str]) -> Any:
    import numpy as np

    seen = [views[id] for id in ids if id in views]
    if len(seen) < 20:
        raise NotFoundError("Too few pictures were found to know what is ordinary.", "Check --pictures.")
    return np.stack(seen)


def _recorded(dialogs: Path | None, gallery: Gallery, strength: Strength) -> tuple[SimulatedUser, list[str]]:
    from visavis.lab.simulation.captions import RecordedUser, read_recorded

    if dialogs is None:
        raise BadInputError("The user 'recorded' replays published dialogues.", "Name their folder with --dialogs.")
    recorded = read_recorded(dialogs / "VisDial_v1.0_queries_val.json")
    targets = [id for id in recorded if id in gallery.places]
    if not targets:
        raise NotFoundError(
            f"None of the {len(recorded)} pictures of the recorded dialogues is in the gallery.",
            "They are of COCO's unlabeled2017: index those.",
        )
    return RecordedUser(recorded, strength), targets


def _show(result: dict[str, Any], out: Path) -> None:
    from visavis.lab.evaluation.report import rounds_shown

    setting = result["setting"]
    title = (
        f"Hits@10, then R@10, after so many questions; {result['targets']:,} targets, {setting['gallery']:,} pictures"
    )
    table = Table(title=title)
    rounds = rounds_shown(setting["rounds"])
    for column in (
        "questioner",
        *map(str, rounds),
        "R@10",
        *map(str, rounds[1:]),
        "R@1",
        "BRI",
        "questions",
        "repeated",
    ):
        table.add_column(column, justify="left" if column == "questioner" else "right")
    for name, figures in result["questioners"].items():
        hits = [f"{100 * figures['hits@10'][round_]:.1f}" for round_ in rounds]
        stands = [f"{100 * figures['recall@10'][round_]:.1f}" for round_ in rounds]
        last = f"{100 * figures['recall@1'][-1]:.1f}"
        repeated = f"{figures['repeated_questions']:.2f}"
        asked = f"{figures['questions']:.1f}"
        table.add_row(name, *hits, *stands, last, f"{figures['bri']:.2f}", asked, repeated)
    stdout.print(table, width=max(stdout.width, _WIDTH))
    for name, found in result["comparisons"].items():
        low, high = 100 * found["low"], 100 * found["high"]
        stdout.print(
            f"{name}: {100 * found['difference']:+.1f} points ({low:+.1f} to {high:+.1f}), p = {found['p']:.4f}"
        )
    stdout.print(f"Report: {out / 'report.html'}")
