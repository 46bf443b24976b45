"""Candidates from a catalogue file (CSV, TSV, JSON lines, Parquet): its rows and the meaning of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from visavis.collections.sources.candidates import Candidate, canonical_path, stamp_of, unusable_name
from visavis.collections.sources.links import is_link
from visavis.collections.sources.parquet_file import parquet_rows
from visavis.errors import BadInputError, NotFoundError
from visavis.logs import line_logger
from visavis.pictures.picture import Details
from visavis.pictures.reader import is_inside, real_root
from visavis.pictures.records import (
    JsonLinesTable,
    RecordFile,
    Table,
    attribute_name,
    flat_attributes,
    from_cell,
    texts_in,
)

logger = line_logger(__name__)

Row = dict[str, Any]
_TABLES = frozenset({".csv", ".tsv"})
#: Suffixes of catalogue files.
SUFFIXES = _TABLES | {".jsonl", ".ndjson", ".parquet"}


def is_catalogue_file(path: Path) -> bool:
    """Return whether a file lists pictures rather than being one."""
    return path.suffix.lower() in SUFFIXES


def holds_texts(path: Path) -> bool:
    """Return whether every value is a text, so that numbers have to be inferred."""
    return path.suffix.lower() in _TABLES


def read_rows(path: Path, *, quiet: bool = False) -> Iterator[tuple[int, Row]]:
    """Yield each row with its line (its number in a Parquet file); broken lines are skipped, with a log line."""
    if not path.is_file():
        raise NotFoundError(f"There is no file {path}.", "Check the path.")
    if path.suffix.lower() == ".parquet":
        yield from parquet_rows(path)
        return
    try:
        file: RecordFile = Table(path) if holds_texts(path) else JsonLinesTable(path)
        for record in file.records((lambda _: None) if quiet else (lambda warning: logger.warning("%s", warning))):
            yield record.line, record.values
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.", "Check its rights.") from error


#: Column names with a known meaning, the surest first; compared without case and punctuation.
_PICTURE = (
    "path", "file", "filename", "filepath", "image", "imagepath", "imagefile", "img", "imgpath", "picture", "photo",
    "url", "imageurl", "imgurl", "pictureurl", "photourl", "link", "imagelink", "src", "imagesrc",
)  # fmt: skip
_CAPTION = frozenset({"caption", "captions", "sentence", "sentences", "description", "alt", "alttext", "text"})
_TITLE = ("title", "productdisplayname", "productname", "producttitle", "name", "headline")
_IDENTITY = ("id", "imageid", "productid", "pictureid", "sku", "asin")
_ROLES = frozenset({"picture", "caption", "ignore"})


@dataclass(frozen=True)
class ColumnMap:
    """The meaning of each column of a catalogue file.

    Attributes:
        picture: The column with a path or a link; empty when files are named by ``identity``.
        identity: A column whose value plus a suffix is the file name.
        captions: Columns with captions.
        attributes: Column to attribute name.
        texts: Every value is a text, so that numbers have to be inferred.
    """

    picture: str = ""
    identity: str = ""
    captions: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    texts: bool = False

    def reference(self, row: Mapping[str, Any]) -> str:
        """Return the path or link of this row's picture, as written; empty where there is none."""
        value = row.get(self.picture or self.identity)
        return str(value).strip() if isinstance(value, str | int) else ""

    def details(self, row: Mapping[str, Any]) -> Details:
        """Return the captions and attributes of this row."""
        captions = [text for column in self.captions for text in texts_in(row.get(column))]
        named = {name: row.get(column) for column, name in self.attributes.items()}
        if self.texts:
            named = {name: from_cell(value) for name, value in named.items() if isinstance(value, str)}
        inner = named.get("attributes")
        if isinstance(inner, Mapping):
            del named["attributes"]
            named |= inner
        return Details(tuple(dict.fromkeys(captions)), flat_attributes(named))


def guess_columns(
    rows: Sequence[Mapping[str, Any]], chosen: Mapping[str, str] | None = None, *, texts: bool = False
) -> ColumnMap:
    """Infer the meaning of the columns.

    Args:
        rows: The first rows of the file.
        chosen: Column to attribute name, or to ``picture``, ``caption`` or ``ignore``, as the user chose.
        texts: Every value is a text.
    """
    named = dict.fromkeys(column for row in rows for column in row)
    columns = [column for column in named if column and not column.startswith("_")]
    chosen = dict(chosen or {})
    if unknown := [column for column in chosen if column not in columns]:
        raise BadInputError(f"There is no column '{unknown[0]}'.", f"The columns are: {', '.join(columns) or 'none'}.")
    free = {_bare(column): column for column in columns if column not in chosen}
    picture = _chosen(chosen, "picture") or next((free[name] for name in _PICTURE if name in free), "")
    identity = "" if picture else next((free[name] for name in _IDENTITY if name in free), "")
    if not picture and not identity:
        raise BadInputError(
            f"No column names the pictures (there are: {', '.join(columns) or 'none'}).",
            "Say which one with --map COLUMN=picture.",
        )
    captions = [column for column, role in chosen.items() if role == "caption"]
    captions += [column for name, column in free.items() if name in _CAPTION and column != picture]
    attributes = {column: attribute_name(role) for column, role in chosen.items() if role not in _ROLES}
    attributes |= _attributes(free, taken={picture, *captions}, named=set(attributes.values()))
    return ColumnMap(picture, identity, tuple(captions), attributes, texts)


