"""Writes runs and qrels in TREC format (trec_eval, ranx, ir-measures)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def write_qrels(file: Path, targets: Mapping[str, str]) -> None:
    """Write one relevant picture a query: ``query 0 picture 1``."""
    lines = [f"{_token(query)} 0 {_token(picture)} 1\n" for query, picture in targets.items()]
    file.write_text("".join(lines), encoding="utf-8")


def write_run(file: Path, run: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> None:
    """Write the results of each query, best first: ``query Q0 picture rank score tag``.

    Tools sort by score, so a tie would lose the order; such a score is lowered.
    """
    with file.open("w", encoding="utf-8") as stream:
        for query, results in run.items():
            for rank, (picture, score) in enumerate(_strictly_decreasing(results), 1):
                stream.write(f"{_token(query)} Q0 {_token(picture)} {rank} {score!r} {_token(tag)}\n")


def _strictly_decreasing(results: Sequence[tuple[str, float]]) -> Iterable[tuple[str, float]]:
    below = float("inf")
    for picture, score in results:
        value = float(score)
        below = value if value < below else below - 1e-9 * max(1.0, abs(below))
        yield picture, below


def _token(text: str) -> str:
    """Remove spaces, which separate the columns."""
    return re.sub(r"\s+", "_", text.strip()) or "_"
