"""``visavis train cutout``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from visavis.cli.output import stderr
from visavis.cli.train import train_app
from visavis.errors import BadInputError, MissingExtraError


@train_app.command("cutout")
def train_cutout(
    masked: Annotated[
        list[Path],
        typer.Option(
            help="A folder with images/X.jpg and masks/X.png (grey: not counted). Of several, all count alike."
        ),
    ],
    things: Annotated[Path, typer.Option(help="A folder of things cut out, with transparency.")],
    grounds: Annotated[Path, typer.Option(help="A folder of photographs to lay them over.")],
    out: Annotated[Path, typer.Option(help="Where the weights go.")],
    checked: Annotated[
        list[Path] | None, typer.Option(help="A folder like --masked that is not trained on, to see how it goes.")
    ] = None,
    drawn: Annotated[int, typer.Option(min=0, help="How many garments to draw beside the things.")] = 500,
    seconds: Annotated[float, typer.Option(min=1, help="How long to train.")] = 1100,
    batch: Annotated[int, typer.Option(min=2, help="Samples a step.")] = 160,
    seed: Annotated[int, typer.Option(help="The same seed draws the same samples.")] = 0,
    device: Annotated[str, typer.Option(help="cuda, cpu, or auto.")] = "auto",
) -> None:
    """Train the network that follows outlines in cut-outs, and export it to ONNX.

    The data that the built-in weights learned from is named in their model card. A GPU is needed for good weights;
    the head on the encoder's patches is trained by: python -m visavis.lab.training.cutout

    [bold]Examples[/]

      visavis train cutout --masked pets --masked people --things things --grounds scenes --out runs/cutout

      visavis train cutout --masked pets --checked other-pets --things things --grounds scenes --out runs/cutout
    """
    try:
        import torch

        from visavis.lab.training.cutout_outline import OutlineSettings, export, train
        from visavis.lab.training.cutout_sources import read_masked, read_sources
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error

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
