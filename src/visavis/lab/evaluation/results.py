"""Conversations on disk: one line each, appended as they finish, so that a run can be resumed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError, StorageError
from visavis.home import ensure_folder
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.protocol import PlayedConversation


@dataclass(frozen=True)
class Run:
    """The conversations of one questioner.

    Attributes:
        questioner: Its name.
        conversations: One a target, in the order of the targets.
        gallery: The number of pictures.
        rounds: The number of questions.
        setting: The settings of the run, where it was read from a file.
    """

    questioner: str
    conversations: tuple[PlayedConversation, ...]
    gallery: int
    rounds: int
    setting: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ranks(self) -> metrics.RankTable:
        """The table of ranks."""
        return metrics.pad_ranks([conversation.ranks for conversation in self.conversations], self.rounds)

    def summary(self) -> dict[str, Any]:
        """Return all metrics, with the size of the gallery."""
        ranks = self.ranks
        asked = [[text for text, _, _ in conversation.exchanges] for conversation in self.conversations]
        turns = [turn for turn in metrics.turns_to_success(ranks, 10) if turn is not None]
        return {
            "questioner": self.questioner,
            "gallery": self.gallery,
            "targets": len(self.conversations),
            "rounds": self.rounds,
            **{f"hits@{k}": _plain(metrics.hits(ranks, k)) for k in (1, 5, 10, 50)},
            **{f"recall@{k}": _plain(metrics.recall(ranks, k)) for k in (1, 10, 50)},
            "mean_rank": _plain(metrics.mean_rank(ranks)),
            "ranking_percentile": _plain(metrics.ranking_percentile(ranks, self.gallery)),
            "bri": round(metrics.best_log_rank_integral(ranks), 4),
            "questions": round(sum(map(len, asked)) / len(asked), 3),
            "repeated_questions": round(sum(map(metrics.repeated_questions, asked)) / len(asked), 3),
            "turns_to_success": round(sum(turns) / len(turns), 3) if turns else None,
        }


def play_all(
    file: Path,
    targets: Sequence[str],
    play: Callable[[str], PlayedConversation],
    setting: Mapping[str, Any],
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[PlayedConversation, ...]:
    """Run every target that the file does not contain yet; results of another setting are discarded."""
    done = _read(file, setting)
    ensure_folder(file.parent)
    try:
        with file.open("a" if done else "w", encoding="utf-8") as stream:
            if not done:
                stream.write(json.dumps({"setting": dict(setting)}, sort_keys=True) + "\n")
            for count, target in enumerate(targets, 1):
                if target not in done:
                    done[target] = play(target)
                    stream.write(json.dumps(done[target].as_json(), ensure_ascii=False) + "\n")
                    stream.flush()
                progress(count)
    except OSError as error:
        raise StorageError(
            f"{file} cannot be written: {error.strerror}.", "Choose another folder with --out."
        ) from error
    return tuple(done[target] for target in targets)


def read_runs(file: Path) -> list[Run]:
    """Read the runs of a file: lines of settings, each with the conversations that were played with it.

    A target may be looked for several times, as by the people of a study.
    """
    found: list[tuple[dict[str, Any], list[PlayedConversation]]] = []
    try:
        for line in file.read_text("utf-8").splitlines():
            value = json.loads(line)
            if "setting" in value:
                found.append((dict(value["setting"]), []))
            else:
                found[-1][1].append(PlayedConversation.from_json(value))
        return [
            Run(str(setting["questioner"]), tuple(played), int(setting["gallery"]), int(setting["rounds"]), setting)
            for setting, played in found
            if played
        ]
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}.", "Check the path.") from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise BadInputError(f"{file} is no file of runs: {error!r}.", "Export it anew.") from error


def _read(file: Path, setting: Mapping[str, Any]) -> dict[str, PlayedConversation]:
    """Read the conversations of an earlier run of the same setting; a truncated line ends the reading."""
    if not file.exists():
        return {}
    lines = file.read_text("utf-8").split("\n")
    try:
        same = json.loads(lines[0]) == json.loads(json.dumps({"setting": dict(setting)}))
    except ValueError:
        return {}
    done: dict[str, PlayedConversation] = {}
    whole = []
    for line in lines[1:] if same else ():
        try:
            conversation = PlayedConversation.from_json(json.loads(line))
        except (ValueError, KeyError, TypeError):
            break
        done[conversation.target] = conversation
        whole.append(line)
    if done:
        file.write_text("\n".join([lines[0], *whole, ""]), "utf-8")
    return done


def _plain(values: Iterable[float]) -> list[float]:
    return [round(float(value), 5) for value in values]


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
