"""One file of metadata beside pictures: which of its records speaks of which picture, and what it says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.pictures.picture import AttributeValue, Details
from visavis.pictures.records import JsonLines, MetadataWarning, RecordFile, Table, Warn
from visavis.pictures.values import flat_attributes, from_cell, texts_in

SIDECAR_KINDS: dict[str, Callable[[Path], RecordFile]] = {
    ".csv": Table,
    ".tsv": Table,
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
}
#: Columns that name the picture by its file, and by its file's name without the ending; capitals, spaces and
#: underscores do not count.
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
_CAPTION_COLUMNS = frozenset({"caption", "captions", "description", "sentence", "sentences", "alt", "alttext"})
_TITLE_COLUMNS = frozenset({"title", "headline", "name", "productname", "productdisplayname"})
#: After so many warnings a file is known to be bad.
_MOST_WARNINGS = 20


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
        plain = _plain(name)
        if plain in _CAPTION_COLUMNS:
            captions += texts_in(value)
        elif plain in _TITLE_COLUMNS and isinstance(value, str):
            title = title or value.strip() or None
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
        self._key: str | None = None
        self._by_file: dict[str, tuple[int, ...]] = {}
        self._by_stem: dict[str, tuple[int, ...]] = {}
        self._read(_Patience(path, warn))

    def __bool__(self) -> bool:
        """Whether it speaks of any picture at all."""
        return bool(self._by_file or self._by_stem)

    def details_of(self, picture: Path) -> Details:
        """What the records say of a picture in this folder or below; a picture may have several (one a caption)."""
        details = Details()
        for offset in self._offsets(picture):
            values = self._file.at(offset)
            found = details_in(values, self._key, typed=isinstance(self._file, JsonLines))
            captions = tuple(dict.fromkeys((*details.captions, *found.captions)))
            details = Details(captions, {**details.attributes, **found.attributes})
        return details

    def _read(self, patience: _Patience) -> None:
        offsets = (defaultdict[str, list[int]](list), defaultdict[str, list[int]](list))
        for record in self._file.records(patience):
            if self._key is None:
                self._key = _key_column(record.values)
                if self._key is None:
                    return  # a table of something else
            name = record.values.get(self._key)
            if not isinstance(name, (str, int)) or not str(name).strip():
                patience(MetadataWarning(self.path, record.line, f"no picture is named under '{self._key}'"))
                continue
            by_stem, key = _normal_key(str(name), self._base, _plain(self._key) in _STEM_COLUMNS)
            offsets[by_stem][key].append(record.offset)
        patience.sum_up()
        self._by_file, self._by_stem = ({key: tuple(places) for key, places in index.items()} for index in offsets)

    def _offsets(self, picture: Path) -> tuple[int, ...]:
        relative = picture.relative_to(self._base).as_posix() if picture.is_relative_to(self._base) else ""
        if relative in self._by_file:
            return self._by_file[relative]
        # A bare name may also mean a picture further down, unless there is one right here that it means.
        if picture.name in self._by_file and not (self._base / picture.name).exists():
            return self._by_file[picture.name]
        return self._by_stem.get(_normal_stem(picture.stem), ())


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


def _plain(column: str) -> str:
    return re.sub(r"[\W_]+", "", column).lower()


def _key_column(values: Mapping[str, Any]) -> str | None:
    """The column that names the picture, by the order of our preference."""
    names = {_plain(name): name for name in reversed(list(values))}
    return next((names[name] for name in _FILE_COLUMNS + _STEM_COLUMNS if name in names), None)


def _normal_key(name: str, folder: Path, is_stem: bool) -> tuple[bool, str]:
    """Whether a picture is named by its stem, and its name as it is looked up."""
    name = name.strip().replace("\\", "/")
    if "://" in name:
        name = PurePosixPath(unquote(urlsplit(name).path)).name
    path = PurePosixPath(name)
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        return True, _normal_stem(path.name)
    if is_stem:
        return True, _normal_stem(path.stem)
    if path.is_absolute():
        path = (
            path.relative_to(folder.as_posix()) if path.is_relative_to(folder.as_posix()) else PurePosixPath(path.name)
        )
    return False, path.as_posix()


def _normal_stem(stem: str) -> str:
    """Numbers without leading zeros: a table says 9 where the file is 000000009.jpg."""
    return (stem.lstrip("0") or "0") if stem.isascii() and stem.isdigit() else stem


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
