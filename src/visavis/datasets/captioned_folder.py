"""A folder of pictures with a JSONL file of captions beside them: ``{"file": ..., "captions": [...]}``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from visavis.datasets.base import CaptionedPicture, CaptionedSet, captioned_set
from visavis.datasets.lines import read_json_lines
from visavis.errors import BadInputError

#: Names of the caption file, in the order in which they are looked for; the second is that of the demo collection.
CAPTION_FILES = ("captions.jsonl", "catalogue.jsonl", "metadata.jsonl")
_FILE_KEYS = ("file", "file_name", "path")
_CAPTION_KEYS = ("captions", "caption", "text")


def caption_file(folder: Path) -> Path | None:
    """The caption file of a folder, when it has one."""
    return next((folder / name for name in CAPTION_FILES if (folder / name).is_file()), None)


def read_captioned_folder(captions: Path, images: Path | None = None) -> CaptionedSet:
    """Read a caption file; file names are relative to ``images``, which is its own folder unless told."""
    folder = images or captions.parent
    pictures = [
        CaptionedPicture(folder / _file_name(record, captions, line), _captions(record, captions, line))
        for line, record in read_json_lines(captions)
    ]
    return captioned_set(folder.absolute().name, pictures, folder)


def _file_name(record: dict[str, Any], path: Path, line: int) -> str:
    name = next((record[key] for key in _FILE_KEYS if key in record), None)
    if not isinstance(name, str) or not name:
        raise BadInputError(f"{path}, line {line}: there is no 'file'.", 'Each line needs "file" and "captions".')
    return name


def _captions(record: dict[str, Any], path: Path, line: int) -> tuple[str, ...]:
    given = next((record[key] for key in _CAPTION_KEYS if key in record), None)
    captions = [given] if isinstance(given, str) else given
    if not isinstance(captions, list) or not all(isinstance(caption, str) for caption in captions):
        raise BadInputError(f"{path}, line {line}: 'captions' is no list of texts.")
    return tuple(caption for caption in captions if caption.strip())
