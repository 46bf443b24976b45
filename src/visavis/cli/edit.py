"""``visavis edit``."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from visavis.cli.output import (
    ExifOption,
    JsonOption,
    PictureOutputOption,
    RecipeOutputOption,
    print_json,
    progress_bar,
    stderr,
)
from visavis.errors import BadInputError, StorageError, VisavisError

if TYPE_CHECKING:
    from PIL import Image

    from visavis.editing.cutout.cutters import Cutter
    from visavis.editing.editor import Editor, EditResult
    from visavis.editing.files import OpenFile
    from visavis.editing.recipe import EditRecipe
    from visavis.encoders.base import Encoder


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(edit)


def edit(
    arguments: Annotated[
        list[str],
        Argument(
            metavar="IN... [REQUEST]",
            help="The pictures to start from, which are never changed (- reads one from standard input), and then "
            "what to do, in words or as a command.",
        ),
    ],
    output: PictureOutputOption = "",
    commands: Annotated[
        Path | None, Option("--commands", help="A file with one command a line, or a manifest to replay.")
    ] = None,
    kind: Annotated[
        str, Option("--format", help="The format of files in a folder or on standard output: png, jpg, webp ...")
    ] = "",
    keep_exif: ExifOption = True,
    manifest: RecipeOutputOption = None,
    cutter: Annotated[
        str | None, Option(help="Who follows outlines: network, colour, u2netp, modnet, rembg:MODEL.")
    ] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Go on where a named thing was not surely found.")] = False,
    mask: Annotated[Path | None, Option(help="Where to show a thing that was not surely found.")] = None,
    force: Annotated[
        bool, Option("--force", help="Overwrite the output if it exists, even the picture itself.")
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
    from visavis.editing.cutout.cutters import cutter

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


#: Standard input and standard output in place of files.
STANDARD = "-"


@dataclass(frozen=True)
class EditJob:
    """One picture to edit.

    Attributes:
        source: Its path; ``-`` for standard input.
        output: Where the result goes: a file, a folder that the file's own name is kept in, or ``-``.
        into_folder: Whether ``output`` is a folder.
        format: The suffix to give a file in a folder, or what to send to standard output; the source's own when empty.
    """

    source: str
    output: str
    into_folder: bool = False
    format: str = ""

    def open(self) -> OpenFile:
        """The picture."""
        from visavis.editing.files import open_bytes, open_file

        if self.source == STANDARD:
            return open_bytes(sys.stdin.buffer.read(), "standard input")
        return open_file(Path(self.source))

    @property
    def name(self) -> str:
        """What the source is called."""
        return "standard input" if self.source == STANDARD else self.source

    def write(self, image: Image.Image, target: Path, exif: bytes) -> None:
        """Write a result to its file or to standard output."""
        from visavis.editing.files import encoded, save_file

        if self.output == STANDARD:
            sys.stdout.buffer.write(encoded(image, Path(f"x{self.format}"), exif=exif))
            sys.stdout.buffer.flush()
        else:
            save_file(image, target, exif=exif)

    def target(self, image: Image.Image) -> Path:
        """The file for a result; what has become transparent goes into a format that can keep that."""
        from visavis.editing.files import can_write, keeps_transparency

        if not self.into_folder:
            return Path(self.output)
        name = Path(self.source).name if self.source != STANDARD else "picture.png"
        suffix = self.format or (Path(name).suffix if can_write(Path(name)) else ".png")
        if not self.format and image.mode == "RGBA" and not keeps_transparency(Path(f"x{suffix}")):
            suffix = ".png"
        return Path(self.output) / Path(name).with_suffix(suffix)


def split_request(arguments: Sequence[str], commands: Path | None) -> tuple[list[str], str]:
    """The pictures and the request among the arguments: the request is the last, where no file of commands is given."""
    if commands is None:
        if len(arguments) == 1 or _is_file(arguments[-1]):
            raise BadInputError(
                f"It is not said what to do to {' '.join(arguments[:3])}.",
                'Say it at the end: visavis edit IN "rotate left" -o OUT',
            )
        return list(arguments[:-1]), arguments[-1]
    *_, last = arguments
    if len(arguments) > 1 and last != STANDARD and not _is_file(last):
        raise BadInputError(
            f"A request ('{last}') and a file of commands cannot be given together.", "Leave one of them out."
        )
    return list(arguments), ""


def make_jobs(sources: Sequence[str], output: str, kind: str = "") -> list[EditJob]:
    """One job a picture.

    Raises:
        BadInputError: It is not clear where the results should go.
    """
    from visavis.editing.files import format_of

    if not output:
        raise BadInputError("It is not said where to write.", "Give a file with -o, such as -o edited.jpg.")
    suffix = f".{kind.lower().removeprefix('.')}" if kind else ""
    if suffix:
        format_of(Path(f"x{suffix}"))
    if output == STANDARD:
        if len(sources) > 1:
            raise BadInputError("Several pictures cannot go to standard output.", "Give a folder with -o.")
        return [EditJob(sources[0], output, format=suffix or ".png")]
    folder = Path(output)
    if len(sources) == 1 and not folder.is_dir() and not output.endswith(("/", "\\")):
        if suffix:
            raise BadInputError("--format is for folders and standard output.", "The suffix of -o names the format.")
        format_of(folder)
        return [EditJob(sources[0], output)]
    _ensure_folder(folder)
    return [EditJob(source, output, into_folder=True, format=suffix) for source in sources]


def _ensure_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is a file, and several pictures need a folder.", "Give a folder with -o.")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"The folder {folder} cannot be made: {error.strerror or error}.", "Check that the folder around it exists."
        ) from error


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a sentence too long to be a path
        return False


class NotSureError(VisavisError):
    """A named thing was not surely found, so nothing was written."""

    exit_code = 7


@dataclass
class FileEdit:
    """The edits of a run and its options.

    Attributes:
        recipe: The edits.
        editor: Carries them out.
        keep_exif: Whether what the camera wrote is kept.
        confirmed: Whether to go on where a thing was not surely found.
        force: Whether files may be overwritten.
        manifest: Where to write how it was made.
        mask: Where to show what was not surely found.
        written: Files that this run has written; they are never overwritten.
    """

    recipe: EditRecipe
    editor: Editor
    keep_exif: bool
    confirmed: bool
    force: bool
    manifest: Path | None
    mask: Path | None
    written: set[Path] = field(default_factory=set)

    def do(self, job: EditJob) -> dict[str, Any]:
        """Edit one picture and write it; what is told of it in JSON."""
        started = time.perf_counter()
        if not job.into_folder and job.output != STANDARD:
            self._refuse_overwriting(job, [Path(job.output)])
        self._refuse_overwriting(job, [path for path in (self.manifest, self.mask) if path])
        source = job.open()
        result = self.editor.edit(source.image, self.recipe.active, confirmed=self.confirmed)
        if not result.done:
            _ask(result, self.mask)
        target = job.target(result.image)
        exif = source.exif if self.keep_exif else b""
        if job.output != STANDARD:
            self._refuse_overwriting(job, [target])
            self.written.add(target.resolve())
        job.write(result.image, target, exif)
        if self.manifest is not None:
            from visavis.editing.export import describe
            from visavis.editing.files import write_text

            made = describe(result, self.editor, Path(job.source).name, source.sha256, source.id)
            write_text(made.to_json(), self.manifest)
        return {
            "input": job.source,
            "commands": [str(command) for command in result.applied],
            "output": STANDARD if job.output == STANDARD else str(target),
            "size": list(result.image.size),
            "seconds": round(time.perf_counter() - started, 3),
            "source": source.sha256,
            "located": [{"phrase": found.phrase, "confidence": found.confidence} for found in result.located],
        }

    def _refuse_overwriting(self, job: EditJob, outputs: list[Path]) -> None:
        for path in outputs:
            if path.resolve() in self.written:
                raise BadInputError(f"{path} was just written from another picture.", "Use different folders for them.")
            if path.exists() and not self.force:
                own = Path(job.source).exists() and path.samefile(job.source)
                what = "is the picture itself" if own else "exists already"
                raise BadInputError(f"{path} {what}.", "Choose another file, or overwrite it with --force.")


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
