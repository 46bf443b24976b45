"""Metrics of conversations that search for one target, and paired significance tests of two systems.

The input of these is one table: ``ranks[q, t]`` is the rank (1 is best) of query q's target after round t; column 0
is the opening description alone. A conversation that ended early keeps its last rank. Beside them: scores of captions,
and how true probabilities are.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, NotFoundError

FloatVector = NDArray[np.float64]
RankTable = NDArray[np.int64]
#: Ways of decoding that a file of captions has.
WAYS = ("greedy", "beam")
_BINS = 10
_COLOURS = ("#2563eb", "#d97706", "#059669", "#7c3aed")

Floats = NDArray[np.float64]
#: The mean probability said, the share that is true, and how many.
Bin = tuple[float, float, int]


def rank_table(ranks: ArrayLike) -> RankTable:
    """Validate a table of ranks: two dimensions, not empty, integers from 1."""
    table = np.asarray(ranks)
    if table.ndim != 2 or not table.size:
        raise BadInputError("Ranks must be a table of queries by rounds.", "Give one row a query, one column a round.")
    whole = table.astype(np.int64)
    if (whole != table).any() or whole.min() < 1:
        raise BadInputError("Ranks must be whole numbers from 1 on.")
    return whole


def pad_ranks(ranks: Iterable[Sequence[int]], rounds: int) -> RankTable:
    """Build a table from conversations of different lengths: one that ended keeps its last rank."""
    rows = [list(row[: rounds + 1]) for row in ranks]
    if any(not row for row in rows):
        raise BadInputError("A conversation without any rank cannot be measured.")
    return rank_table([row + [row[-1]] * (rounds + 1 - len(row)) for row in rows])


def place_of(scores: NDArray[np.floating], target: int) -> int:
    """Return the target's rank among scores (higher is better); in a tie, the middle, rounded up."""
    own = scores[target]
    better = int(np.count_nonzero(scores > own))
    equal = int(np.count_nonzero(scores == own)) - 1
    return 1 + better + (equal + 1) // 2


def found_up_to(ranks: ArrayLike, k: int) -> NDArray[np.bool_]:
    """Return whether each target was among the first k in this or any earlier round (in ChatIR the user stops)."""
    return np.asarray(np.minimum.accumulate(rank_table(ranks), axis=1) <= k)


def hits(ranks: ArrayLike, k: int) -> FloatVector:
    """Return Hits@K up to each round: the share of targets found by then."""
    return np.asarray(found_up_to(ranks, k).mean(axis=0))


def recall(ranks: ArrayLike, k: int) -> FloatVector:
    """Return R@K at each round: the share of targets among the first k in that round."""
    return np.asarray((rank_table(ranks) <= k).mean(axis=0))


def mean_rank(ranks: ArrayLike) -> FloatVector:
    """Return the mean rank after each round."""
    return np.asarray(rank_table(ranks).mean(axis=0))


def ranking_percentile(ranks: ArrayLike, gallery: int) -> FloatVector:
    """Return the mean share of the other pictures that rank below the target, per round: 1 is first, 0 is last."""
    table = rank_table(ranks)
    if gallery < table.max():
        raise BadInputError(f"A rank of {table.max()} does not fit a gallery of {gallery} pictures.")
    return np.asarray(1.0 - (table - 1).mean(axis=0) / max(gallery - 1, 1))


def best_log_rank_integrals(ranks: ArrayLike) -> FloatVector:
    """Return the BRI of each query: the integral of log(best rank so far) over the rounds (trapezoidal), per round."""
    curve = np.log(np.minimum.accumulate(rank_table(ranks), axis=1))
    if curve.shape[1] == 1:
        return np.asarray(curve[:, 0])
    return np.asarray(((curve[:, 1:] + curve[:, :-1]) / 2).mean(axis=1))


def best_log_rank_integral(ranks: ArrayLike) -> float:
    """Return the BRI (Best log Rank Integral) over all queries; lower is better, 0 is perfect."""
    return float(best_log_rank_integrals(ranks).mean())


def turns_to_success(ranks: ArrayLike, k: int) -> list[int | None]:
    """Return the first round in which each target was among the first k; None where it never was."""
    found = rank_table(ranks) <= k
    return [int(row.argmax()) if row.any() else None for row in found]


