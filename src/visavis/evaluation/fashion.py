"""Fashion IQ's protocol: from a random product towards another, by saying what is different.

Each turn the simulated shopper sees the first result (at the start a random product), says in words how the target
differs, and the retriever ranks again. Shopper and retriever share nothing but words and what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visavis.conversation.wishes import Wish
from visavis.evaluation import metrics
from visavis.evaluation.dialogs import Bench, Said, System
from visavis.simulation.base import SimulatedUser

TURNS = 5
#: The turns that Fashion IQ reports.
REPORTED = (1, 3, 5)


@dataclass(frozen=True)
class ShoppingTalk:
    """One conversation: the target, where it started, what was said, and the target's rank after each turn."""

    target: str
    start: str
    said: tuple[str, ...]
    shown: tuple[str, ...]
    ranks: tuple[int, ...]


def play_shopping(bench: Bench, system: System, user: SimulatedUser, target: str, start: str) -> ShoppingTalk:
    """Five turns; a person who has found it stops, and the rank stays."""
    place = bench.gallery.places[target]
    said: list[Said] = []
    shown, ranks = [start], []
    for turn in range(1, TURNS + 1):
        words = user.compare([shown[-1]], target)
        said.append(Said(words, (Wish(f"{turn}.1", "want", _without_verb(words), turn),)))
        scores = system(said)
        ranks.append(metrics.place_of(scores, place))
        first = _first_unseen(bench, scores, shown)
        shown.append(first)
        if first == target:
            break
    return ShoppingTalk(target, start, tuple(one.text for one in said), tuple(shown), tuple(ranks))


def shopping_figures(talks: Sequence[ShoppingTalk], gallery: int) -> dict[str, Any]:
    """Ranking percentile and R@10, R@50 at turns 1, 3 and 5, with the size of the gallery."""
    ranks = metrics.pad_ranks([talk.ranks for talk in talks], TURNS - 1)
    at = [turn - 1 for turn in REPORTED]
    return {
        "gallery": gallery,
        "targets": len(talks),
        "turns": list(REPORTED),
        "ranking_percentile": [round(100 * float(metrics.ranking_percentile(ranks, gallery)[t]), 2) for t in at],
        **{f"R@{k}": [round(100 * float(metrics.recall(ranks, k)[t]), 2) for t in at] for k in (10, 50)},
    }


def _without_verb(words: str) -> str:
    """What a comparison asks for: "are shoes and is blue" -> "shoes and is blue"."""
    return words.removeprefix("is ").removeprefix("are ")


def _first_unseen(bench: Bench, scores: np.ndarray, shown: Sequence[str]) -> str:
    """The best result that was not on the table already: the same one again would be no answer."""
    for place in np.argsort(-scores, kind="stable"):
        id: str = bench.gallery.ids[place]
        if id not in shown:
            return id
    return shown[-1]
