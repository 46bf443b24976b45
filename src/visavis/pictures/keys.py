"""How a table names a picture: by its file's path, in one of many spellings, or by its name without the ending."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from posixpath import basename, isabs, normpath, splitext
from urllib.parse import unquote

from visavis.pictures.formats import PICTURE_SUFFIXES

#: Columns that name the file, and columns that name its stem, by preference; see `plain_name` for their spelling.
_FILE_COLUMNS = (
    "file",
    "filename",
    "filepath",
    "path",
    "image",
    "imagefile",
    "imagepath",
    "imagename",
    "img",
    "picture",
)
_STEM_COLUMNS = ("id", "imageid", "pictureid", "stem")


def plain_name(column: str) -> str:
    """The name of a column without capitals, spaces and underscores: nobody spells them the same."""
    return re.sub(r"[\W_]+", "", column).lower()


@dataclass(frozen=True)
class KeyColumn:
    """The column of a table that names the picture.

    Attributes:
        name: As the table spells it.
        is_stem: Whether it names the file without its ending.
        folder: What paths are relative to.
    """

    name: str
    is_stem: bool
    folder: str

    @classmethod
    def among(cls, columns: Iterable[str], folder: Path) -> KeyColumn | None:
        """The best one of a table's columns, or None for a table of something else."""
        names = {plain_name(name): name for name in reversed(list(columns))}
        for column in _FILE_COLUMNS + _STEM_COLUMNS:
            if column in names:
                return cls(names[column], column in _STEM_COLUMNS, folder.as_posix().rstrip("/") + "/")
        return None

    def key(self, value: object) -> str | None:
        """The key of the picture that a record names, or None where it names none."""
        name = str(value).strip().replace("\\", "/") if isinstance(value, (str, int)) else ""
        if not name:
            return None
        if "://" in name:
            name = unquote(basename(re.split(r"[?#]", name, maxsplit=1)[0]))
        stem, suffix = splitext(basename(name))
        if suffix.lower() not in PICTURE_SUFFIXES:
            return stem_key(basename(name))
        if self.is_stem:
            return stem_key(stem)
        if isabs(name):
            name = name.removeprefix(self.folder) if name.startswith(self.folder) else basename(name)
        return path_key(normpath(name))


def path_key(path: str) -> str:
    """The key of a picture by its path below the table's folder."""
    return f"/{path}"


def stem_key(stem: str) -> str:
    """The key of a picture by its stem; numbers lose leading zeros, as a table says 9 where the file is 000009.jpg."""
    return f"*{stem.lstrip('0') or '0'}" if stem.isascii() and stem.isdigit() else f"*{stem}"
