"""Tables and sidecar files of metadata: which record describes which picture, and its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import basename, isabs, normpath, splitext
from typing import Any
from urllib.parse import unquote

from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.pictures.picture import AttributeValue, Details
from visavis.pictures.records import (
    JsonLinesTable,
    MetadataWarning,
    RecordFile,
    Table,
    Warn,
    flat_attributes,
    from_cell,
    texts_in,
    writable,
)

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
    """Normalise a column's name: no capitals, spaces and underscores."""
    return re.sub(r"[\W_]+", "", column).lower()


@dataclass(frozen=True)
class KeyColumn:
    """The column of a table that names the picture.

    Attributes:
        name: As the table spells it.
        is_stem: Whether it names the file without its suffix.
        folder: The base of relative paths.
    """

    name: str
    is_stem: bool
    folder: str

    @classmethod
    def among(cls, columns: Iterable[str], folder: Path) -> KeyColumn | None:
        """Return the best of a table's columns, or None where none names a picture."""
        names = {plain_name(name): name for name in reversed(list(columns))}
        for column in _FILE_COLUMNS + _STEM_COLUMNS:
            if column in names:
                return cls(names[column], column in _STEM_COLUMNS, folder.as_posix().rstrip("/") + "/")
        return None

    def key(self, value: object) -> str | None:
        """Return the key of the picture that a record names, or None."""
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
    """Return the key of a picture by its path below the table's folder."""
    return f"/{path}"


def stem_key(stem: str) -> str:
    """Return the key of a picture by its stem; leading zeros are dropped, since tables have 9 for 000009.jpg."""
    return f"*{stem.lstrip('0') or '0'}" if stem.isascii() and stem.isdigit() else f"*{stem}"


SIDECAR_KINDS: dict[str, Callable[[Path, str | None], RecordFile]] = {
    ".csv": Table,
    ".tsv": Table,
    ".jsonl": JsonLinesTable,
    ".ndjson": JsonLinesTable,
}
_CAPTION_COLUMNS = frozenset({"caption", "captions", "description", "sentence", "sentences", "alt", "alttext"})
_TITLE_COLUMNS = frozenset({"title", "headline", "name", "productname", "productdisplayname"})
#: After this many warnings the rest of a file's are only counted.
_MOST_WARNINGS = 20
#: Larger tables that lie in a folder are not read: a file of zeros may claim any size, and would take for ever.
_LARGEST_TABLE = 1 << 30
#: A picture with more records than this shares an id with something else.
_MOST_RECORDS = 50


def details_in(values: Mapping[str, Any], key: str | None = None, *, typed: bool = True) -> Details:
    """Return the captions and attributes of a record.

    Args:
        values: The record.
        key: The column that names the picture, which is not an attribute.
        typed: Whether the values have types (JSON) or are texts whose type is inferred (tables).
    """
    captions: list[str] = []
    rest: dict[str, Any] = {}
    title: AttributeValue | None = None
    for name, value in values.items():
        if name == key or not name:
            continue
        plain = plain_name(name)
        if plain in _CAPTION_COLUMNS:
            captions += texts_in(value)
        elif plain in _TITLE_COLUMNS and isinstance(value, str):
            title = title or writable(value).strip() or None
        elif plain == "attributes" and isinstance(value, Mapping):
            rest.update(value)
        else:
            rest[name] = value if typed else from_cell(value)
    attributes = flat_attributes(rest)
    return Details(tuple(dict.fromkeys(captions)), {"title": title, **attributes} if title else attributes)


class Sidecar:
    """A table of metadata. It keeps the offset of each record, not its values: a million records fit in memory."""

    def __init__(self, path: Path, warn: Warn, base: Path | None = None, root: str | None = None) -> None:
        self.path = path
        self._base = base or path.parent
        self._file = SIDECAR_KINDS[path.suffix.lower()](path, root)
        self._column: KeyColumn | None = None
        self._places: dict[str, tuple[int, ...]] = {}
        self._read(_WarningLimit(path, warn))

    def __bool__(self) -> bool:
        """Return whether it describes any picture."""
        return bool(self._places)

    def details_of(self, picture: Path) -> Details:
        """Return the details of a picture in this folder or below; it may have several records (one a caption)."""
        details = Details()
        key, offsets = self._find(picture)
        for offset in offsets:
            values = self._file.at(offset)
            if self._column is None or self._column.key(values.get(self._column.name)) != key:
                continue  # the table has changed since it was read
            found = details_in(values, self._column.name, typed=isinstance(self._file, JsonLinesTable))
            captions = tuple(dict.fromkeys((*details.captions, *found.captions)))
            details = Details(captions, {**details.attributes, **found.attributes})
        return details

    def _read(self, warnings: _WarningLimit) -> None:
        for record in self._file.records(warnings):
            self._column = self._column or KeyColumn.among(record.values, self._base)
            if self._column is None:
                return  # not a table of pictures
            key = self._column.key(record.values.get(self._column.name))
            if key is None:
                warnings(MetadataWarning(self.path, record.line, f"no picture is named under '{self._column.name}'"))
                continue
            places = self._places.get(key, ())
            if len(places) < _MOST_RECORDS:
                self._places[key] = (*places, record.offset)
        warnings.summarise()

    def _find(self, picture: Path) -> tuple[str, tuple[int, ...]]:
        """Return the key under which the table has a picture, and its offsets."""
        below = picture.is_relative_to(self._base)
        key = path_key(picture.relative_to(self._base).as_posix() if below else picture.name)
        if key not in self._places:
            # A bare name may also mean a picture in a subfolder, unless this folder has one of that name.
            bare = path_key(picture.name)
            known = bare in self._places and not (self._base / picture.name).exists()
            key = bare if known else stem_key(picture.stem)
        return key, self._places.get(key, ())


class _WarningLimit:
    """Forwards warnings up to a limit a file, then counts."""

    def __init__(self, path: Path, warn: Warn) -> None:
        self._path, self._warn = path, warn
        self._count = self._line = 0

    def __call__(self, warning: MetadataWarning) -> None:
        self._count += 1
        self._line = warning.line
        if self._count <= _MOST_WARNINGS:
            self._warn(warning)

    def summarise(self) -> None:
        if self._count > _MOST_WARNINGS:
            self._warn(
                MetadataWarning(self._path, self._line, f"{self._count - _MOST_WARNINGS} more warnings up to here")
            )


def sidecars_in(folder: Path, warn: Warn, root: str | None = None) -> Iterator[Sidecar]:
    """Yield the metadata tables in a folder, in the order of their names; none that links out of the root, if given."""
    try:
        names = sorted(path for path in folder.iterdir() if path.suffix.lower() in SIDECAR_KINDS)
    except OSError:
        return
    for path in names:
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            if path.stat().st_size > _LARGEST_TABLE:
                warn(MetadataWarning(path, 0, "it is larger than 1 GB, and is read only where it is indexed itself"))
                continue
            sidecar = Sidecar(path, warn, root=root)
        except OSError as error:
            warn(MetadataWarning(path, 0, f"it cannot be read ({(error.strerror or str(error)).lower()})"))
            continue
        if sidecar:
            yield sidecar
