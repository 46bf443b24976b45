"""``visavis train fill``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from visavis.cli.output import JsonOption
from visavis.cli.train import DeviceOption, LimitOption, OutOption, SeedOption, show_figures, told_by, train_app
from visavis.errors import MissingExtraError


@train_app.command("fill")
def train_fill(
    pack: Annotated[Path, typer.Option(help="A pack of photographs, without its suffix; its split val is held out.")],
    out: OutOption,
    seconds: Annotated[float, typer.Option(min=1, help="How long to train.")] = 480,
    batch: Annotated[int, typer.Option(min=2, help="Samples a step.")] = 96,
    side: Annotated[int, typer.Option(min=16, help="Their side in pixels, a multiple of 16.")] = 192,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> None:
    """Train the network that guesses what is behind a removed thing, and export it to ONNX.

    A run that was stopped goes on from its checkpoint. A GPU is needed for good weights.

    [bold]Example[/]

      visavis train fill --pack packs/photos --out runs/fill
    """
    try:
        from visavis.lab.training.fill import FillSettings, run
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error
    settings = FillSettings(seconds=seconds, batch=batch, side=side, seed=seed)
    figures = run(pack, out, settings, device=device, limit=limit, on_progress=told_by(json))
    show_figures(figures, out, json)
