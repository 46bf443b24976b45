"""``visavis edit``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from visavis.cli.edit_jobs import STANDARD, EditJob, make_jobs, split_request
from visavis.cli.output import JsonOption, PictureOutputOption, print_json, progress_bar, stderr
from visavis.errors import BadInputError, VisavisError

if TYPE_CHECKING:
    from visavis.cli.edit_jobs import FileEdit
    from visavis.editing.cutout.base import Cutter
    from visavis.editing.recipe import EditRecipe
    from visavis.encoders.base import Encoder


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(edit)


def edit(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="IN... [REQUEST]",
            help="The pictures to start from, which are never changed (- reads one from standard input), and then "
            "what to do, in words or as a command.",
        ),
    ],
    output: PictureOutputOption = "",
    commands: Annotated[
        Path | None, typer.Option("--commands", help="A file with one command a line, or a manifest to replay.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--format", help="The format of files in a folder or on standard output: png, jpg, webp ...")
    ] = "",
    keep_exif: Annotated[
        bool,
        typer.Option("--keep-exif/--strip-exif", help="Keep what the camera wrote (time, place), or leave it out."),
    ] = True,
    manifest: Annotated[Path | None, typer.Option(help="Also write how it was made, as JSON that replays.")] = None,
    cutter: Annotated[
        str | None, typer.Option(help="Who follows outlines: network, colour, u2netp, modnet, rembg:MODEL.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Go on where a named thing was not surely found.")] = False,
    mask: Annotated[Path | None, typer.Option(help="Where to show a thing that was not surely found.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the output if it exists, even the picture itself.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Change pictures by words or commands and write the results to other files.

    What cannot be understood or done is refused, and then nothing is written. Of several pictures those that fail are
    told, the others are written, and the exit code is that of the first failure; --json prints one line for each.

    [bold]Examples[/]

      visavis edit photo.jpg "rotate 90 clockwise and raise contrast by 20" -o turned.jpg

      visavis edit photo.jpg "cut out the dog on the left" -o dog.png --mask found.png

      visavis edit photo.jpg "adjust_color skyblue 0.3 on sky" -o bluer.webp --strip-exif

      visavis edit holiday/*.jpg "resize to 1600 pixels wide" -o smaller/

      visavis edit next.jpg --commands photo.manifest.json -o next-edited.jpg --json

      curl -s https://example.org/a.jpg | visavis edit - "black and white" -o - > grey.png
    """
    from visavis.cli.edit_jobs import FileEdit
    from visavis.editing.editor import Editor
    from visavis.editing.files import open_file

    sources, request = split_request(arguments, commands)
    recipe = _recipe(request, commands)
    jobs = make_jobs(sources, output, kind)
    if len(jobs) > 1 and (manifest or mask):
        raise BadInputError("--manifest and --mask are for one picture.", "Leave them out, or edit one at a time.")
    if json and output == STANDARD:
        raise BadInputError("The picture and JSON cannot both go to standard output.", "Give a file with -o.")
    editor = Editor(_encoder_for(recipe), _cutter(cutter), resolve=lambda name: open_file(Path(name)).image)
    work = FileEdit(recipe, editor, keep_exif=keep_exif, confirmed=yes, force=force, manifest=manifest, mask=mask)
    if len(jobs) == 1:
        _report(work.do(jobs[0]), as_json=json)
        return
    _batch(jobs, work, as_json=json)


def _batch(jobs: Sequence[EditJob], work: FileEdit, *, as_json: bool) -> None:
    """Edit many pictures; a failure does not stop the others."""
    failures: list[VisavisError] = []
    bar = progress_bar("pictures") if stderr.is_terminal and not as_json else None
    with bar or nullcontext():
        task = bar.add_task("editing", total=len(jobs), rate="") if bar else None
        for job in jobs:
            try:
                told = work.do(job)
            except VisavisError as error:
                failures.append(error)
                told = {"input": job.source, "error": error.message, "remedy": error.remedy}
                if not as_json:
                    named = "" if job.source in error.message else f"{job.name}: "
                    stderr.print(f"{named}{error}", style="yellow", highlight=False, markup=False)
            if as_json:
                print_json(told)
            elif "output" in told:
                typer.echo(told["output"])
            if bar and task is not None:
                bar.advance(task)
    if not as_json:
        stderr.print(f"{len(jobs) - len(failures)} edited, {len(failures)} failed.", highlight=False)
    if failures:
        raise typer.Exit(failures[0].exit_code)


def _recipe(request: str, commands: Path | None) -> EditRecipe:
    from visavis.editing.instructions import edits_from_file, edits_from_words

    return edits_from_file(commands) if commands is not None else edits_from_words(request)


def _encoder_for(recipe: EditRecipe) -> Encoder | None:
    """The built-in encoder when a thing has to be found by its name; loading it takes a second."""
    from visavis.editing.pipeline import needs_encoder

    if not any(map(needs_encoder, recipe.active)):
        return None
    from visavis.encoders import load_encoder

    return load_encoder()


def _cutter(name: str | None) -> Cutter | None:
    from visavis.editing.cutout.registry import cutter

    return cutter(name) if name else None


def _report(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    for line in told["commands"]:
        stderr.print(f"  {line}", highlight=False, markup=False)
    if told["output"] != STANDARD:
        width, height = told["size"]
        typer.echo(f"{told['output']}  {width} x {height}  {told['seconds']:.2f} s")
