"""ChatIR's protocol: one picture, ten questions, found when it is among the first ten."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.evaluation import metrics, trec
from visavis.evaluation.belief import Belief, Weights
from visavis.evaluation.gallery import Gallery
from visavis.evaluation.plots import plot_curves
from visavis.evaluation.protocol import Protocol
from visavis.evaluation.report import thumbnails_from, write_report
from visavis.evaluation.results import Run, play_all
from visavis.evaluation.significance import compare
from visavis.home import ensure_folder
from visavis.questions.base import Questioner
from visavis.questions.registry import default_bank, make_questioner
from visavis.simulation.base import SimulatedUser

Progress = Callable[[str, int, int], None]
#: Every fourth target (by a hash of its id) was used to choose weights; none of them is measured.
_DEVELOPMENT = 4


@dataclass(frozen=True)
class Setting:
    """What a run is; conversations played in another setting are not mixed with it.

    Attributes:
        questioners: Names, the one to be compared with the others first.
        rounds: How many questions may be asked.
        gallery: How many pictures; all that there are, unless told.
        limit: How many targets; all, unless told.
        seed: Draws the gallery and the targets.
    """

    questioners: tuple[str, ...]
    rounds: int = 10
    gallery: int | None = None
    limit: int | None = None
    seed: int = 0
    weights: Weights = field(default_factory=Weights)

    def __post_init__(self) -> None:
        if self.rounds < 1 or (self.limit is not None and self.limit < 1):
            raise BadInputError("At least one round and one target are needed.")


def is_development(target: str) -> bool:
    """Whether a target served to choose weights and must not be measured."""
    return hashlib.blake2b(target.encode()).digest()[0] % _DEVELOPMENT == 0


def choose_targets(gallery: Gallery, captions: Mapping[str, Sequence[str]], splits: Mapping[str, str]) -> list[str]:
    """Held-out pictures with at least four captions: one to open with, others to answer from."""
    every = [
        id
        for id in gallery.ids
        if len(captions.get(id, ())) >= 4 and splits.get(id, "val") in ("val", "") and not is_development(id)
    ]
    if not every:
        raise NotFoundError("No picture of the gallery can be a target.", "It needs four captions and the split 'val'.")
    return sorted(every, key=lambda id: hashlib.blake2b(f"order:{id}".encode()).digest())


def run_chatir(
    gallery: Gallery,
    targets: Sequence[str],
    user: SimulatedUser,
    encoder: Encoder,
    setting: Setting,
    out: Path,
    *,
    dialogs: Path | None = None,
    pictures: Path | None = None,
    home: Path | str | None = None,
    progress: Progress = lambda _name, _done, _all: None,
) -> dict[str, Any]:
    """Play every questioner on the same targets and write figures, runs, plots and the report to a folder."""
    chosen = list(targets)[: setting.limit]
    searched = gallery.of_size(setting.gallery, targets, setting.seed)
    bank = default_bank(encoder, home)
    belief = Belief(searched, bank, setting.weights)
    protocol = Protocol(belief, user, setting.rounds)
    told = {
        "gallery": len(searched), "rounds": setting.rounds, "seed": setting.seed, "user": user.name,
        "strength": user.strength.as_json(), "encoder": encoder.name, "weights": asdict(setting.weights),
    }  # fmt: skip
    ensure_folder(out)
    runs = []
    for name in setting.questioners:
        questioner = make_questioner(name, bank, dialogs)
        runs.append(_play(name, questioner, protocol, chosen, told, out, progress))
    return _write(runs, told, out, pictures)


def _play(
    name: str,
    questioner: Questioner | None,
    protocol: Protocol,
    targets: Sequence[str],
    setting: Mapping[str, Any],
    out: Path,
    progress: Progress,
) -> Run:
    conversations = play_all(
        out / f"{name}.jsonl",
        targets,
        lambda target: protocol.play(target, questioner),
        {**setting, "questioner": name},
        lambda done: progress(name, done, len(targets)),
    )
    return Run(name, conversations, setting["gallery"], setting["rounds"])


def _write(runs: list[Run], setting: Mapping[str, Any], out: Path, pictures: Path | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "setting": dict(setting),
        "targets": len(runs[0].conversations),
        "questioners": {run.questioner: run.summary() for run in runs},
        "comparisons": _comparisons(runs),
    }
    (out / "chatir.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    trec.write_qrels(out / "qrels.trec", {c.target: c.target for c in runs[0].conversations})
    for run in runs:
        trec.write_run(out / f"{run.questioner}.trec", {c.target: c.top[-1] for c in run.conversations}, run.questioner)
    plots = _plots(runs, setting["gallery"], out)
    write_report(
        out / "report.html",
        title=f"ChatIR protocol, {setting['gallery']:,} pictures, {len(runs[0].conversations):,} targets",
        setting=setting,
        runs=runs,
        comparisons=result["comparisons"],
        plots=plots,
        thumbnail=thumbnails_from(pictures),
    )
    return result


def _comparisons(runs: list[Run]) -> dict[str, dict[str, Any]]:
    """The first questioner against each other one: found within 5 and within all rounds."""
    first, found = runs[0], {}
    for other in runs[1:]:
        for round_ in sorted({min(5, first.rounds), first.rounds}):
            pair = [metrics.found_up_to(run.ranks, 10)[:, round_].astype(float) for run in (first, other)]
            name = f"{first.questioner} - {other.questioner}, Hits@10, {round_} rounds"
            found[name] = dict(compare(*pair).as_json())
    return found


def _plots(runs: list[Run], gallery: int, out: Path) -> list[Path]:
    from visavis.errors import MissingExtraError

    try:
        curves = {run.questioner: metrics.hits(run.ranks, 10).tolist() for run in runs}
        return plot_curves(out, "hits10", curves, title=f"Found among the first 10 of {gallery:,}", label="Hits@10")
    except MissingExtraError:
        return []  # the figures are there; plots come with the extra
