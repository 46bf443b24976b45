"""Which pictures ``visavis edit`` and ``visavis export`` start from, and where each result goes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.errors import BadInputError, StorageError

if TYPE_CHECKING:
    from PIL import Image

    from visavis.editing.files import OpenFile

#: Standard input and standard output in place of files.
STANDARD = "-"


@dataclass(frozen=True)
class Job:
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


def make_jobs(sources: Sequence[str], output: str, kind: str = "") -> list[Job]:
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
        return [Job(sources[0], output, format=suffix or ".png")]
    folder = Path(output)
    if len(sources) == 1 and not folder.is_dir() and not output.endswith(("/", "\\")):
        if suffix:
            raise BadInputError("--format is for folders and standard output.", "The suffix of -o names the format.")
        format_of(folder)
        return [Job(sources[0], output)]
    _ensure_folder(folder)
    return [Job(source, output, into_folder=True, format=suffix) for source in sources]


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
