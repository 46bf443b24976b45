"""``visavis bench embed``: vectors of a data set as arrays, and where the protocol benchmarks find them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from visavis.cli.bench import bench_app
from visavis.cli.output import JsonOption, ProgressBars, print_json, stderr


@bench_app.command()
def embed(
    data: Annotated[Path, typer.Option(help="A folder with captions.jsonl or styles.csv, and pictures.")],
    out: Annotated[Path, typer.Option(help="Where the arrays go; a run that was stopped goes on from there.")],
    images: Annotated[Path | None, typer.Option(help="Its pictures, where they lie elsewhere.")] = None,
    name: Annotated[
        str, typer.Option("--encoder", "-e", help="builtin, folder:PATH or openclip:MODEL/PRETRAINED.")
    ] = "builtin",
    json: JsonOption = False,
) -> None:
    """Write the vectors of a data set as arrays, for the protocol benches and for your own experiments.

    ids.npy, whole.npy and regions.npy have a row a picture; texts.npy has a row a caption, and text_pictures.npy the
    place of its picture. A line of captions.jsonl is {"file": ..., "captions": [...]}, with "attributes" and "split"
    where there are any.

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
