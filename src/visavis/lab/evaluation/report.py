"""Conversations on disk, one line each so that a run can be resumed, and the HTML report of a run."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from visavis.errors import BadInputError, NotFoundError, StorageError
from visavis.home import ensure_folder
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.protocol import PlayedConversation

Thumbnail = Callable[[str], str]
#: Conversations that the report shows.
_EXAMPLES = 6
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .7rem;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child{text-align:left}img.t{width:84px;height:84px;object-fit:cover;border-radius:4px;margin:2px}
img.hit{outline:3px solid #2a9d4a}.talk{border:1px solid #ddd;border-radius:8px;padding:.6rem 1rem;margin:1rem 0}
.q{color:#345}.a{font-weight:600}.rank{float:right;color:#777}img.plot{width:100%;max-width:46rem}
"""


def _thumbnails_from(folder: Path | None) -> Thumbnail:
    """Return a function from an id to an ``<img>`` of the file of that name (with or without leading zeros), or ""."""

    def thumbnail(id: str) -> str:
        if folder is None:
            return ""
        names = [f"{id}.jpg", f"{id}.png", f"{id.zfill(12)}.jpg"]
        file = next((folder / name for name in names if (folder / name).is_file()), None)
        if file is None:
            return ""
        try:
            with Image.open(file) as opened:
                small = opened.convert("RGB")
                small.thumbnail((168, 168))
        except (OSError, UnidentifiedImageError):
            return ""
        stream = io.BytesIO()
        small.save(stream, "JPEG", quality=70)
        return f"data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode()}"

    return thumbnail


