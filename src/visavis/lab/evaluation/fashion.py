"""The Fashion IQ protocol: from a random product to a target, by relative captions.

Each turn the simulated shopper sees the first result (at the start a random product) and describes how the target
differs, and the retriever ranks again. Shopper and retriever share only words and the shown products. The rules are
those of the paper (appendix C), or open ones, in which nothing is shown twice and a shopper who has found the target
stops.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from visavis.errors import MissingExtraError
from visavis.home import ensure_folder
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.dialogs import Bench, Message, System
from visavis.lab.evaluation.metrics import compare
from visavis.lab.evaluation.protocol import KEPT, PlayedConversation
from visavis.lab.evaluation.report import plot_curves, thumbnails_from, write_report
from visavis.lab.evaluation.results import Run, play_all, write_qrels, write_run
from visavis.lab.evaluation.shopper import without_verb
from visavis.lab.simulation.base import SimulatedUser
from visavis.types import Wish


@dataclass(frozen=True)
class Rules:
    """How dialogues are played and counted.

    Attributes:
        name: Their name.
        skips_shown: Whether a product that was shown is not shown again.
        ends: Whether a shopper who has found the target stops, and the rank stays.
        from_one: Whether the percentile of the first of n products is 1 - 1 / n, as the paper defines P, instead of 1.
    """

    name: str
    skips_shown: bool
    ends: bool
    from_one: bool


PAPER, OPEN = Rules("paper", False, False, True), Rules("open", True, True, False)
RULES = {rules.name: rules for rules in (PAPER, OPEN)}
TURNS = 5
#: The turns that Fashion IQ reports.
REPORTED = (1, 3, 5)


def play_shopping(
    bench: Bench, system: System, user: SimulatedUser, target: str, start: str, rules: Rules = PAPER
) -> PlayedConversation:
    """Run five turns.

    The first message opens the conversation; each further one is an exchange whose question is the product shown.
    """
    place = bench.gallery.places[target]
    messages: list[Message] = []
    shown, ranks, tops = [start], [], []
    for turn in range(1, TURNS + 1):
        words = user.compare([shown[-1]], target)
        wanted = Wish(f"{turn}.1", "want", without_verb(words), turn)
        messages.append(Message(words, (wanted,), (shown[-1],)))
        scores = system(messages)
        ranks.append(metrics.place_of(scores, place))
        tops.append(_top(bench, scores))
        first = _first_unseen(bench, scores, shown if rules.skips_shown else ())
        if rules.ends and first == target:
            break
        shown.append(first)
    exchanges = tuple((shown[turn], "shown", one.text) for turn, one in enumerate(messages) if turn)
    return PlayedConversation(target, tuple(ranks), messages[0].text, exchanges, tuple(tops))


def shopping_figures(run: Run, rules: Rules = PAPER) -> dict[str, Any]:
    """Return ranking percentile and R@10, R@50 at turns 1, 3 and 5, with the size of the gallery."""
    ranks, at = run.ranks, [turn - 1 for turn in REPORTED]
    percentile = metrics.ranking_percentile(ranks, run.gallery)
    if rules.from_one:
        percentile = 1 - ranks.mean(axis=0) / run.gallery
    return {
        "gallery": run.gallery,
        "targets": len(run.conversations),
        "turns": list(REPORTED),
        "ranking_percentile": [round(100 * float(percentile[t]), 2) for t in at],
        **{f"R@{k}": [round(100 * float(metrics.recall(ranks, k)[t]), 2) for t in at] for k in (10, 50)},
    }


def run_shopping(
    bench: Bench,
    systems: Mapping[str, Callable[[Bench], System]],
    user: SimulatedUser,
    pairs: Sequence[tuple[str, str]],
    out: Path,
    *,
    rules: Rules = PAPER,
    seed: int = 0,
    pictures: Path | None = None,
    progress: Callable[[str, int], None] = lambda _name, _done: None,
) -> dict[str, Any]:
    """Run every system on the same pairs of target and start, and write figures, runs, plots and the report.

    The last system is compared with the others. Results of the same setting are reused.
    """
    starts = dict(pairs)
    setting = {
        "rules": rules.name,
        "gallery": len(bench.gallery),
        "seed": seed,
        "user": user.name,
        "strength": user.strength.as_json(),
    }
    runs = []
    for name, make in systems.items():
        system = make(bench)
        conversations = play_all(
            ensure_folder(out) / f"{name.replace(' ', '-')}.jsonl",
            list(starts),
            partial(_play, bench, system, user, starts, rules),
            {**setting, "system": name, "starts": _digest(pairs)},
            partial(progress, name),
        )
        runs.append(Run(name, conversations, len(bench.gallery), TURNS - 1))
    return _write(runs, rules, setting, out, pictures)


def _play(
    bench: Bench, system: System, user: SimulatedUser, starts: Mapping[str, str], rules: Rules, target: str
) -> PlayedConversation:
    return play_shopping(bench, system, user, target, starts[target], rules)


def _digest(pairs: Sequence[tuple[str, str]]) -> str:
    return blake2b(json.dumps(sorted(map(list, pairs))).encode(), digest_size=8).hexdigest()


def _write(
    runs: list[Run], rules: Rules, setting: Mapping[str, Any], out: Path, pictures: Path | None
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "protocol": "dialog",
        **setting,
        "systems": {run.questioner: shopping_figures(run, rules) for run in runs},
        "comparisons": _comparisons(runs),
    }
    (out / "dialog.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    write_qrels(out / "qrels.trec", {c.target: c.target for c in runs[0].conversations})
    for run in runs:
        name = run.questioner.replace(" ", "-")
        write_run(out / f"{name}.trec", {c.target: c.top[-1] for c in run.conversations}, name)
    write_report(
        out / "report.html",
        title=f"Five turns towards a product, {len(runs[0].conversations):,} targets among {runs[0].gallery:,}",
        setting=setting,
        runs=runs[::-1],
        comparisons=result["comparisons"],
        plots=_plots(runs, out),
        thumbnail=thumbnails_from(pictures),
        cells=partial(_cells, rules=rules),
    )
    return result


def _cells(run: Run, rules: Rules) -> dict[str, str]:
    figures = shopping_figures(run, rules)
    told = {
        f"{name}, turn {turn}": f"{figures[key][at]:.1f}"
        for name, key in (("percentile", "ranking_percentile"), ("R@10", "R@10"), ("R@50", "R@50"))
        for at, turn in enumerate(REPORTED)
    }
    return {**told, "gallery": f"{run.gallery:,}"}


def _comparisons(runs: list[Run]) -> dict[str, dict[str, Any]]:
    """Compare the last system with each other one: R@10 at the reported turns."""
    ours, found = runs[-1], {}
    for other in runs[:-1]:
        for turn in REPORTED:
            pair = [(run.ranks[:, turn - 1] <= 10).astype(float) for run in (ours, other)]
            found[f"{ours.questioner} - {other.questioner}, R@10, turn {turn}"] = dict(compare(*pair).as_json())
    return found


def _plots(runs: list[Run], out: Path) -> list[Path]:
    curves = {
        "recall10": ("R@10", {run.questioner: metrics.recall(run.ranks, 10).tolist() for run in runs}),
        "percentile": (
            "ranking percentile",
            {run.questioner: metrics.ranking_percentile(run.ranks, run.gallery).tolist() for run in runs},
        ),
    }
    try:
        return [
            file
            for name, (label, lines) in curves.items()
            for file in plot_curves(
                out, name, lines, title=f"{runs[0].gallery:,} products", label=label, first=1, steps="turn"
            )
        ]
    except MissingExtraError:
        return []  # plots need the extra


def _top(bench: Bench, scores: np.ndarray) -> tuple[tuple[str, float], ...]:
    best = bench.best(scores, KEPT)
    ordered = best[np.argsort(-scores[best], kind="stable")]
    return tuple((bench.gallery.ids[place], round(float(scores[place]), 5)) for place in ordered)


def _first_unseen(bench: Bench, scores: np.ndarray, shown: Sequence[str]) -> str:
    """Return the best result that was not shown before."""
    for place in np.argsort(-scores, kind="stable"):
        id: str = bench.gallery.ids[place]
        if id not in shown:
            return id
    return shown[-1]