def repeated_questions(questions: Iterable[str]) -> int:
    """Count the questions of one conversation that were asked before, word for word (case and punctuation apart)."""
    seen: set[str] = set()
    repeats = 0
    for question in questions:
        key = normal_question(question)
        repeats += key in seen
        seen.add(key)
    return repeats


def normal_question(text: str) -> str:
    """Normalise a question: no case, punctuation and repeated spaces."""
    return " ".join(re.findall(r"[\w']+", text.casefold()))


Ranks = NDArray[np.float64]

#: Queries scored at once, which bounds the memory.
_CHUNK = 1024


def target_ranks(queries: FloatArray, gallery: FloatArray, targets: Sequence[int] | NDArray[np.int64]) -> Ranks:
    """Return the rank of each query's target in its ranking of the gallery, 0 for the best.

    Ties count as half a rank each, the expectation of a random order, so that an encoder that gives equal scores
    gets the score of a guess, not a perfect one.

    Args:
        queries: ``[q, d]``.
        gallery: ``[n, d]``.
        targets: For each query its row of the gallery.
    """
    wanted = np.asarray(targets, np.int64)
    if wanted.shape != (len(queries),):
        raise BadInputError(f"{len(queries)} queries need as many targets, not {len(wanted)}.")
    if len(wanted) and not (wanted.min() >= 0 and wanted.max() < len(gallery)):
        raise BadInputError(f"A target lies outside the gallery of {len(gallery)}.")
    ranks = np.zeros(len(queries), np.float64)
    for start in range(0, len(queries), _CHUNK):
        rows = slice(start, start + _CHUNK)
        ranks[rows] = _ranks(queries[rows] @ gallery.T, wanted[rows])
    return ranks


def _ranks(scores: FloatArray, targets: NDArray[np.int64]) -> Ranks:
    own = np.take_along_axis(scores, targets[:, None], axis=1)
    better = (scores > own).sum(axis=1)
    equal = (scores == own).sum(axis=1) - 1
    return np.asarray(better + equal / 2, np.float64)


def recall_at(ranks: Ranks, k: int) -> float:
    """Return the share of queries whose target is among the first ``k``, in percent; 0 without queries.

    >>> recall_at(np.array([0.0, 1.0, 7.0, 30.0]), 5)
    50.0
    """
    return 100 * float((ranks < k).mean()) if len(ranks) else 0.0


def recalls(ranks: Ranks, ks: Sequence[int] = (1, 5, 10)) -> dict[str, float]:
    """Return recall at several depths, as ``{"R@1": ...}``, rounded for a report."""
    return {f"R@{k}": round(recall_at(ranks, k), 2) for k in ks}


def median_rank(ranks: Ranks) -> float:
    """Return the median rank, counted from 1."""
    return float(np.median(ranks)) + 1 if len(ranks) else 0.0


@dataclass(frozen=True)
class Comparison:
    """The comparison of two systems on the same queries.

    Attributes:
        difference: The mean of the first minus the mean of the second.
        low: Lower end of the 95 % interval of the difference (paired bootstrap).
        high: Upper end of it.
        p: Two-sided p-value of the paired sign-flip permutation test.
        queries: How many queries were compared.
    """

    difference: float
    low: float
    high: float
    p: float
    queries: int

    @property
    def significant(self) -> bool:
        """Whether p is below 5 %, and the interval excludes zero."""
        return self.p < 0.05 and not self.low <= 0 <= self.high

    def as_json(self) -> dict[str, float | int | bool]:
        """Return the comparison as JSON values."""
        return {**asdict(self), "significant": self.significant}


def compare(first: ArrayLike, second: ArrayLike, *, samples: int = 10_000, seed: int = 0) -> Comparison:
    """Compare per-query values of two systems.

    Args:
        first: One value a query.
        second: One value for each of the same queries, in the same order.
        samples: The number of resamples.
        seed: The seed of the resamples.
    """
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != two.shape or one.ndim != 1 or not one.size:
        raise BadInputError(
            f"{one.size} values cannot be compared with {two.size} query by query.", "Give both the same queries."
        )
    if samples < 1:
        raise BadInputError("At least one sample must be drawn.")
    differences = one - two
    mean = float(differences.mean())
    if np.ptp(differences) == 0:  # nothing to resample: every mean is the same
        return Comparison(mean, mean, mean, 1.0 if mean == 0 else 2.0 ** (1 - one.size), one.size)
    drawn = {"n_resamples": samples, "vectorized": True, "batch": 1000}
    interval = stats.bootstrap(
        (differences,), np.mean, method="percentile", rng=np.random.default_rng(seed), **drawn
    ).confidence_interval
    test = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", rng=np.random.default_rng(seed + 1), **drawn
    )
    return Comparison(mean, float(interval.low), float(interval.high), float(test.pvalue), one.size)