def write_results(
    out: Path,
    name: str,
    result: Mapping[str, Any],
    runs: Sequence[Run],
    *,
    title: str,
    setting: Mapping[str, Any],
    plots: Sequence[Path],
    pictures: Path | None,
    unranked: Sequence[str] = (),
    cells: Callable[[Run], Mapping[str, str]] | None = None,
) -> None:
    """Write the figures as ``NAME.json``, the targets and runs in TREC's forms, and the report.

    Args:
        out: The output folder.
        name: The name of the protocol.
        result: The figures; ``comparisons`` stand in the report.
        runs: The runs, in the order of the report.
        title: The title of the report.
        setting: What the report says of the setting.
        plots: Its plots.
        pictures: The folder of the pictures, for thumbnails.
        unranked: Systems that have ranks, but no ranking of their own.
        cells: Makes a row of the report's table.
    """
    (out / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    write_qrels(out / "qrels.trec", {c.target: c.target for c in runs[0].conversations})
    for run in runs:
        if run.questioner not in unranked:
            tag = run.questioner.replace(" ", "-")
            write_run(out / f"{tag}.trec", {c.target: c.top[-1] for c in run.conversations}, tag)
    parts = [f"<!doctype html><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"]
    parts.append(f"<h1>{escape(title)}</h1><p>{escape(', '.join(f'{k}: {v}' for k, v in setting.items()))}</p>")
    parts.append(_figures(runs, cells or question_cells))
    if result["comparisons"]:
        parts.append(_significance(result["comparisons"]))
    parts += [plot.read_text("utf-8").split("?>", 1)[-1] for plot in plots if plot.suffix == ".svg"]
    parts.append(f"<h2>Conversations of {escape(runs[0].questioner)}</h2>")
    thumbnail = _thumbnails_from(pictures)
    parts += [_talk(conversation, thumbnail) for conversation in _examples(runs[0].conversations, _EXAMPLES)]
    (out / "report.html").write_text("\n".join(parts), "utf-8")


def rounds_shown(rounds: int) -> list[int]:
    """Return the rounds that tables show."""
    return [round_ for round_ in (0, 1, 2, 3, 5, 10) if round_ <= rounds]


def question_cells(run: Run) -> dict[str, str]:
    """Return a questioner's row of the table: column -> figure."""
    rounds, figures = rounds_shown(run.rounds), run.summary()
    return {
        **{f"Hits@10, {r}": f"{100 * figures['hits@10'][r]:.1f}" for r in rounds},
        **{f"R@10, {r}": f"{100 * figures['recall@10'][r]:.1f}" for r in rounds if r},
        "R@1 last": f"{100 * figures['recall@1'][-1]:.1f}",
        "BRI": f"{figures['bri']:.2f}",
        "asked": f"{figures['questions']:.1f}",
        "gallery": f"{figures['gallery']:,}",
    }


def _figures(runs: Sequence[Run], cells: Callable[[Run], Mapping[str, str]]) -> str:
    told = {run.questioner: cells(run) for run in runs}
    head = "".join(f"<th>{escape(column)}</th>" for column in next(iter(told.values()), {}))
    rows = (
        f"<tr><td>{escape(name)}</td>{''.join(f'<td>{escape(cell)}</td>' for cell in row.values())}</tr>"
        for name, row in told.items()
    )
    return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def _significance(comparisons: Mapping[str, Mapping[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{100 * value['difference']:+.1f}</td>"
        f"<td>{100 * value['low']:+.1f} to {100 * value['high']:+.1f}</td><td>{value['p']:.4f}</td></tr>"
        for name, value in comparisons.items()
    )
    return f"<table><tr><th>difference</th><th>points</th><th>95 %</th><th>p</th></tr>{rows}</table>"


def _examples(conversations: Sequence[PlayedConversation], count: int) -> list[PlayedConversation]:
    """Select examples: half of those that gained most, half of those that lost most."""
    ordered = sorted(conversations, key=lambda c: c.ranks[-1] / c.ranks[0])
    return ordered if len(ordered) <= count else [*ordered[: count - count // 2], *ordered[-(count // 2) :]]


def _talk(conversation: PlayedConversation, thumbnail: Thumbnail) -> str:
    lines = [f"<div class=talk>{_picture(conversation.target, True, thumbnail)}"]
    lines.append(f"<p class=a>{escape(conversation.opening)}<span class=rank>rank {conversation.ranks[0]}</span></p>")
    for (question, _, answer), rank in zip(conversation.exchanges, conversation.ranks[1:], strict=True):
        lines.append(
            f"<p><span class=q>{escape(question)}</span> <span class=a>{escape(answer)}</span>"
            f"<span class=rank>rank {rank}</span></p>"
        )
    lines += [_picture(id, id == conversation.target, thumbnail) for id, _ in conversation.top[-1]]
    return "".join(lines) + "</div>"


def _picture(id: str, hit: bool, thumbnail: Thumbnail) -> str:
    source = thumbnail(id)
    return f'<img class="t{" hit" if hit else ""}" src="{source}" alt="{escape(id)}">' if source else ""


def plot_curves(
    folder: Path,
    name: str,
    curves: Mapping[str, Sequence[float]],
    *,
    title: str,
    label: str,
    percent: bool = True,
    first: int = 0,
    steps: str = "questions answered",
) -> list[Path]:
    """Plot one line a system over the rounds, as ``NAME.png`` and ``NAME.svg``; none without the extra ``bench``.

    Args:
        folder: The output folder.
        name: The name of the files.
        curves: System -> values, one a round.
        title: The title of the plot.
        label: The label of the values.
        percent: Whether the values are shares.
        first: The number of the first round.
        steps: The label of the rounds.
    """
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        return []
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for system, values in curves.items():
        shown = [100 * value for value in values] if percent else list(values)
        axes.plot(range(first, first + len(shown)), shown, marker="o", markersize=3.5, label=system)
    axes.set(title=title, xlabel=steps, ylabel=f"{label} (%)" if percent else label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    files = [folder / f"{name}.{ending}" for ending in ("png", "svg")]
    for file in files:
        figure.savefig(file, dpi=130)
    plt.close(figure)
    return files


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
