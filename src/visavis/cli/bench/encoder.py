"""``visavis bench encoder``, ``embed``, ``match`` and ``captions``: scores of an encoder, vectors of a data set."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from typer import Option

from visavis.cli.bench import bench_app
from visavis.cli.output import HomeOption, JsonOption, ProgressBars, print_json, stderr, stdout
from visavis.errors import BadInputError

PicturesOption = Annotated[Path | None, Option(help="Its pictures, where they lie elsewhere.")]
EncoderOption = Annotated[str, Option("--encoder", "-e", help="builtin, folder:PATH or openclip:MODEL/PRETRAINED.")]


@bench_app.command()
def encoder(
    data: Annotated[Path | None, Option(help="The folder of a data set.")] = None,
    captions: Annotated[Path | None, Option(help="Its captions, where they lie elsewhere.")] = None,
    images: PicturesOption = None,
    split: Annotated[str | None, Option(help="The part to use, such as val or test.")] = None,
    name: EncoderOption = "builtin",
    limit: Annotated[int | None, Option(min=1, help="At most so many pictures, spread over the set.")] = None,
    least: Annotated[int, Option("--min-captions", min=1, help="Pictures with fewer do not ask.")] = 1,
    most: Annotated[int, Option("--max-captions", min=1, help="Only so many of a picture ask.")] = 5,
    cache: Annotated[bool, Option("--cache/--no-cache", help="Keep vectors, to go on where it stopped.")] = True,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Score an encoder: captions that find their pictures, or pictures that find their classes.

    With captions ({"file": ..., "captions": [...]} a line in captions.jsonl, COCO's, Flickr8k's, or product titles in
    styles.csv) it prints how often the right picture is among the first 1, 5 and 10 of the gallery. With one folder a
    class it prints how often a picture's class comes first. A larger gallery is harder: compare only equal sizes.

    [bold]Examples[/]

      visavis bench encoder --data photos

      visavis bench encoder --captions coco/captions.jsonl --images coco/train2017 --split val --min-captions 5 --json

      visavis bench encoder --data products --split val

      visavis bench encoder --data caltech-101 --limit 1000 --encoder openclip:ViT-B-32/laion2b_s34b_b79k
    """
    from visavis.encoders.registry import load_encoder
    from visavis.home import home_folder
    from visavis.lab.datasets.folders import open_dataset
    from visavis.lab.evaluation.encoder_scores import QueryCaptions, score_encoder

    if least > most:
        raise BadInputError(f"--min-captions {least} is more than --max-captions {most}.")
    opened = open_dataset(data, captions=captions, images=images, split=split).limited(limit)
    with ProgressBars(quiet=json) as bars:
        scores = score_encoder(
            load_encoder(name),
            opened,
            cache=home_folder(home) / "cache" / "vectors" if cache else None,
            questions=QueryCaptions(least, most),
            on_progress=bars.update,
        )
    if json:
        print_json(scores)
    else:
        _show(scores)


