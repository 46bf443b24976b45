"""Candidates out of a catalogue file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from visavis.collections.sources.candidate import Candidate, one_name, stamp_of, unusable_name
from visavis.collections.sources.links import is_link
from visavis.collections.sources.mapping import ColumnMap, guess_columns
from visavis.collections.sources.rows import holds_texts, read_rows
from visavis.errors import BadInputError
from visavis.pictures.picture import Details

#: How many rows are looked at to guess what the columns hold.
_SAMPLE = 5000
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", "")


def table_candidates(file: Path, chosen: Mapping[str, str] | None, *, allow_links: bool) -> Iterator[Candidate]:
    """The pictures a CSV, JSON-lines or Parquet file lists, each once, with what all of its rows say.

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
    together = _Together(columns.reference(row) for _, row in read_rows(file, quiet=True))
    for number, row in chain(first, rows):
        reference = columns.reference(row)
        details = together.add(reference, columns.details(row))
        if details is not None:
            candidate = _candidate(file, number, columns, reference, allow_links)
            yield replace(candidate, details=details)
    for reference, details in together.left():
        yield replace(_candidate(file, 0, columns, reference, allow_links), details=details)


class _Together:
    """Puts together what several rows say of one picture: a table may have a row for each of its captions.

    They need not follow each other. So it is counted first how many rows speak of each picture, and what they say is
    kept only until the last of them has come.
    """

    def __init__(self, references: Iterable[str]) -> None:
        # Eight bytes a row instead of the text: two texts with the same hash only wait longer than they need.
        hashes = np.fromiter((hash(reference) for reference in references if reference), np.int64)
        found, counts = np.unique(hashes, return_counts=True)
        several = counts > 1
        self._rows = dict(zip(found[several].tolist(), counts[several].tolist(), strict=True))
        self._waiting: dict[str, tuple[int, Details]] = {}

    def add(self, reference: str, details: Details) -> Details | None:
        """What all rows of a picture say, when this is the last of them; None while others are to come."""
        rows = self._rows.get(hash(reference), 1) if reference else 1
        if rows == 1:
            return details
        seen, earlier = self._waiting.pop(reference, (0, Details()))
        merged = earlier.over(details)
        if seen + 1 >= rows:
            return merged
        self._waiting[reference] = (seen + 1, merged)
        return None

    def left(self) -> Iterator[tuple[str, Details]]:
        """Pictures whose last row did not come: the file was changed meanwhile."""
        return ((reference, details) for reference, (_, details) in self._waiting.items())


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
