"""``visavis export``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from visavis.cli.edit import STANDARD, make_jobs
from visavis.cli.output import (
    CollectionOption,
    ExifOption,
    HomeOption,
    JsonOption,
    PictureOutputOption,
    RecipeOutputOption,
    print_json,
    stderr,
)
from visavis.errors import BadInputError, VisavisError

if TYPE_CHECKING:
    from visavis.api import Collection
    from visavis.editing.editor import Editor
    from visavis.editing.export import EditorFor, Exported
    from visavis.encoders.base import Encoder


class OtherPixelsError(VisavisError):
    """A replay gave other pixels than the manifest records."""

    exit_code = 8


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(export)


def export(
    output: PictureOutputOption,
    collection: CollectionOption = "",
    picture: Annotated[str, Option(help="The picture's id, or its first letters.")] = "",
    conversation: Annotated[str, Option(help="Take the picture that this conversation has in hand.")] = "",
    manifest: RecipeOutputOption = None,
    replay: Annotated[Path | None, Option(help="Make the picture of a manifest again, and check it.")] = None,
    source: Annotated[
        Path | None, Option(help="With --replay: the original, where it is not beside the manifest.")
    ] = None,
    keep_exif: ExifOption = True,
    force: Annotated[bool, Option("--force", help="Overwrite files that exist.")] = False,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Write a picture in full size: its edits are carried out anew on the original file.

    A replay whose pixels differ from the manifest's is refused with exit code 8.

    [bold]Examples[/]

      visavis export -c photos --conversation "blue dress" -o dress.png --manifest dress.json

      visavis export -c photos --picture 3f2a -o cropped.jpg --strip-exif

      visavis export -c photos --picture 3f2a -o - > cropped.png

      visavis export --replay dress.json -c photos -o again.png

      visavis export --replay dress.json --source original.jpg -o again.png
    """
    from visavis.api import open_collection
    from visavis.editing.files import write_text

    started = time.perf_counter()
    _check(collection, picture, conversation, replay)
    (job,) = make_jobs([""], output)
    if json and job.output == STANDARD:
        raise BadInputError("The picture and JSON cannot both go to standard output.", "Give a file with -o.")
    files = [] if job.into_folder or job.output == STANDARD else [Path(output)]
    _refuse_overwriting([*files, *([manifest] if manifest else [])], force)
    if collection:
        with open_collection(collection, home) as opened:
            made = _from_collection(opened, picture, conversation, replay, source)
    else:
        assert replay is not None, "checked above"
        made = _replayed(replay, source, None)
    job = replace(job, source=made.manifest.source or "picture.png")
    target = job.target(made.image)
    if job.into_folder:
        _refuse_overwriting([target], force)
    job.write(made.image, target, made.exif if keep_exif else b"")
    if manifest is not None:
        write_text(made.manifest.to_json(), manifest)
    _report(made, target, time.perf_counter() - started, as_json=json)


def _check(collection: str, picture: str, conversation: str, replay: Path | None) -> None:
    chosen = [
        name for name, value in (("picture", picture), ("conversation", conversation), ("replay", replay)) if value
    ]
    if len(chosen) != 1:
        told = f"Both --{chosen[0]} and --{chosen[1]} are given." if chosen else "It is not said which picture."
        raise BadInputError(told, "Give one of --picture ID, --conversation NAME or --replay MANIFEST.")
    if not collection and replay is None:
        raise BadInputError("It is not said from which collection.", "Give its name with --collection.")


def _refuse_overwriting(outputs: Sequence[Path], force: bool) -> None:
    for path in outputs:
        if path.exists() and not force:
            raise BadInputError(f"{path} exists already.", "Choose another file, or overwrite it with --force.")


def _from_collection(
    opened: Collection, picture: str, conversation: str, replay: Path | None, source: Path | None
) -> Exported:
    from visavis.editing.export import export_picture

    if replay is not None:
        return _replayed(replay, source, opened)
    return export_picture(opened, picture or _in_hand(opened, conversation), _editors(opened))


def _in_hand(opened: Collection, conversation: str) -> str:
    from visavis.conversation.memory import Memory

    found = Memory(opened.catalogue).load(conversation).last.reference
    if found is None:
        raise BadInputError(f"The conversation '{conversation}' has no picture in hand.", "Give one with --picture.")
    return found


def _replayed(replay: Path, source: Path | None, opened: Collection | None) -> Exported:
    from visavis.editing.export import read_manifest, replay_manifest, source_in

    wanted = read_manifest(replay)
    beside = replay.parent / Path(wanted.source).name
    if source is None and opened is not None:
        source = source_in(opened, wanted)
    elif source is None and wanted.source and beside.is_file():
        source = beside
    if source is None:
        raise BadInputError(
            f"The original of the manifest, {wanted.source}, is not beside it.",
            "Give it with --source or --collection.",
        )
    made = replay_manifest(wanted, source, _editors(opened))
    if not made.as_before:
        raise OtherPixelsError(
            f"The result differs from the one of {replay}; nothing was written.",
            f"It was made by visavis {wanted.visavis} with the cutter '{wanted.cutter}'. "
            "To have it all the same: visavis edit PICTURE --commands MANIFEST -o OUT",
        )
    return made


def _editors(opened: Collection | None) -> EditorFor:
    """Editors that know the collection's pictures, and load an encoder only for commands that name a thing."""

    def editor_for(commands: Sequence[str]) -> Editor:
        from visavis.editing.editor import Editor
        from visavis.editing.export import collection_pictures
        from visavis.editing.files import open_file
        from visavis.editing.pipeline import needs_encoder, read_commands

        encoder: Encoder | None = None
        if any(map(needs_encoder, read_commands(commands))):
            encoder = opened.encoder if opened is not None else _built_in()
        resolve = collection_pictures(opened) if opened is not None else lambda name: open_file(Path(name)).image
        return Editor(encoder, resolve=resolve)

    return editor_for


def _built_in() -> Encoder:
    from visavis.encoders import load_encoder

    return load_encoder()


def _report(made: Exported, output: Path, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "output": str(output),
                "size": list(made.image.size),
                "commands": list(made.manifest.commands),
                "source": made.manifest.source,
                "pixels_sha256": made.manifest.pixels_sha256,
                "as_before": made.as_before,
                "seconds": round(seconds, 3),
            }
        )
        return
    for line in made.manifest.commands:
        stderr.print(f"  {line}", highlight=False, markup=False)
    if not made.as_before:
        stderr.print("[yellow]The pixels differ from what was shown: visavis has changed since.[/]", highlight=False)
    if str(output) != STANDARD:
        typer.echo(f"{output}  {made.image.width} x {made.image.height}  {seconds:.2f} s")
