"""The rows of a catalogue file: CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, MissingExtraError, NotFoundError
from visavis.pictures.records import JsonLines, RecordFile, Table

logger = logging.getLogger(__name__)

Row = dict[str, Any]
_TABLES = frozenset({".csv", ".tsv"})
#: How the names of catalogue files end.
SUFFIXES = _TABLES | {".jsonl", ".ndjson", ".parquet"}


def is_catalogue_file(path: Path) -> bool:
    """Whether a file lists pictures rather than being one."""
    return path.suffix.lower() in SUFFIXES


def holds_texts(path: Path) -> bool:
    """Whether every value is a text, so that numbers have to be recognised."""
    return path.suffix.lower() in _TABLES


def read_rows(path: Path, *, quiet: bool = False) -> Iterator[tuple[int, Row]]:
    """Each row with its line (its number, in a Parquet file); a broken line is told, unless quiet, and passed over."""
    if not path.is_file():
        raise NotFoundError(f"There is no file {path}.", "Check the path.")
    if path.suffix.lower() == ".parquet":
        yield from _parquet(path)
        return
    try:
        file: RecordFile = Table(path) if holds_texts(path) else JsonLines(path)
        for record in file.records((lambda _: None) if quiet else (lambda warning: logger.warning("%s", warning))):
            yield record.line, record.values
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.", "Check its rights.") from error


def _parquet(path: Path) -> Iterator[tuple[int, Row]]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise MissingExtraError("Reading Parquet files", "parquet") from error
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1000):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {name: _plain(value) for name, value in row.items()}
    except (ArrowException, OSError) as error:
        raise BadInputError(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}.") from error


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value
