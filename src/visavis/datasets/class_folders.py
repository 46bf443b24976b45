"""A folder with one folder a class, named after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from visavis.datasets.base import LabelledPicture, LabelledSet
from visavis.errors import BadInputError, NotFoundError
from visavis.pictures.formats import PICTURE_SUFFIXES

#: Folders of published sets (Caltech-101) that hold clutter and are no class.
_NOT_CLASSES = frozenset({"BACKGROUND_Google", "__MACOSX"})
_SPLITS = frozenset({"train", "training", "test", "testing", "val", "valid", "validation", "dev"})


def class_folders(folder: Path) -> list[Path]:
    """The folders that stand for classes: those that hold pictures, at any depth."""
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
    """A folder's name as words.

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
