"""Read tables beside pictures (CSV, TSV, JSON lines) record by record, sequentially or at an offset."""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from visavis.pictures.files import open_regular

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
            root: From :func:`visavis.pictures.files.real_root`; None follows links anywhere.
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
