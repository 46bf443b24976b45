"""``visavis train attributes``, ``captioner``, ``fashioniq`` and ``single-turn``: Fashion IQ on products."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from visavis.cli.output import JsonOption
from visavis.cli.train import (
    DeviceOption,
    LimitOption,
    OutOption,
    PatienceOption,
    SecondsOption,
    SeedOption,
    VectorsOption,
    show_figures,
    told_by,
    train_app,
)
from visavis.errors import BadInputError, MissingExtraError

DataOption = Annotated[Path, typer.Option(help="The folder of products, with styles.csv.")]
PredictorOption = Annotated[Path, typer.Option(help="The run of visavis train attributes.")]
TowersOption = Annotated[Path | None, typer.Option(help="Weights of the encoder; those that ship unless told.")]


@train_app.command("attributes")
def train_attributes(
    data: DataOption,
    vectors: VectorsOption,
    out: OutOption,
    inner: Annotated[int, typer.Option(min=1, help="Width of the head.")] = 256,
    least: Annotated[int, typer.Option(min=1, help="Learn attributes that so many products have.")] = 40,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs at most.")] = 60,
    batch: Annotated[int, typer.Option(min=2, help="Products of a step.")] = 512,
    limit: LimitOption = None,
    rate: Annotated[float, typer.Option(min=0, help="The learning rate.")] = 1e-3,
    patience: PatienceOption = 6,
    seconds: SecondsOption = 1e9,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> None:
    """Train the attribute predictor: texture, fabric, shape, part and style of products from their vectors.

    Labels are mined from styles.csv. The twentieth of the products that is held out is measured, never trained on.

    [bold]Examples[/]

      visavis bench embed --data products --out vectors && visavis train attributes --data products --vectors vectors --out run/attributes
    """  # noqa: E501
    try:
        from visavis.lab.training.attributes import AttributeSettings, run
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error
    settings = AttributeSettings(
        data, vectors, out, epochs, batch, limit, rate, patience, seconds, seed, device, inner=inner, least=least
    )
    show_figures(run(settings, told_by(json)), out, json)


@train_app.command("captioner")
def train_captioner(
    data: DataOption,
    vectors: VectorsOption,
    captions: Annotated[Path, typer.Option(help="The folder of Fashion IQ's files, with multiturn in it.")],
    predictor: PredictorOption,
    out: OutOption,
    shoes: Annotated[Path | None, typer.Option(help="The folder of the relative captions of shoes.")] = None,
    kind: Annotated[str, typer.Option(help="transformer, or rnn for the captioner of Guo et al.")] = "transformer",
    attributes: Annotated[bool, typer.Option(help="Whether attributes are read.")] = True,
    products: Annotated[float, typer.Option(min=0, max=0.9, help="Share of pairs of products in a step.")] = 0.4,
    layers: Annotated[int, typer.Option(min=1, help="Layers of the encoder, and of the decoder.")] = 6,
    steps: Annotated[int, typer.Option(min=1, help="Steps of an epoch.")] = 100,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs at most.")] = 60,
    batch: Annotated[int, typer.Option(min=2, help="Captions of a step.")] = 512,
    limit: LimitOption = None,
    rate: Annotated[float, typer.Option(min=0, help="The learning rate.")] = 3e-4,
    scored: Annotated[int | None, typer.Option(min=1, help="Write captions of so many held-out pairs.")] = None,
    patience: PatienceOption = 5,
    seconds: SecondsOption = 1e9,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> None:
    """Train the relative captioner, which is the simulated user: how one product differs from another, in words.

    Learns from real captions (attributes, no pictures) and from pairs of products (pictures, captions made of the
    catalogue). Writes captions.json: captions of held-out real pairs, beside what people said.

    [bold]Examples[/]

      visavis train captioner --data products --vectors vectors --captions fashioniq --predictor run/attributes --out run/captioner
    """  # noqa: E501
    try:
        from visavis.lab.training.captioner import KINDS, CaptionerSettings, run
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error
    _known(kind, tuple(KINDS))
    settings = CaptionerSettings(
        data, vectors, out, epochs, batch, limit, rate, patience, seconds, seed, device, captions=captions,
        predictor=predictor, shoes=shoes, kind=kind, attributes=attributes, products=products, layers=layers,
        steps=steps, scored=scored,
    )  # fmt: skip
    show_figures(run(settings, told_by(json)), out, json)


@train_app.command("fashioniq")
def train_fashioniq(
    data: DataOption,
    vectors: VectorsOption,
    predictor: PredictorOption,
    captioner: Annotated[Path, typer.Option(help="The run of visavis train captioner.")],
    out: OutOption,
    towers: TowersOption = None,
    other_captioner: Annotated[Path | None, typer.Option(help="A second user for the figures.")] = None,
    kind: Annotated[str, typer.Option(help="transformer, or rnn for the retriever of Guo et al.")] = "transformer",
    attributes: Annotated[bool, typer.Option(help="Whether attributes are read.")] = True,
    catalogue: Annotated[float, typer.Option(min=0, max=1, help="Share of feedback made of the catalogue.")] = 0.5,
    openings: Annotated[float, typer.Option(min=0, max=1, help="Share that begins with a description.")] = 0.5,
    loss: Annotated[str, typer.Option(help="triplet as in the paper, nce over the gallery, or both.")] = "both",
    layers: Annotated[int, typer.Option(min=1, help="Layers.")] = 6,
    steps: Annotated[int, typer.Option(min=1, help="Steps of an epoch.")] = 40,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs at most.")] = 60,
    batch: Annotated[int, typer.Option(min=2, help="Dialogues of a step.")] = 512,
    limit: LimitOption = None,
    rate: Annotated[float, typer.Option(min=0, help="The learning rate.")] = 3e-4,
    patience: PatienceOption = 8,
    seconds: SecondsOption = 1e9,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> None:
    """Train Fashion IQ's retriever in a loop with the frozen captioner, five turns a dialogue.

    Writes log.jsonl, checkpoints, figures.json and ship/ with the ONNX files of the retriever and of the attribute
    predictor.

    [bold]Examples[/]

      visavis train fashioniq --data products --vectors vectors --predictor run/attributes --captioner run/captioner --out run/fashioniq
    """  # noqa: E501
    try:
        from visavis.lab.training.fashioniq import KINDS, LOSSES, FashioniqSettings, run
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error
    _known(kind, tuple(KINDS))
    _known(loss, LOSSES)
    settings = FashioniqSettings(
        data, vectors, out, epochs, batch, limit, rate, patience, seconds, seed, device, predictor=predictor,
        captioner=captioner, towers=towers, other_captioner=other_captioner, kind=kind, attributes=attributes,
        catalogue=catalogue, openings=openings, loss=loss, layers=layers, steps=steps,
    )  # fmt: skip
    show_figures(run(settings, told_by(json)), out, json)


@train_app.command("single-turn")
def train_single_turn(
    data: DataOption,
    vectors: VectorsOption,
    predictor: PredictorOption,
    out: OutOption,
    models: Annotated[str, typer.Option(help="Which of Fashion IQ's Table 5.")] = "ABCDEF",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs at most.")] = 40,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of an epoch.")] = 20_000,
    batch: Annotated[int, typer.Option(min=2, help="Pairs of a step.")] = 256,
    limit: LimitOption = None,
    rate: Annotated[float, typer.Option(min=0, help="The learning rate.")] = 1e-3,
    patience: PatienceOption = 4,
    seconds: SecondsOption = 1e9,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = False,
) -> None:
    """Train Fashion IQ's single-turn retrievers: picture, attributes and one sentence, with and without gating.

    Nothing of them ships: figures.json has R@10 and R@50 by category.

    [bold]Examples[/]

      visavis train single-turn --data products --vectors vectors --predictor run/attributes --out run/single
    """
    try:
        from visavis.lab.networks.fashioniq import MODELS
        from visavis.lab.training.single_turn import SingleTurnSettings, run
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error
    for name in models:
        _known(name, tuple(MODELS))
    settings = SingleTurnSettings(
        data, vectors, out, epochs, batch, limit, rate, patience, seconds, seed, device, predictor=predictor,
        models=tuple(models), pairs=pairs,
    )  # fmt: skip
    show_figures(run(settings, told_by(json)), out, json)


def _known(value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadInputError(f"'{value}' is not known.", f"Use one of {', '.join(known)}.")
