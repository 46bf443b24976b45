"""Folders as data sets: one folder a class, or pictures with a JSONL file of captions; and line readers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import CaptionedPicture, CaptionedSet, LabelledPicture, LabelledSet, captioned_set
from visavis.pictures.formats import PICTURE_SUFFIXES

#: Folders of published sets (Caltech-101) that are not classes.
_NOT_CLASSES = frozenset({"BACKGROUND_Google", "__MACOSX"})
_SPLITS = frozenset({"train", "training", "test", "testing", "val", "valid", "validation", "dev"})


def class_folders(folder: Path) -> list[Path]:
    """Return the class folders: those with pictures, at any depth."""
    found = (p for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".") and p.name not in _NOT_CLASSES)
    return sorted(place for place in found if any(_pictures(place)))


def read_class_folders(folder: Path, split: str | None = None) -> LabelledSet:
    """Read the classes, and their pictures at any depth; ``split`` names a folder between (``test``, ``val``)."""
    place = folder / split if split else folder
    if not place.is_dir():
        raise NotFoundError(f"There is no folder {place}.")
    folders = class_folders(place)
    if len(folders) < 2:
        raise BadInputError(f"{place} has {len(folders)} folders with pictures; at least two classes are needed.")
    if not split and {where.name.lower() for where in folders} <= _SPLITS:
        raise BadInputError(f"{place} has splits, not classes.", f"Choose one with --split {folders[0].name}.")
    pictures = (LabelledPicture(path, label) for label, where in enumerate(folders) for path in _pictures(where))
    in_order = tuple(sorted(pictures, key=lambda picture: (picture.label, picture.path)))
    name = f"{folder.absolute().name} {split}" if split else folder.absolute().name
    return LabelledSet(name, tuple(class_name(where.name) for where in folders), in_order)


def class_name(folder: str) -> str:
    """Convert a folder's name to words.

    >>> class_name("Golden_Retriever-2"), class_name("n02084071-golden_retriever"), class_name("t-shirt")
    ('golden retriever', 'golden retriever', 't-shirt')
    """
    name = re.sub(r"^n\d{8}[-_. ]", "", folder)
    name = re.sub(r"[-_. ]\d+$", "", re.sub(r"^\d+[-_. ]+", "", name))
    return re.sub(r"[_\s]+", " ", name).strip().lower() or folder


def _pictures(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix.lower() in PICTURE_SUFFIXES and not path.name.startswith("."):
            yield path


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file that are not blank, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text ({error}).") from error


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSONL file, with their line numbers."""
    for number, line in read_lines(path):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise BadInputError(f"{path}, line {number}: this is not JSON ({error}).") from error
        if not isinstance(value, dict):
            raise BadInputError(f"{path}, line {number}: an object is expected, not a {type(value).__name__}.")
        yield number, value


#: Names of the caption file, by preference; the second is that of the demo collection.
CAPTION_FILES = ("captions.jsonl", "catalogue.jsonl", "metadata.jsonl")
_FILE_KEYS = ("file", "file_name", "path")
_CAPTION_KEYS = ("captions", "caption", "text")


def caption_file(folder: Path) -> Path | None:
    """Return the caption file of a folder, if any."""
    return next((folder / name for name in CAPTION_FILES if (folder / name).is_file()), None)


def read_captioned_folder(captions: Path, images: Path | None = None) -> CaptionedSet:
    """Read a caption file; file names are relative to ``images``, by default its own folder."""
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