def read_captions(file: Path) -> list[dict[str, Any]]:
    """What ``visavis train captioner`` wrote: pairs with what people said, and the captions of each way."""
    try:
        rows = [{**row, "said": list(map(str, row["said"]))} for row in json.loads(file.read_text("utf-8"))]
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} is no file of captions: {error!r}.") from error
    return rows


def caption_scores(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The scores of each way of decoding, over all pairs and by category.

    Raises:
        NotFoundError: ``pycocoevalcap``, or the Java that its tokenizer runs in, is not there.
    """
    made: dict[str, Any] = {}
    categories = sorted({str(row.get("category", "")) for row in rows})
    for way in WAYS:
        if all(way in row for row in rows):
            made[way] = {"all": _scores(rows, way)}
            for category in categories if len(categories) > 1 else ():
                made[way][category] = _scores([row for row in rows if row.get("category", "") == category], way)
    return made


def _scores(rows: Sequence[Mapping[str, Any]], way: str) -> dict[str, float]:
    said = {place: [{"caption": text} for text in row["said"]] for place, row in enumerate(rows)}
    made = {place: [{"caption": str(row[way])}] for place, row in enumerate(rows)}
    try:
        from pycocoevalcap.bleu.bleu import Bleu
        from pycocoevalcap.cider.cider import Cider
        from pycocoevalcap.rouge.rouge import Rouge
        from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

        with contextlib.redirect_stdout(io.StringIO()):
            tokenizer = PTBTokenizer()
            references, captions = tokenizer.tokenize(said), tokenizer.tokenize(made)
            found = {
                "BLEU-4": Bleu(4).compute_score(references, captions)[0][3],
                "ROUGE-L": Rouge().compute_score(references, captions)[0],
                "CIDEr": Cider().compute_score(references, captions)[0],
            }
    except (ImportError, FileNotFoundError) as error:
        raise NotFoundError(
            "Scoring captions needs pycocoevalcap, and Java for its tokenizer.",
            "pip install pycocoevalcap, and install a Java runtime.",
        ) from error
    distinct = len({str(row[way]) for row in rows}) / max(1, len(rows))
    return {
        "pairs": len(rows),
        **{name: round(100 * float(score), 1) for name, score in found.items()},
        "distinct": round(100 * distinct, 1),
    }


def expected_error(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    parts = [(bins == at) for at in range(_BINS) if (bins == at).any()]
    return float(sum(part.mean() * abs(chances[part].mean() - truth[part].mean()) for part in parts))


def reliability(chances: Floats, truth: NDArray[np.bool_]) -> list[Bin]:
    """Said and true for each of ten bins that has any."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    parts = [bins == at for at in range(_BINS) if (bins == at).any()]
    return [(round(float(chances[p].mean()), 3), round(float(truth[p].mean()), 3), int(p.sum())) for p in parts]


def reliability_plot(curves: Mapping[str, Sequence[Bin]], file: Path) -> None:
    """Draw said against true as an SVG, a line for each name."""
    side, edge = 320, 46
    whole = side + 2 * edge
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{whole}" viewBox="0 0 {whole} {whole}"'
        ' font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="100%" height="100%" fill="white"/><rect x="{edge}" y="{edge}" width="{side}" height="{side}"'
        ' fill="none" stroke="#999"/>',
        f'<line x1="{edge}" y1="{edge + side}" x2="{edge + side}" y2="{edge}" stroke="#999" stroke-dasharray="4"/>',
        f'<text x="{edge + side / 2}" y="{side + 2 * edge - 10}" text-anchor="middle">probability said</text>',
        f'<text x="14" y="{edge + side / 2}" text-anchor="middle" transform="rotate(-90 14 {edge + side / 2})">'
        "share that is true</text>",
    ]
    for place, (name, bins) in enumerate(curves.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        points = [(edge + said * side, edge + (1 - true) * side) for said, true, _ in bins]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        lines.append(f'<text x="{edge + 12}" y="{edge + 20 + 16 * place}" fill="{colour}">{name}</text>')
    file.write_text("\n".join([*lines, "</svg>\n"]), encoding="utf-8")