def _show(scores: dict[str, Any]) -> None:
    table = Table(title=f"{scores['encoder']} on {scores['data']}: {scores['task']}", title_justify="left")
    hidden = {"encoder", "data", "task", "seconds"}
    shown = {key: value for key, value in scores.items() if key not in hidden and (value or key in ("R@1", "accuracy"))}
    for key in shown:
        table.add_column(key.replace("_", " "), justify="right")
    table.add_row(*(f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" for value in shown.values()))
    stdout.print(table)
    stderr.print(f"[dim]{scores['seconds']:.1f} s[/]", highlight=False)


@bench_app.command()
def embed(
    data: Annotated[Path, Option(help="A folder with captions.jsonl or styles.csv, and pictures.")],
    out: Annotated[Path, Option(help="Where the arrays go; a run that was stopped goes on from there.")],
    images: PicturesOption = None,
    name: EncoderOption = "builtin",
    json: JsonOption = False,
) -> None:
    """Write the vectors of a data set as arrays, for the protocol benches and for your own experiments.

    ids.npy, whole.npy and regions.npy have a row a picture; texts.npy has a row a caption, and text_pictures.npy the
    place of its picture. A line of captions.jsonl is {"file": ..., "captions": [...]}, with "attributes" and "split"
    where there are any. Folders with the published files of Fashion IQ, Shoes and Visual Genome are read, too.

    [bold]Examples[/]

      visavis bench embed --data photos --out vectors/photos
    """
    from visavis.encoders.registry import load_encoder
    from visavis.lab.datasets.protocol import read_protocol_data
    from visavis.lab.evaluation.vectors import embed as write

    pictures = read_protocol_data(data, images)
    with ProgressBars(quiet=json) as bars:
        state = write(pictures, load_encoder(name), out, lambda done, total: bars.update("pictures", done, total))
    if json:
        print_json({"out": str(out), **state})
    else:
        stderr.print(f"{state['pictures']:,} pictures ({state['unreadable']:,} unreadable) in {out}", highlight=False)


def protocol_vectors(data: Path, embeddings: Path | None, home: Path | str | None, *, quiet: bool) -> Path:
    """Return the vectors of a data set: those named, those beside it, or new ones in the cache."""
    import hashlib

    from visavis.encoders.registry import load_encoder
    from visavis.home import home_folder
    from visavis.lab.datasets.protocol import read_protocol_data
    from visavis.lab.evaluation.vectors import embed as write

    if embeddings is not None:
        return embeddings
    if (beside := data / "embeddings.npz").is_file():
        return beside
    encoder = load_encoder()
    key = hashlib.blake2b(f"{data.absolute()}|{encoder.fingerprint}".encode(), digest_size=8).hexdigest()
    folder = home_folder(home) / "cache" / "embeddings" / f"{data.absolute().name}-{key}"
    with ProgressBars(quiet=quiet) as bars:
        write(read_protocol_data(data), encoder, folder, lambda done, total: bars.update("vectors", done, total))
    return folder


@bench_app.command()
def match(
    data: Annotated[Path, Option(help="The folder with coco/ and products/: texts, objects, attributes.")],
    vectors: Annotated[
        Path | None, Option(help="The folder with the vectors of pictures; made from --packs if it is not there.")
    ] = None,
    packs: Annotated[Path | None, Option(help="The folder with the packed pictures of COCO and products.")] = None,
    fit: Annotated[bool, Option("--fit", help="Make the reference and fit the regression anew.")] = False,
    out: Annotated[Path | None, Option(help="The folder where --fit writes; by default the package.")] = None,
    plot: Annotated[Path | None, Option(help="Write a reliability plot (SVG).")] = None,
    alone: Annotated[bool, Option("--alone", help="Measure without the reference.")] = False,
    elsewhere: Annotated[Path | None, Option(help="Texts about things that nothing shows.")] = None,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Measure the match probability on things that it was not fitted on, or fit it for the encoder that ships.

    Half of COCO's object classes, of the attributes' values and of the pictures are for fitting, the rest for
    measuring.

    [bold]Examples[/]

      visavis bench match --data data --packs packs --fit --elsewhere benchmarks/cutoff_texts.txt

      visavis bench match --data data --vectors vectors --json
    """
    from visavis.encoders.registry import load_encoder
    from visavis.home import home_folder
    from visavis.lab.evaluation.match_figures import bench_match
    from visavis.lab.evaluation.metrics import reliability_plot

    texts = elsewhere.read_text(encoding="utf-8").splitlines() if elsewhere else []
    encoder, part = load_encoder("builtin"), "alone" if alone else "with reference"
    folder = vectors or home_folder(home) / "cache" / "match" / re.sub(r"[^A-Za-z0-9._-]", "_", encoder.fingerprint)
    figures = bench_match(encoder, data, folder, packs, texts, fitting=fit, out=out, part=part)
    if plot:
        kinds = {"objects": "object", "attributes": "attribute", "colour and kind": "pair", "drawings": "drawn"}
        reliability_plot({name: figures[kind]["reliability"] for name, kind in kinds.items()}, plot)
    if json:
        print_json(figures)
        return
    table = Table("texts", "number", "something shown", "mean AP", "ECE", "count error", "precision", "recall")
    excluded = figures.pop("exclusion")
    for kind, row in figures.items():
        table.add_row(
            kind,
            *(str(row.get(name, "")) for name in ("texts", "shown", "mean AP", "ECE", "count error")),
            *(str(row.get(name, "")) for name in ("precision", "recall")),
        )
    stdout.print(table)
    table = Table("avoided", "left out", "wrongly left out", "left out though no caption speaks of it")
    for thing, shares in excluded.items():
        table.add_row(thing, *(f"{share:.1%}" for share in shares))
    stdout.print(table)


@bench_app.command()
def captions(
    file: Annotated[Path, Option(help="captions.json of visavis train captioner.")], json: JsonOption = False
) -> None:
    """Score relative captions against real ones: BLEU-4, ROUGE-L, CIDEr (pycocoevalcap and Java).

    [bold]Examples[/]

      visavis bench captions --file run/captioner/captions.json
    """
    from visavis.lab.evaluation.metrics import caption_scores, read_captions

    found = caption_scores(read_captions(file))
    if json:
        print_json(found)
        return
    table = Table(title=str(file))
    for column in ("decoded", "of", "pairs", "BLEU-4", "ROUGE-L", "CIDEr", "distinct %"):
        table.add_column(column)
    for way, parts in found.items():
        for category, scores in parts.items():
            table.add_row(way, category, *(f"{value:g}" for value in scores.values()))
    stdout.print(table)
