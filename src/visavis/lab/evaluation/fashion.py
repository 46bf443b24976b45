"""The Fashion IQ protocol: from a random product to a target, by relative captions.

Each turn the simulated shopper sees the first result (at the start a random product) and describes how the target
differs, and the retriever ranks again. Shopper and retriever share only words and the shown products. The rules are
those of the paper (appendix C), or open ones, in which nothing is shown twice and a shopper who has found the target
stops.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from visavis.home import ensure_folder
from visavis.lab.datasets.multiturn import Kind
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.dialogs import Bench, Message, System
from visavis.lab.evaluation.metrics import compare
from visavis.lab.evaluation.protocol import KEPT, PlayedConversation
from visavis.lab.evaluation.report import Run, play_all, plot_curves, write_results
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
    write_results(
        out,
        "dialog",
        result,
        runs[::-1],
        title=f"Five turns towards a product, {len(runs[0].conversations):,} targets among {runs[0].gallery:,}",
        setting=setting,
        plots=_plots(runs, out),
        pictures=pictures,
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
    plot = partial(plot_curves, out, title=f"{runs[0].gallery:,} products", first=1, steps="turn")
    return [file for name, (label, lines) in curves.items() for file in plot(name, lines, label=label)]


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


Attributes = Mapping[str, str]

#: Share of the turns after the first that go back to an earlier picture, and that combine what several have.
_SHARES: Mapping[Kind, float] = {"rollback": 0.3, "combination": 0.3}
#: Attributes in the order in which people name them, with their phrases in a keep.
_ASPECTS = {"articleType": "kind", "baseColour": "colour", "gender": "gender", "usage": "usage", "season": "season"}
_PHRASES = {"gender": "for {}", "usage": "{} wear", "season": "for {}"}
_WORDINGS = (
    "I'd rather have {}", "{}, please", "it should be {}", "can you show me {}", "not this, {}", "more like {}", "{}",
    "I was thinking of {}", "{} would be better", "make it {}",
)  # fmt: skip
_BACK = (
    "Compared to this one I prefer the one from turn {}, and {}", "I would rather choose the one of turn {}, but {}",
    "go back to turn {}, {}",
)  # fmt: skip
_KEEP = ("keep the {} of turn {}", "the {} in turn {} was right", "with the {} of turn {}")


@dataclass(frozen=True)
class Shopper:
    """One user with one target.

    Attributes:
        target: The attributes of the target.
        chance: The random generator of all choices.
        compare: Says how the target differs from a picture, by its id; the catalogue and templates say it unless told.
        kinds: What was done in each turn so far.
    """

    target: Attributes
    chance: random.Random
    compare: Callable[[str], str] | None = None
    kinds: list[Kind] = field(default_factory=list)
    _named: set[str] = field(default_factory=set)

    def speak(self, turn: int, shown: Sequence[tuple[str, Attributes]]) -> Message:
        """Return the message of this turn.

        Args:
            turn: Counted from one.
            shown: Id and attributes of the picture of each turn so far, the start picture first.
        """
        made = self._back(turn, shown) if self._owed("rollback", turn) > 0 else None
        if made is None and self.chance.random() < self._owed("combination", turn):
            made = self._combined(turn, shown)
        self.kinds.append("base" if made is None else made[0])
        return Message(*self._changes(turn, *shown[-1])) if made is None else made[1]

    def _owed(self, kind: Kind, turn: int) -> float:
        """Turns of a kind that are missing to its share of the turns after the first, this one included."""
        return _SHARES[kind] * (turn - 1) - self.kinds.count(kind)

    def _back(self, turn: int, shown: Sequence[tuple[str, Attributes]]) -> tuple[Kind, Message] | None:
        """Go back to a picture, but not the start, that has something right which the last one lacks, or as much."""
        right, last = [self._right(one) for _, one in shown], shown[-1][0]
        liked = [at for at in range(1, len(shown) - 1) if shown[at][0] != last and not right[at] < right[-1]]
        if not liked:
            return None
        best = max(liked, key=lambda at: (len(right[at]), at))
        changes, wishes = self._changes(turn, *shown[best])
        like = Wish(f"{turn}.9", "like", f"turn {best}", turn, picture=shown[best][0])
        return "rollback", Message(self.chance.choice(_BACK).format(best, changes), (like, *wishes))

    def _combined(self, turn: int, shown: Sequence[tuple[str, Attributes]]) -> tuple[Kind, Message] | None:
        kept = self._kept(turn, shown)
        if kept is None:
            return None
        changes, wishes = self._changes(turn, *shown[-1])
        return "combination", Message(f"{kept[0]}, {changes}", (*kept[1], *wishes))

    def _right(self, other: Attributes) -> set[str]:
        """What a picture shares with the target: aspects, and words of the title."""
        return {a for a in _ASPECTS if self.target[a] == other[a]} | {*title_words(self.target)} & {*title_words(other)}

    def _changes(self, turn: int, id: str, current: Attributes) -> tuple[str, tuple[Wish, ...]]:
        """Return one or two differences that were not yet named, or what a comparison says."""
        if self.compare is not None:
            told = self.compare(id)
            return told, (Wish(f"{turn}.1", "want", without_verb(told), turn),)
        wrong = [a for a in _ASPECTS if a not in self._named and self.target[a] and self.target[a] != current[a]]
        phrases = [(aspect, phrase(aspect, self.target[aspect])) for aspect in wrong]
        words = [w for w in title_words(self.target) if w not in self._named]
        phrases += [(word, word) for word in words]
        chosen = phrases[: self.chance.choice((1, 1, 2))]
        self._named.update(key for key, _ in chosen)
        if not chosen:
            return "something like this", ()
        said = " and ".join(text for _, text in chosen)
        wishes = tuple(Wish(f"{turn}.{at}", "want", text, turn) for at, (_, text) in enumerate(chosen, start=1))
        return self.chance.choice(_WORDINGS).format(said), wishes

    def _kept(self, turn: int, shown: Sequence[tuple[str, Attributes]]) -> tuple[str, list[Wish]] | None:
        """Return up to two aspects that earlier pictures share with the target and that were not yet named."""
        found: list[tuple[str, int]] = []
        for aspect in _ASPECTS:
            right = [at for at in range(1, len(shown)) if shown[at][1][aspect] == self.target[aspect]]
            if right and aspect not in self._named:
                found.append((aspect, self.chance.choice(right)))
        found = found[:2]
        self._named.update(aspect for aspect, _ in found)
        texts = [self.chance.choice(_KEEP).format(_ASPECTS[aspect], at) for aspect, at in found]
        keeps = [
            Wish(f"{turn}.{7 + place}", "keep", f"turn {at}", turn, picture=shown[at][0], attribute=_ASPECTS[aspect])
            for place, (aspect, at) in enumerate(found)
        ]
        return (" and ".join(texts), keeps) if found else None


def without_verb(words: str) -> str:
    """Return the request of a comparison.

    >>> without_verb("are shoes and is blue")
    'shoes and is blue'
    """
    return words.removeprefix("is ").removeprefix("are ")


def phrase(aspect: str, value: str) -> str:
    """Return a value as people say it: "navy blue", "for women", "sports wear"."""
    return _PHRASES.get(aspect, "{}").format(value.lower())


def title_words(attributes: Attributes) -> list[str]:
    """Return words of the title that are in no attribute: brand, pattern, model."""
    known = set(re.findall(r"[a-z]+", " ".join(v for k, v in attributes.items() if k != "productDisplayName").lower()))
    words = re.findall(r"[a-z]{4,}", attributes["productDisplayName"].lower())
    return [word for word in dict.fromkeys(words) if not any(word[:4] == other[:4] for other in known)]


def shopping_ranks(
    bench: Bench,
    system: System,
    target: str,
    start: str,
    turns: int,
    seed: int,
    user: SimulatedUser | None = None,
    kinds: Counter[Kind] | None = None,
) -> list[int]:
    """Run one conversation: the best picture is shown each turn; it ends when that is the target.

    A user says what is different; templates of the catalogue do unless one is given. What was done in the turns after
    the first is counted in ``kinds``.
    """
    gallery = bench.gallery
    place = gallery.places[target]
    compare = None if user is None else lambda id: user.compare([id], target)
    shopper = Shopper(gallery.attributes[place], random.Random(f"{seed} {target}"), compare)
    shown = [(start, gallery.attributes[gallery.places[start]])]
    said: list[Message] = []
    ranks: list[int] = []
    for turn in range(1, turns + 1):
        said.append(replace(shopper.speak(turn, shown), shown=(shown[-1][0],)))
        scores = system(said)
        ranks.append(metrics.place_of(scores, place))
        best = int(scores.argmax())
        if best == place:
            break
        shown.append((gallery.ids[best], gallery.attributes[best]))
    if kinds is not None:
        kinds.update(shopper.kinds[1:])
    return ranks
