"""``visavis edit``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from visavis.apps.cli.output import JsonOption, print_json, stderr
from visavis.errors import BadInputError, VisavisError

if TYPE_CHECKING:
    from visavis.editing.cutout.base import Cutter
    from visavis.editing.editor import EditResult
    from visavis.editing.files import OpenFile
    from visavis.editing.recipe import EditRecipe
    from visavis.encoders.base import Encoder


class NotSureError(VisavisError):
    """A named thing was not surely found, so nothing was written."""

    exit_code = 7


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(edit)


def edit(
    picture: Annotated[Path, typer.Argument(metavar="IN", help="The picture to start from; it is never changed.")],
    request: Annotated[str, typer.Argument(help="What to do, in words or as a command.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; the suffix names the format.")
    ] = None,
    commands: Annotated[
        Path | None, typer.Option("--commands", help="A file with one command a line, or a manifest to replay.")
    ] = None,
    keep_exif: Annotated[
        bool,
        typer.Option("--keep-exif/--strip-exif", help="Keep what the camera wrote (time, place), or leave it out."),
    ] = True,
    manifest: Annotated[Path | None, typer.Option(help="Also write how it was made, as JSON that replays.")] = None,
    cutter: Annotated[str | None, typer.Option(help="Who follows outlines: network, colour, u2netp or modnet.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Go on where a named thing was not surely found.")] = False,
    mask: Annotated[Path | None, typer.Option(help="Where to show a thing that was not surely found.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the output if it exists, even the picture itself.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Change a picture by words or commands and write the result to another file.

    What cannot be understood or done is refused, and then nothing is written.

    [bold]Examples[/]

      visavis edit photo.jpg "rotate 90 clockwise and raise contrast by 20" -o turned.jpg

      visavis edit photo.jpg "cut out the dog on the left" -o dog.png --mask found.png

      visavis edit photo.jpg "adjust_color skyblue 0.3 on sky" -o bluer.webp --strip-exif

      visavis edit next.jpg --commands photo.manifest.json -o next-edited.jpg --json
    """
    from visavis.editing.editor import Editor
    from visavis.editing.files import format_of, open_file, save_file
    from visavis.editing.manifest import describe

    started = time.perf_counter()
    recipe = _recipe(request, commands)
    if output is None:
        raise BadInputError("It is not said where to write.", "Give a file with -o, such as -o edited.jpg.")
    format_of(output)
    _refuse_overwriting(picture, [path for path in (output, manifest, mask) if path], force)
    source = open_file(picture)
    editor = Editor(_encoder_for(recipe), _cutter(cutter), resolve=lambda name: open_file(Path(name)).image)
    result = editor.edit(source.image, recipe.active, confirmed=yes)
    if not result.done:
        _ask(result, mask)
    save_file(result.image, output, exif=source.exif if keep_exif else b"")
    if manifest is not None:
        manifest.write_text(describe(result, editor, picture.name, source.sha256, source.id).to_json(), "utf-8")
    _report(result, output, time.perf_counter() - started, source, as_json=json)


def _recipe(request: str, commands: Path | None) -> EditRecipe:
    from visavis.editing.instructions import edits_from_file, edits_from_words

    if request and commands is not None:
        raise BadInputError("A request and a file of commands cannot be given together.", "Leave one of them out.")
    return edits_from_file(commands) if commands is not None else edits_from_words(request)


def _refuse_overwriting(picture: Path, outputs: list[Path], force: bool) -> None:
    for path in outputs:
        if path.exists() and not force:
            what = "is the picture itself" if path.samefile(picture) else "exists already"
            raise BadInputError(f"{path} {what}.", "Choose another file, or overwrite it with --force.")


def _encoder_for(recipe: EditRecipe) -> Encoder | None:
    """The built-in encoder when a thing has to be found by its name; loading it takes a second."""
    from visavis.editing.finding.phrases import names_a_thing

    if not any(names_a_thing(command.target) for command in recipe.active):
        return None
    from visavis.encoders import load_encoder

    return load_encoder()


def _cutter(name: str | None) -> Cutter | None:
    from visavis.editing.cutout.registry import cutter

    return cutter(name) if name else None


def _ask(result: EditResult, mask: Path | None) -> None:
    from visavis.editing.files import save_file

    shown = "Look at it with --mask FILE.png, then"
    if mask is not None and result.preview is not None:
        save_file(result.preview, mask)
        shown = f"What was found is shown in {mask};"
    found = result.located[-1]
    raise NotSureError(
        f"'{found.phrase}' was not surely found (confidence {found.confidence:.2f}); nothing was changed.",
        f"{shown} go on with --yes, or say more exactly what is meant.",
    )


def _report(result: EditResult, output: Path, seconds: float, source: OpenFile, *, as_json: bool) -> None:
    lines = [str(command) for command in result.applied]
    if as_json:
        print_json(
            {
                "commands": lines,
                "output": str(output),
                "size": list(result.image.size),
                "seconds": round(seconds, 3),
                "source": source.sha256,
                "located": [{"phrase": found.phrase, "confidence": found.confidence} for found in result.located],
            }
        )
        return
    for line in lines:
        stderr.print(f"  {line}", highlight=False, markup=False)
    typer.echo(f"{output}  {result.image.width} x {result.image.height}  {seconds:.2f} s")
