"""``visavis train attributes``, ``captioner``, ``fashioniq``, ``single-turn`` and ``mai``: retrievers of products."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from visavis.cli.train import training_extra
from visavis.cli.train.epochs import EpochOptions, Figures, LimitOption, Report, check_known, epoch_command

DataOption = Annotated[Path, Option(help="The folder of products, with styles.csv or Fashion IQ's files.")]
PredictorOption = Annotated[Path, Option(help="The run of visavis train attributes.")]
AttributesOption = Annotated[bool, Option(help="Whether attributes are read.")]
StepsOption = Annotated[int, Option(min=1, help="Steps of an epoch.")]
TowersOption = Annotated[Path | None, Option(help="Weights of the encoder; those that ship unless told.")]


@epoch_command("attributes", epochs=60, batch=512, rate=1e-3, patience=6)
def train_attributes(
    shared: EpochOptions,
    report: Report,
    data: DataOption,
    inner: Annotated[int, Option(min=1, help="Width of the head.")] = 256,
    least: Annotated[int, Option(min=1, help="Learn attributes that so many products have.")] = 40,
    limit: LimitOption = None,
) -> Figures:
    """Train the attribute predictor: texture, fabric, shape, part and style of products from their vectors.

    Labels are mined from styles.csv. The twentieth of the products that is held out is measured, never trained on.

    [bold]Examples[/]

      visavis bench embed --data products --out vectors && visavis train attributes --data products --vectors vectors --out run/attributes
    """  # noqa: E501
    with training_extra():
        from visavis.lab.training.attributes import AttributeSettings, run
    return run(AttributeSettings(data, **shared.settings(), limit=limit, inner=inner, least=least), report)


@epoch_command("captioner", epochs=60, batch=512, rate=3e-4, patience=5)
def train_captioner(
    shared: EpochOptions,
    report: Report,
    data: DataOption,
    captions: Annotated[Path, Option(help="The folder of Fashion IQ's files, with multiturn in it.")],
    predictor: PredictorOption,
    shoes: Annotated[Path | None, Option(help="The folder of the relative captions of shoes.")] = None,
    pictures: Annotated[
        list[Path] | None, Option(help="What bench embed wrote for Fashion IQ or Shoes, with their pictures.")
    ] = None,
    kind: Annotated[str, Option(help="transformer, or rnn for the captioner of Guo et al.")] = "transformer",
    attributes: AttributesOption = True,
    products: Annotated[float, Option(min=0, max=0.9, help="Share of pairs of products in a step.")] = 0.4,
    layers: Annotated[int, Option(min=1, help="Layers of the encoder, and of the decoder.")] = 6,
    steps: StepsOption = 100,
    limit: LimitOption = None,
    scored: Annotated[int | None, Option(min=1, help="Write captions of so many held-out pairs.")] = None,
) -> Figures:
    """Train the relative captioner, which is the simulated user: how one product differs from another, in words.

    Learns from real captions (attributes, and pictures with --pictures) and from pairs of products (pictures, captions
    made of the catalogue). Writes captions.json: captions of held-out real pairs, beside what people said.

    [bold]Examples[/]

      visavis train captioner --data products --vectors vectors --captions fashioniq --predictor run/attributes --out run/captioner
    """  # noqa: E501
    with training_extra():
        from visavis.lab.training.captioner import KINDS, CaptionerSettings, run
    check_known(kind, tuple(KINDS))
    settings = CaptionerSettings(
        data, **shared.settings(), limit=limit, captions=captions,
        predictor=predictor, shoes=shoes, pictures=tuple(pictures or ()), kind=kind, attributes=attributes,
        products=products, layers=layers, steps=steps, scored=scored,
    )  # fmt: skip
    return run(settings, report)


@epoch_command("fashioniq", epochs=60, batch=512, rate=3e-4, patience=8)
def train_fashioniq(
    shared: EpochOptions,
    report: Report,
    data: DataOption,
    predictor: PredictorOption,
    captioner: Annotated[Path, Option(help="The run of visavis train captioner.")],
    towers: TowersOption = None,
    other_captioner: Annotated[Path | None, Option(help="A second user for the figures.")] = None,
    kind: Annotated[str, Option(help="transformer, or rnn for the retriever of Guo et al.")] = "transformer",
    attributes: AttributesOption = True,
    catalogue: Annotated[float, Option(min=0, max=1, help="Share of feedback made of the catalogue.")] = 0.5,
    openings: Annotated[float, Option(min=0, max=1, help="Share that begins with a description.")] = 0.5,
    loss: Annotated[str, Option(help="triplet as in the paper, nce over the gallery, or both.")] = "both",
    layers: Annotated[int, Option(min=1, help="Layers.")] = 6,
    steps: StepsOption = 40,
    limit: LimitOption = None,
) -> Figures:
    """Train Fashion IQ's retriever in a loop with the frozen captioner, five turns a dialogue.

    Writes log.jsonl, checkpoints, figures.json and ship/ with the ONNX files of the retriever and of the attribute
    predictor.

    [bold]Examples[/]

      visavis train fashioniq --data products --vectors vectors --predictor run/attributes --captioner run/captioner --out run/fashioniq
    """  # noqa: E501
    with training_extra():
        from visavis.lab.training.fashioniq import KINDS, LOSSES, FashioniqSettings, run
    check_known(kind, tuple(KINDS))
    check_known(loss, LOSSES)
    settings = FashioniqSettings(
        data, **shared.settings(), limit=limit, predictor=predictor,
        captioner=captioner, towers=towers, other_captioner=other_captioner, kind=kind, attributes=attributes,
        catalogue=catalogue, openings=openings, loss=loss, layers=layers, steps=steps,
    )  # fmt: skip
    return run(settings, report)


@epoch_command("single-turn", epochs=40, batch=256, rate=1e-3, patience=4)
def train_single_turn(
    shared: EpochOptions,
    report: Report,
    data: DataOption,
    predictor: PredictorOption,
    models: Annotated[str, Option(help="Which of Fashion IQ's Table 5.")] = "ABCDEF",
    pairs: Annotated[int, Option(min=1, help="Pairs of an epoch.")] = 20_000,
    limit: LimitOption = None,
) -> Figures:
    """Train Fashion IQ's single-turn retrievers: picture, attributes and one sentence, with and without gating.

    Nothing of them ships: figures.json has R@10 and R@50 by category.

    [bold]Examples[/]

      visavis train single-turn --data products --vectors vectors --predictor run/attributes --out run/single
    """
    with training_extra():
        from visavis.lab.networks.fashioniq import MODELS
        from visavis.lab.training.single_turn import SingleTurnSettings, run
    for name in models:
        check_known(name, tuple(MODELS))
    settings = SingleTurnSettings(
        data, **shared.settings(), limit=limit, predictor=predictor,
        models=tuple(models), pairs=pairs,
    )  # fmt: skip
    return run(settings, report)


@epoch_command("mai", epochs=60, batch=256, rate=3e-4, patience=12)
def train_mai(
    shared: EpochOptions,
    report: Report,
    data: DataOption,
    sessions: Annotated[
        Path | None, Option(help="Sessions of FashionMT or MT-FashionIQ to train on; made from the data unless told.")
    ] = None,
    towers: Annotated[Path | None, Option(help="The encoder's folder; the one that ships unless told.")] = None,
    row: Annotated[list[str] | None, Option(help="Variants to train beside or instead of 'full'.")] = None,
    tokens: Annotated[int, Option(min=2, help="Learned tokens.")] = 32,
    made: Annotated[int, Option(min=2, help="Sessions to make for training.")] = 40_000,
    validated: Annotated[int, Option(min=2, help="Sessions to validate on, and as many to report.")] = 1000,
    each: Annotated[int, Option(min=2, help="Sessions of an epoch.")] = 10_000,
) -> Figures:
    """Train MAI: learned tokens of pictures and captions, kept from turn to turn, and the request.

    Products of the development part validate, those that are held out are reported; neither is trained on. Writes a
    folder a variant with log.jsonl and checkpoints, figures.json, and ship/ with the ONNX files of 'full'.

    [bold]Examples[/]

      visavis bench embed --data products --out vectors && visavis train mai --data products --vectors vectors --out run

      visavis train mai --data products --vectors vectors --out run --row full --row tsa --row no-captions --seconds 60
    """
    with training_extra():
        from visavis.lab.training.mai import MaiSettings, run
    from visavis.encoders.builtin import WEIGHTS

    settings = MaiSettings(
        data, **shared.settings(), towers=towers or WEIGHTS,
        sessions=sessions, rows=tuple(row or ("full",)), tokens=tokens, made=made, validated=validated, each=each,
    )  # fmt: skip
    return run(settings, report)
