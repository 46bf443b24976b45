"""One file of metadata beside pictures: which of its records speaks of which picture, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from visavis.pictures.keys import KeyColumn, path_key, plain_name, stem_key
from visavis.pictures.picture import AttributeValue, Details
from visavis.pictures.records import JsonLines, MetadataWarning, RecordFile, Table, Warn
from visavis.pictures.values import flat_attributes, from_cell, texts_in, writable

SIDECAR_KINDS: dict[str, Callable[[Path], RecordFile]] = {
    ".csv": Table,
    ".tsv": Table,
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
}
_CAPTION_COLUMNS = frozenset({"caption", "captions", "description", "sentence", "sentences", "alt", "alttext"})
_TITLE_COLUMNS = frozenset({"title", "headline", "name", "productname", "productdisplayname"})
#: After so many warnings a file is known to be bad.
_MOST_WARNINGS = 20
#: A picture with more records than this shares an id with something else.
_MOST_RECORDS = 50


def details_in(values: Mapping[str, Any], key: str | None = None, *, typed: bool = True) -> Details:
    """The captions and attributes of a record.

    Args:
        values: The record.
        key: The column that names the picture, which is no attribute.
        typed: Whether the values have kinds (JSON) or are texts whose kind must be guessed (tables).
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
    """A table of metadata. It keeps where each record lies, not what it says: a million records fit in memory."""

    def __init__(self, path: Path, warn: Warn, base: Path | None = None) -> None:
        self.path = path
        self._base = base or path.parent
        self._file = SIDECAR_KINDS[path.suffix.lower()](path)
        self._column: KeyColumn | None = None
        self._places: dict[str, tuple[int, ...]] = {}
        self._read(_Patience(path, warn))

    def __bool__(self) -> bool:
        """Whether it speaks of any picture at all."""
        return bool(self._places)

    def details_of(self, picture: Path) -> Details:
        """What the records say of a picture in this folder or below; a picture may have several (one a caption)."""
        details = Details()
        key, offsets = self._find(picture)
        for offset in offsets:
            values = self._file.at(offset)
            if self._column is None or self._column.key(values.get(self._column.name)) != key:
                continue  # the table was changed since it was read
            found = details_in(values, self._column.name, typed=isinstance(self._file, JsonLines))
            captions = tuple(dict.fromkeys((*details.captions, *found.captions)))
            details = Details(captions, {**details.attributes, **found.attributes})
        return details

    def _read(self, patience: _Patience) -> None:
        for record in self._file.records(patience):
            self._column = self._column or KeyColumn.among(record.values, self._base)
            if self._column is None:
                return  # a table of something else
            key = self._column.key(record.values.get(self._column.name))
            if key is None:
                patience(MetadataWarning(self.path, record.line, f"no picture is named under '{self._column.name}'"))
                continue
            places = self._places.get(key, ())
            if len(places) < _MOST_RECORDS:
                self._places[key] = (*places, record.offset)
        patience.sum_up()

    def _find(self, picture: Path) -> tuple[str, tuple[int, ...]]:
        """Under which name the table has a picture, and where."""
        below = picture.is_relative_to(self._base)
        key = path_key(picture.relative_to(self._base).as_posix() if below else picture.name)
        if key not in self._places:
            # A bare name may also mean a picture further down, unless there is one right here that it means.
            bare = path_key(picture.name)
            known = bare in self._places and not (self._base / picture.name).exists()
            key = bare if known else stem_key(picture.stem)
        return key, self._places.get(key, ())


class _Patience:
    """Passes warnings on until there are too many of one file, then counts."""

    def __init__(self, path: Path, warn: Warn) -> None:
        self._path, self._warn = path, warn
        self._count = self._line = 0

    def __call__(self, warning: MetadataWarning) -> None:
        self._count += 1
        self._line = warning.line
        if self._count <= _MOST_WARNINGS:
            self._warn(warning)

    def sum_up(self) -> None:
        if self._count > _MOST_WARNINGS:
            self._warn(
                MetadataWarning(self._path, self._line, f"{self._count - _MOST_WARNINGS} more warnings up to here")
            )


def sidecars_in(folder: Path, warn: Warn) -> Iterator[Sidecar]:
    """The files of metadata that lie in a folder, in the order of their names."""
    try:
        names = sorted(path for path in folder.iterdir() if path.suffix.lower() in SIDECAR_KINDS)
    except OSError:
        return
    for path in names:
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            sidecar = Sidecar(path, warn)
        except OSError as error:
            warn(MetadataWarning(path, 0, f"it cannot be read ({(error.strerror or str(error)).lower()})"))
            continue
        if sidecar:
            yield sidecar
