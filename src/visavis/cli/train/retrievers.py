"""``visavis train drilldown`` and ``visavis train chatir``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Option

from visavis.cli.train import training_extra
from visavis.cli.train.epochs import EpochOptions, Figures, LimitOption, Report, check_known, epoch_command
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.encoders.builtin import BuiltinEncoder
    from visavis.lab.datasets.scene_dialogues import Masking
    from visavis.lab.training.chatir import Loss

TowersOption = Annotated[
    Path | None, Option(help="The encoder's folder with towers.pt, which reads texts in torch; else what ships.")
]
DataOption = Annotated[
    Path,
    Option(help="A folder with captions.jsonl and perhaps more.jsonl, or with Visual Genome's descriptions."),
]
HalfOption = Annotated[
    bool, Option("--half", help="Compute in bfloat16: a quarter of the time on a processor that has it.")
]
RowsOption = Annotated[bool, Option("--rows", help="Train the rows of the paper's tables instead of one model.")]


@epoch_command("drilldown", epochs=30, batch=128, rate=2e-4, patience=4)
def train_drilldown(
    shared: EpochOptions,
    report: Report,
    data: DataOption,
    states: Annotated[int, Option(min=1, help="State vectors; 1 is the baseline R-HRE.")] = 3,
    dimension: Annotated[int, Option(min=2, help="Their length.")] = 256,
    turns: Annotated[int, Option(min=2, help="Queries of a conversation.")] = 10,
    limit: LimitOption = None,
    words: Annotated[bool, Option("--words", help="A recurrent network over words reads the queries.")] = False,
    form: Annotated[str, Option(help="The similarity: code (the authors') or printed (equation 1).")] = "code",
    pooled: Annotated[bool, Option("--pooled", help="One vector a picture: HRE with --states 1.")] = False,
    joined: Annotated[bool, Option("--joined", help="All queries as one text: R-RE, with --words.")] = False,
    sentences: Annotated[bool, Option("--sentences", help="Whole captions are messages, too.")] = False,
    whole: Annotated[bool, Option("--whole", help="The whole picture is one more region.")] = False,
    nine: Annotated[bool, Option("--nine", help="Nine regions instead of 36.")] = False,
    rollout: Annotated[str, Option(help="What the joint stage trains: best (the paper's) or policy.")] = "best",
    start: Annotated[
        Path | None, Option(help="Exported weights (a ship/ folder): the joint stage alone goes on from them.")
    ] = None,
    half: HalfOption = False,
    rows: RowsOption = False,
    towers: TowersOption = None,
) -> Figures:
    """Train Drill-down: a set of state vectors, of which each message updates one.

    Captions are cut into phrases, which are the messages. Pictures of the splits val and test are not trained on; val
    validates. Writes log.jsonl, checkpoints, figures.json and ship/ with the ONNX files.

    [bold]Examples[/]

      visavis bench embed --data coco --out vectors && visavis train drilldown --data coco --vectors vectors --out run
    """
    with training_extra():
        from visavis.lab.training.drilldown import run, run_rows
        from visavis.lab.training.scene_parts import DrilldownSettings
    if form not in ("code", "printed"):
        raise BadInputError(f"There is no form '{form}'.", "Use code or printed.")
    check_known(rollout, ("best", "policy"))
    if joined and (not words or states != 1):
        raise BadInputError("R-RE reads words and has one state.", "Give --words --states 1 with --joined.")
    settings = DrilldownSettings(
        data, **shared.settings(), limit=limit, towers=towers, states=states, dimension=dimension, turns=turns,
        words=words, joined=joined, form=form, pooled=pooled, sentences=sentences, whole=whole, nine=nine,
        rollout=rollout, start=start, half=half,
    )  # fmt: skip
    return (run_rows if rows else run)(settings, _encoder(towers), report)


@epoch_command("chatir", epochs=36, batch=512, rate=5e-4, patience=5)
def train_chatir(
    shared: EpochOptions,
    report: Report,
    data: DataOption,
    part: Annotated[str, Option(help="What is trained: head, or all (the tower as well).")] = "head",
    masking: Annotated[
        str, Option(help="What is hidden in training: none, caption, question, answer, round or token.")
    ] = "caption",
    loss: Annotated[str, Option(help="recall (its surrogate), nce, or both.")] = "both",
    captions_only: Annotated[bool, Option("--captions-only", help="The baseline without dialogues.")] = False,
    rank: Annotated[int, Option(min=0, help="Rank of the residual on pictures' vectors; 0 for none.")] = 0,
    inner: Annotated[int, Option(min=6, help="Width of the head.")] = 192,
    rounds: Annotated[int, Option(min=1, help="Rounds of a dialogue.")] = 10,
    among: Annotated[int, Option(min=0, help="Other pictures that each step ranks its own among.")] = 0,
    dialogs: Annotated[
        Path | None, Option(help="Published dialogues (VisDial, ChatIR): a file, or a folder of them.")
    ] = None,
    workers: Annotated[int, Option(min=0, help="Processes that make dialogues.")] = 0,
    rows: RowsOption = False,
    limit: LimitOption = None,
    towers: TowersOption = None,
) -> Figures:
    """Train ChatIR's retriever: the dialogue as one text, read by the text tower and a head.

    Dialogues are made of captions, COCO-QA, statements and objects, worded as in published dialogues where some are
    given; published ones whose pictures have vectors train, too. Pictures of the splits val and test are not trained
    on; a quarter of val validates. Writes log.jsonl, checkpoints, figures.json and, for the head, ship/ with the ONNX
    files.

    [bold]Examples[/]

      visavis train chatir --data coco --vectors vectors --out run --device cuda --part all
    """
    with training_extra():
        from visavis.lab.training.chatir import PARTS, ChatirSettings, run, run_rows
    from visavis.lab.datasets.scene_dialogues import MASKINGS

    check_known(part, PARTS)
    check_known(masking, MASKINGS)
    check_known(loss, ("recall", "nce", "both"))
    settings = ChatirSettings(
        data, **shared.settings(), limit=limit, towers=towers, part=part, masking=cast("Masking", masking),
        loss=cast("Loss", loss), captions_only=captions_only, rank=rank, inner=inner, rounds=rounds, among=among,
        dialogs=dialogs, workers=workers,
    )  # fmt: skip
    return (run_rows if rows else run)(settings, _encoder(towers), report)


def _encoder(towers: Path | None) -> BuiltinEncoder:
    from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder

    return BuiltinEncoder(towers or WEIGHTS)
