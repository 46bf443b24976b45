"""Candidates out of a catalogue file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path

from visavis.collections.sources.candidate import Candidate, one_name, stamp_of, unusable_name
from visavis.collections.sources.links import is_link
from visavis.collections.sources.mapping import ColumnMap, guess_columns
from visavis.collections.sources.rows import holds_texts, read_rows
from visavis.errors import BadInputError

#: How many rows are looked at to guess what the columns hold.
_SAMPLE = 5000
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", "")


def table_candidates(file: Path, chosen: Mapping[str, str] | None, *, allow_links: bool) -> Iterator[Candidate]:
    """The pictures a CSV, JSON-lines or Parquet file lists.

    Args:
        file: The catalogue file; relative paths in it start at its folder, or at ``images`` in it.
        chosen: What columns stand for, where the guess is not wanted.
        allow_links: Whether rows with links are handed on; otherwise each is a problem.
    """
    rows = read_rows(file)
    first = list(islice(rows, _SAMPLE))
    if not first:
        raise BadInputError(f"{file} has no rows.")
    columns = guess_columns([row for _, row in first], chosen, texts=holds_texts(file))
    for number, row in chain(first, rows):
        candidate = _candidate(file, number, columns, columns.reference(row), allow_links)
        yield Candidate(candidate.path, str(file), candidate.stamp, columns.details(row), candidate.problem)


def _candidate(file: Path, number: int, columns: ColumnMap, reference: str, allow_links: bool) -> Candidate:
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
                return one_name(path)
    raise FileNotFoundError(reference)