def _attributes(free: Mapping[str, str], taken: set[str], named: set[str]) -> dict[str, str]:
    """Return every other column under its own name, and one of them as the title."""
    title = "" if "title" in named else next((free[name] for name in _TITLE if name in free), "")
    named_so = {column: "title" if column == title else attribute_name(column) for column in free.values()}
    return {column: name for column, name in named_so.items() if column not in taken and name and name not in named}


def _chosen(chosen: Mapping[str, str], role: str) -> str:
    found = [column for column, given in chosen.items() if given == role]
    if len(found) > 1:
        raise BadInputError(f"Both '{found[0]}' and '{found[1]}' are mapped to {role}.", "Choose one.")
    return found[0] if found else ""


def _bare(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.lower())


#: How many rows are read to infer the meaning of columns.
_SAMPLE = 5000
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", "")


def table_candidates(
    file: Path, chosen: Mapping[str, str] | None, *, allow_links: bool, follow_links: bool = False
) -> Iterator[Candidate]:
    """Yield the pictures a CSV, JSON-lines or Parquet file lists, each once, with the details of all its rows merged.

    Args:
        file: The catalogue file; relative paths in it start at its folder, or at ``images`` in it.
        chosen: The meaning of columns, in place of the inferred one.
        allow_links: Whether rows with links become candidates; otherwise each is a problem.
        follow_links: Whether paths may lead out of the file's folder; otherwise each such path is a problem.
    """
    inside = None if follow_links else real_root(file.parent)
    rows = read_rows(file)
    first = list(islice(rows, _SAMPLE))
    if not first:
        raise BadInputError(f"{file} has no rows.")
    columns = guess_columns([row for _, row in first], chosen, texts=holds_texts(file))
    merger = _RowMerger(columns.reference(row) for _, row in read_rows(file, quiet=True))
    for number, row in chain(first, rows):
        reference = columns.reference(row)
        details = merger.add(reference, columns.details(row))
        if details is not None:
            candidate = _candidate(file, number, columns, reference, allow_links, inside)
            yield replace(candidate, details=details)
    for reference, details in merger.remaining():
        yield replace(_candidate(file, 0, columns, reference, allow_links, inside), details=details)


class _RowMerger:
    """Merges the rows of one picture: a table may have a row for each of its captions.

    They need not be adjacent. So the rows of each picture are counted first, and details are kept in memory
    only until the last of them.
    """

    def __init__(self, references: Iterable[str]) -> None:
        # Eight bytes a row instead of the text: a hash collision only delays a picture.
        hashes = np.fromiter((hash(reference) for reference in references if reference), np.int64)
        found, counts = np.unique(hashes, return_counts=True)
        several = counts > 1
        self._rows = dict(zip(found[several].tolist(), counts[several].tolist(), strict=True))
        self._pending: dict[str, tuple[int, Details]] = {}

    def add(self, reference: str, details: Details) -> Details | None:
        """Return the merged details of a picture with its last row; None before."""
        rows = self._rows.get(hash(reference), 1) if reference else 1
        if rows == 1:
            return details
        seen, earlier = self._pending.pop(reference, (0, Details()))
        merged = earlier.over(details)
        if seen + 1 >= rows:
            return merged
        self._pending[reference] = (seen + 1, merged)
        return None

    def remaining(self) -> Iterator[tuple[str, Details]]:
        """Yield pictures whose last row is missing: the file was changed meanwhile."""
        return ((reference, details) for reference, (_, details) in self._pending.items())


def _candidate(
    file: Path, number: int, columns: ColumnMap, reference: str, allow_links: bool, inside: str | None
) -> Candidate:  # fmt: skip
    source = str(file)
    if not reference:
        return Candidate(
            f"{file}#{number}", source, problem=f"Row {number} of {file} does not say where its picture is."
        )
    if (unusable := unusable_name(reference, source)) is not None:
        return unusable
    if is_link(reference):
        problem = "" if allow_links else f"{reference}: links are not fetched unless --allow-urls is given."
        return Candidate(reference, source, problem=problem)
    if "://" in reference:
        return Candidate(reference, source, problem=f"{reference}: only http and https links are fetched.")
    try:
        path = _find(file.parent, reference, bare=not columns.picture)
        if inside is not None and not is_inside(path, inside):
            problem = f"{reference}: it is outside the folder of {file}; give --follow-links to index it."
            return Candidate(str(path), source, problem=problem)
        return Candidate(str(path), source, stamp_of(path))
    except (OSError, ValueError) as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        return Candidate(
            str(file.parent / reference), source, problem=f"{reference}: {reason} (row {number} of {file})."
        )


def _find(folder: Path, reference: str, *, bare: bool) -> Path:
    for place in (folder, folder / "images"):
        for suffix in _SUFFIXES if bare else ("",):
            path = place / (reference + suffix)
            if path.is_file():
                return canonical_path(path)
    raise FileNotFoundError(reference)
