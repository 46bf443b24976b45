"""The ChatIR protocol: one target, ten questions, a success when it is among the first ten."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

from visavis.conversation.turns import COMPOSED
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.home import ensure_folder
from visavis.lab.datasets.protocol import is_development
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.gallery import Gallery
from visavis.lab.evaluation.metrics import compare
from visavis.lab.evaluation.protocol import Belief, PlayedConversation, Protocol, Weights
from visavis.lab.evaluation.questioners import make_questioner
from visavis.lab.evaluation.report import Run, play_all, plot_curves, write_results
from visavis.lab.simulation.base import SimulatedUser
from visavis.questions.base import Questioner
from visavis.search.bank import ConceptBank, default_bank
from visavis.search.learned.registry import check_name

Progress = Callable[[str, int, int], None]
Play = Callable[[str, Questioner | None], PlayedConversation]
Ranker = Literal["shipped", "belief"]
#: The control whose ranking changes as much as with the first questioner's answers, at random.
CONTROL = "reordered"
#: The rounds at which questioners are compared.
COMPARED = (2, 5, 10)


@dataclass(frozen=True)
class Setting:
    """The settings of a run; results of other settings are not mixed with it.

    Attributes:
        questioners: Names, the one to be compared with the others first.
        rounds: The number of questions.
        gallery: The number of pictures; all by default.
        limit: The number of targets; all by default.
        seed: The seed of the gallery and the targets.
        ranker: ``shipped`` runs the whole assistant; ``belief`` ranks by one simple rule of evidence,
            with nothing of the assistant but the questioner.
        weights: For ``belief``.
        retriever: The name of the assistant's retriever.
    """

    questioners: tuple[str, ...]
    rounds: int = 10
    gallery: int | None = None
    limit: int | None = None
    seed: int = 0
    ranker: Ranker = "shipped"
    weights: Weights = field(default_factory=Weights)
    retriever: str = COMPOSED

    def __post_init__(self) -> None:
        check_name(self.retriever)
        if self.ranker not in get_args(Ranker):
            raise BadInputError(f"There is no ranker '{self.ranker}'.", f"Use {' or '.join(get_args(Ranker))}.")
        if self.rounds < 1 or (self.limit is not None and self.limit < 1):
            raise BadInputError("At least one round and one target are needed.")


def choose_targets(gallery: Gallery, captions: Mapping[str, Sequence[str]], splits: Mapping[str, str]) -> list[str]:
    """Return held-out pictures with at least four captions: one to open with, others to answer from."""
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
    transcript: Path | None = None,
    pictures: Path | None = None,
    home: Path | str | None = None,
    progress: Progress = lambda _name, _done, _all: None,
) -> dict[str, Any]:
    """Run every questioner on the same targets and write figures, runs, plots and the report to a folder."""
    chosen = list(targets)[: setting.limit]
    searched = gallery.of_size(setting.gallery, targets, setting.seed)
    bank = default_bank(encoder, home)
    told = {
        "gallery": len(searched), "rounds": setting.rounds, "seed": setting.seed, "user": user.name,
        "strength": user.strength.as_json(), "encoder": encoder.name, "ranker": setting.ranker,
        **({} if setting.retriever == COMPOSED else {"retriever": setting.retriever}),
        **({"weights": asdict(setting.weights)} if setting.ranker == "belief" else {}),
    }  # fmt: skip
    ensure_folder(out)
    runs = []
    with _stage(searched, user, encoder, bank, setting) as play:
        for name in setting.questioners:
            questioner = make_questioner(name, bank, dialogs, transcript)
            runs.append(_play(name, questioner, play, chosen, told, out, progress))
    return _write([*runs, *_control(runs[0])], told, out, pictures)


@contextmanager
def _stage(
    gallery: Gallery, user: SimulatedUser, encoder: Encoder, bank: ConceptBank, setting: Setting
) -> Iterator[Play]:
    """Set up what runs one conversation."""
    if setting.ranker == "belief":
        yield Protocol(Belief(gallery, bank, setting.weights), user, setting.rounds).play
        return
    from visavis.lab.evaluation.whole_assistant import AssistantProtocol

    with TemporaryDirectory(prefix="visavis-bench-") as home:
        protocol = AssistantProtocol(gallery, user, encoder, setting.rounds, Path(home), setting.retriever)
        try:
            yield protocol.play
        finally:
            protocol.close()


def _control(run: Run) -> list[Run]:
    """Return the control of a run, where it asked anything."""
    moved = tuple(replace(one, ranks=one.moved) for one in run.conversations if one.moved)
    if len(moved) < len(run.conversations) or not any(one.exchanges for one in moved):
        return []
    return [Run(CONTROL, moved, run.gallery, run.rounds)]


def _play(
    name: str,
    questioner: Questioner | None,
    play: Play,
    targets: Sequence[str],
    setting: Mapping[str, Any],
    out: Path,
    progress: Progress,
) -> Run:
    conversations = play_all(
        out / f"{name}.jsonl",
        targets,
        lambda target: play(target, questioner),
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
    write_results(
        out,
        "chatir",
        result,
        runs,
        title=f"ChatIR protocol, {setting['gallery']:,} pictures, {len(runs[0].conversations):,} targets",
        setting=setting,
        plots=_plots(runs, setting["gallery"], out),
        pictures=pictures,
        unranked=(CONTROL,),
    )
    return result


def _comparisons(runs: list[Run]) -> dict[str, dict[str, Any]]:
    """Compare the first questioner with each other one: found within so many rounds, and found in that round."""
    first, found = runs[0], {}
    for other in runs[1:]:
        for round_ in sorted({min(round_, first.rounds) for round_ in COMPARED}):
            hits = [metrics.found_up_to(run.ranks, 10)[:, round_].astype(float) for run in (first, other)]
            stands = [(run.ranks[:, round_] <= 10).astype(float) for run in (first, other)]
            for label, pair in (("Hits@10", hits), ("R@10", stands)):
                name = f"{first.questioner} - {other.questioner}, {label}, {round_} rounds"
                found[name] = dict(compare(*pair).as_json())
    return found


def _plots(runs: list[Run], gallery: int, out: Path) -> list[Path]:
    found = {run.questioner: metrics.hits(run.ranks, 10).tolist() for run in runs}
    stands = {run.questioner: metrics.recall(run.ranks, 10).tolist() for run in runs}
    title = f"among the first 10 of {gallery:,}"
    return [
        *plot_curves(out, "hits10", found, title=f"Found {title}, this round or before", label="Hits@10"),
        *plot_curves(out, "recall10", stands, title=f"Standing {title} in this round", label="R@10"),
    ]
