"""Read tables beside pictures (CSV, TSV, JSON lines) record by record, and their values as attributes."""

from __future__ import annotations

import ast
import csv
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from visavis.pictures.picture import AttributeValue
from visavis.pictures.reader import open_regular

#: Longer lines, and cells with more line breaks, count as damage.
_LONGEST_LINE = 4 * 1024 * 1024
_MOST_LINES = 200


@dataclass(frozen=True)
class MetadataWarning:
    """A problem in a metadata file; the rest of the file was read."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.message}"


@dataclass(frozen=True)
class MetadataRecord:
    """One record: its byte offset, its line number, and its values by column (texts in a table)."""

    offset: int
    line: int
    values: dict[str, Any]


Warn = Callable[[MetadataWarning], None]


class _Lines:
    """The decoded lines of a file from an offset, with the offset of the next one."""

    def __init__(self, file: IO[bytes], offset: int = 0, number: int = 1) -> None:
        self._file = file
        self.move_to(offset, number)

    def move_to(self, offset: int, number: int) -> None:
        self._file.seek(offset)
        self.offset, self.number = offset, number

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._file.readline(_LONGEST_LINE)
        if not line:
            raise StopIteration
        start, self.offset, self.number = self.offset, self.offset + len(line), self.number + 1
        if start == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:  # Windows spreadsheets in western Europe
            return line.decode("cp1252", "replace")


class RecordFile(ABC):
    """A file of records, about one a line."""

    def __init__(self, path: Path, root: str | None = None) -> None:
        """Prepare a file.

        Args:
            path: The file.
            root: From :func:`visavis.pictures.reader.real_root`; None follows links anywhere.
        """
        self.path = path
        self._root = root

    def _open(self) -> IO[bytes]:
        return open_regular(self.path, self._root)

    @abstractmethod
    def _next(self, lines: _Lines, warn: Warn) -> dict[str, Any] | None:
        """Parse the record at the next line, None for a line without one; StopIteration at the end."""

    def records(self, warn: Warn) -> Iterator[MetadataRecord]:
        """Yield every record in order; ``warn`` is called with each broken line."""
        with self._open() as file:
            lines = _Lines(file)
            while True:
                offset, number = lines.offset, lines.number
                try:
                    values = self._next(lines, warn)
                except StopIteration:
                    return
                if values is not None:
                    yield MetadataRecord(offset, number, values)

    def at(self, offset: int) -> dict[str, Any]:
        """Read the record at an offset from `records`; empty when the file has changed since."""
        try:
            with self._open() as file:
                return self._next(_Lines(file, offset), lambda _: None) or {}
        except (OSError, StopIteration):
            return {}


class JsonLinesTable(RecordFile):
    """One JSON object a line."""

    def _next(self, lines: _Lines, warn: Warn) -> dict[str, Any] | None:
        number = lines.number
        text = next(lines)
        if not text.strip():
            return None
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            warn(MetadataWarning(self.path, number, f"not JSON ({error})"))
            return None
        if not isinstance(values, dict):
            warn(MetadataWarning(self.path, number, "not a JSON object"))
            return None
        return values


class Table(RecordFile):
    """Comma, semicolon, tab or bar separated values under a line of column names."""

    def __init__(self, path: Path, root: str | None = None) -> None:
        super().__init__(path, root)
        with self._open() as file:
            header = next(_Lines(file), "").rstrip("\r\n")
        self._delimiter = max(",;\t|", key=header.count)
        try:
            self.columns = [name.strip() for name in next(csv.reader([header], delimiter=self._delimiter), [])]
        except csv.Error:  # not a table
            self.columns = []

    def _next(self, lines: _Lines, warn: Warn) -> dict[str, Any] | None:
        number = lines.number
        if lines.offset == 0:
            next(lines)
            return None
        if not self.columns:
            raise StopIteration
        try:
            row = self._row(lines, warn)
        except csv.Error as error:
            warn(MetadataWarning(self.path, number, f"not a row of a table ({error})"))
            return None
        if not any(cell.strip() for cell in row):
            return None
        surplus = len(row) - len(self.columns)
        if surplus > 0 and any(cell.strip() for cell in row[len(self.columns) :]):
            # Most often unquoted commas in the last column: joining the cells restores the text.
            row = [*row[: len(self.columns) - 1], self._delimiter.join(row[len(self.columns) - 1 :])]
            message = f"{surplus} more fields than columns; joined to the last column, '{self.columns[-1]}'"
            warn(MetadataWarning(self.path, number, message))
        return dict(zip(self.columns, row, strict=False))

    def _row(self, lines: _Lines, warn: Warn) -> list[str]:
        """Read the next row, over several lines where a quoted cell contains line breaks."""
        offset, number = lines.offset, lines.number
        try:
            return next(csv.reader(islice(lines, _MOST_LINES), delimiter=self._delimiter, strict=True))
        except csv.Error as error:  # an unclosed quote must not consume the lines below it
            warn(MetadataWarning(self.path, number, f"a quote out of place ({error}); read as it stands"))
            lines.move_to(offset, number)
            return next(csv.reader([next(lines).rstrip("\r\n")], delimiter=self._delimiter, quoting=csv.QUOTE_NONE))


_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
#: No leading zeros: an article number 00712 or a postcode stays a text.
_INTEGER = re.compile(r"[+-]?(0|[1-9]\d*)", re.ASCII)
#: An exponent only after a point: 12E4 is an article number, 1.2E4 is not.
_DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)?\.\d+([eE][+-]?\d+)?|[+-]?[1-9]\d*\.", re.ASCII)
#: Lone surrogates, and NUL, which PostgreSQL refuses.
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
#: Maximum length of a name, the width of its column in PostgreSQL.
_LONGEST_NAME = 100
#: Stores hold integers in 64 bits; a longer row of digits is an identifier, not a quantity.
_LARGEST = 2**63 - 1
#: Objects inside objects that are flattened; a file nested deeper is made to exhaust the stack.
_DEEPEST = 20
#: A longer list in a table's cell stays a text: parsing takes a hundred times its memory.
_LONGEST_LIST = 100_000


def from_cell(text: str) -> AttributeValue | None:
    """Parse a table's cell: an integer, a decimal, a boolean, a list, else a text; None for an empty one."""
    text = text.strip()
    if text.lower() in _MISSING:
        return None
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if _INTEGER.fullmatch(text) and len(text) <= 20 and abs(int(text)) <= _LARGEST:
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    values = _list_in(text)
    return text if values is None else from_json(values)


