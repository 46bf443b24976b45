"""Figures for conversations that look for one target.

Everything starts from one table: ``ranks[q, t]`` is the place (1 is best) of query q's target after round t; column 0
is the opening description alone. A conversation that ended early keeps its last rank for the rounds it did not need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visavis.errors import BadInputError

FloatVector = NDArray[np.float64]
RankTable = NDArray[np.int64]


def rank_table(ranks: ArrayLike) -> RankTable:
    """Check a table of ranks: two dimensions, not empty, whole numbers from 1."""
    table = np.asarray(ranks)
    if table.ndim != 2 or not table.size:
        raise BadInputError("Ranks must be a table of queries by rounds.", "Give one row a query, one column a round.")
    whole = table.astype(np.int64)
    if (whole != table).any() or whole.min() < 1:
        raise BadInputError("Ranks must be whole numbers from 1 on.")
    return whole


def pad_ranks(ranks: Iterable[Sequence[int]], rounds: int) -> RankTable:
    """A table out of conversations of different lengths: one that ended keeps its last rank."""
    rows = [list(row[: rounds + 1]) for row in ranks]
    if any(not row for row in rows):
        raise BadInputError("A conversation without any rank cannot be measured.")
    return rank_table([row + [row[-1]] * (rounds + 1 - len(row)) for row in rows])


def place_of(scores: NDArray[np.floating], target: int) -> int:
    """The target's rank among scores (higher is better); among equals it stands in the middle, or just behind it."""
    own = scores[target]
    better = int(np.count_nonzero(scores > own))
    equal = int(np.count_nonzero(scores == own)) - 1
    return 1 + better + (equal + 1) // 2


def found_up_to(ranks: ArrayLike, k: int) -> NDArray[np.bool_]:
    """Whether each target was among the first k in this or any earlier round (ChatIR: the person stops there)."""
    return np.asarray(np.minimum.accumulate(rank_table(ranks), axis=1) <= k)


def hits(ranks: ArrayLike, k: int) -> FloatVector:
    """Hits@K up to each round: the share of targets found by then."""
    return np.asarray(found_up_to(ranks, k).mean(axis=0))


def recall(ranks: ArrayLike, k: int) -> FloatVector:
    """R@K at each round: the share of targets among the first k in that very round."""
    return np.asarray((rank_table(ranks) <= k).mean(axis=0))


def mean_rank(ranks: ArrayLike) -> FloatVector:
    """The average target rank after each round."""
    return np.asarray(rank_table(ranks).mean(axis=0))


def ranking_percentile(ranks: ArrayLike, gallery: int) -> FloatVector:
    """The average share of the other pictures that rank below the target, per round: 1 is first, 0 is last."""
    table = rank_table(ranks)
    if gallery < table.max():
        raise BadInputError(f"A rank of {table.max()} does not fit a gallery of {gallery} pictures.")
    return np.asarray(1.0 - (table - 1).mean(axis=0) / max(gallery - 1, 1))


def best_log_rank_integrals(ranks: ArrayLike) -> FloatVector:
    """BRI of each query: the mean height of the curve of log(best rank so far) over the rounds (trapezia)."""
    curve = np.log(np.minimum.accumulate(rank_table(ranks), axis=1))
    if curve.shape[1] == 1:
        return np.asarray(curve[:, 0])
    return np.asarray(((curve[:, 1:] + curve[:, :-1]) / 2).mean(axis=1))


def best_log_rank_integral(ranks: ArrayLike) -> float:
    """BRI (Best log Rank Integral) over all queries; lower is better, 0 is perfect."""
    return float(best_log_rank_integrals(ranks).mean())


def turns_to_success(ranks: ArrayLike, k: int) -> list[int | None]:
    """The first round in which each target was among the first k; None where it never was."""
    found = rank_table(ranks) <= k
    return [int(row.argmax()) if row.any() else None for row in found]


def repeated_questions(questions: Iterable[str]) -> int:
    """How many questions of one conversation had been asked before, word for word (case and punctuation apart)."""
    seen: set[str] = set()
    repeats = 0
    for question in questions:
        key = normal_question(question)
        repeats += key in seen
        seen.add(key)
    return repeats


def normal_question(text: str) -> str:
    """A question without what does not make it another one: case, punctuation, spaces."""
    return " ".join(re.findall(r"[\w']+", text.casefold()))
