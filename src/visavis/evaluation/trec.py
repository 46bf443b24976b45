"""Runs and judgements in the files that every evaluation tool reads (trec_eval, ranx, ir-measures)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from visavis.errors import BadInputError


def write_qrels(file: Path, targets: Mapping[str, str]) -> None:
    """One relevant picture a query: ``query 0 picture 1``."""
    lines = [f"{_token(query)} 0 {_token(picture)} 1\n" for query, picture in targets.items()]
    file.write_text("".join(lines), encoding="utf-8")


def write_run(file: Path, run: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> None:
    """What each query found, best first: ``query Q0 picture rank score tag``.

    Tools order by score, so a score that is not below the one before it would change the order; it is lowered.
    """
    with file.open("w", encoding="utf-8") as stream:
        for query, results in run.items():
            for rank, (picture, score) in enumerate(_falling(results), 1):
                stream.write(f"{_token(query)} Q0 {_token(picture)} {rank} {score!r} {_token(tag)}\n")


def read_run(file: Path) -> dict[str, list[tuple[str, float]]]:
    """A run as it was written, best first."""
    run: dict[str, list[tuple[int, str, float]]] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split()
        if len(parts) != 6:
            raise BadInputError(f"Line {number} of {file} is no line of a run.", "It needs six fields.")
        run.setdefault(parts[0], []).append((int(parts[3]), parts[2], float(parts[4])))
    return {query: [(picture, score) for _, picture, score in sorted(found)] for query, found in run.items()}


def read_qrels(file: Path) -> dict[str, dict[str, int]]:
    """Judgements: query -> picture -> grade."""
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split()
        if len(parts) != 4:
            raise BadInputError(f"Line {number} of {file} is no line of judgements.", "It needs four fields.")
        qrels.setdefault(parts[0], {})[parts[2]] = int(parts[3])
    return qrels


def _falling(results: Sequence[tuple[str, float]]) -> Iterable[tuple[str, float]]:
    below = float("inf")
    for picture, score in results:
        value = float(score)
        below = value if value < below else below - 1e-9 * max(1.0, abs(below))
        yield picture, below


def _token(text: str) -> str:
    """The format separates by spaces, so a name must not have any."""
    return re.sub(r"\s+", "_", text.strip()) or "_"