def from_json(value: Any) -> AttributeValue | None:
    """Convert a JSON scalar or list to an attribute; None for an empty one. JSON is typed, so a text stays a text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return writable(value).strip() or None
    if isinstance(value, list):
        items = (from_json(item) for item in value if not isinstance(item, list))
        return [str(item) for item in items if item is not None] or None
    return None


def flat_attributes(values: Mapping[str, Any]) -> dict[str, AttributeValue]:
    """Flatten named values into attributes: nested objects become ``outer_inner``, empty values are left out."""
    named = ((attribute_name(name), from_json(value)) for name, value in _leaves(values))
    return {name: value for name, value in named if name and value is not None}


def attribute_name(name: str) -> str:
    """Remove characters that are invisible or have a meaning in filters (spaces, points, brackets, quotes)."""
    name = "".join(letter if letter.isprintable() else " " for letter in name)
    return re.sub(r"[\s.,:;\[\]{}()\"'`<>=!]+", "_", name.strip())[:_LONGEST_NAME].strip("_")


def writable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode, though JSON can contain them, and that databases refuse."""
    return _UNWRITABLE.sub("\ufffd", text)


def texts_in(value: Any) -> list[str]:
    """Return the texts of a caption column: one, or several in a list."""
    if isinstance(value, str):
        listed = _list_in(value.strip()) if value.lstrip().startswith("[") else None
        value = [value] if listed is None else listed
    if not isinstance(value, list):
        return []
    return [writable(text).strip() for text in value if isinstance(text, str) and text.strip()]


def _leaves(values: Mapping[str, Any], prefix: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if not isinstance(value, Mapping):
            yield f"{prefix}{name}", value
        elif depth > 0:
            yield from _leaves(value, f"{prefix}{name}_", depth - 1)


def _list_in(text: str) -> list[Any] | None:
    """Parse a list written as JSON, as Python or with bars (``red|blue``); None for any other text."""
    if len(text) > _LONGEST_LIST:
        return None
    if text.startswith("[") and text.endswith("]"):
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            return value if isinstance(value, list) else None
        return None
    parts = [part.strip() for part in text.split("|")]
    return parts if len(parts) > 1 and all(parts) else None
