"""Drawing many pictures into a folder: resumable, on several cores, with a JSONL file that describes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from visavis.demo.crew import draw_files
from visavis.demo.files import file_name, record, write_whole
from visavis.errors import BadInputError
from visavis.home import ensure_folder

CATALOGUE = "catalogue.jsonl"
#: Raised when drawings change, so that a folder drawn by an older version is drawn anew.
DRAWING_VERSION = 2
_MARKER = ".demo-version"
Progress = Callable[[int, int], None]


def draw_catalogue(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Draw ``count`` things into ``folder`` and describe them in ``catalogue.jsonl``.

    What was drawn by an earlier, interrupted call is kept. The pictures do not depend on ``processes``.

    Args:
        folder: Where the pictures go; created when missing.
        count: How many.
        seed: Which catalogue; the same seed gives the same pictures.
        on_progress: Called with the number drawn and ``count`` as the work goes on.
        processes: How many processes draw.

    Returns:
        The path of the JSONL file: one object a line with file, title, caption, attributes and price.
    """
    return _draw_set(Path(folder), "items", count, seed, on_progress, processes)


def draw_training_set(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Like :func:`draw_catalogue`; the lines have all ``captions`` and the ``negatives`` as well."""
    return _draw_set(Path(folder), "training", count, seed, on_progress, processes)


def draw_scenes(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Draw scenes of several things, for training; the lines have file, caption, captions and negatives."""
    return _draw_set(Path(folder), "scenes", count, seed, on_progress, processes)


def _draw_set(folder: Path, kind: str, count: int, seed: int, on_progress: Progress | None, processes: int) -> Path:
    if count < 0 or processes < 1:
        raise BadInputError(
            f"{count} pictures on {processes} processes cannot be drawn.", "Give no count below zero and a process."
        )
    ensure_folder(folder)
    _forget_older_drawings(folder)
    names = [file_name(kind, seed, index) for index in range(count)]
    missing = [index for index, name in enumerate(names) if not (folder / name).exists()]
    report = on_progress or (lambda _done, _total: None)
    done = count - len(missing)
    report(done, count)
    for _ in draw_files(folder, kind, seed, missing, processes):
        done += 1
        report(done, count)
    _drop_unlisted(folder, set(names))
    lines = [json.dumps(record(kind, seed, index), ensure_ascii=False) + "\n" for index in range(count)]
    write_whole(folder / CATALOGUE, lambda path: path.write_bytes("".join(lines).encode()))
    return folder / CATALOGUE


def _forget_older_drawings(folder: Path) -> None:
    """Drawings of another version are drawn anew, not mixed with today's."""
    marker = folder / _MARKER
    if marker.exists() and marker.read_text().strip() != str(DRAWING_VERSION):
        _drop_unlisted(folder, set())
    write_whole(marker, lambda path: path.write_text(str(DRAWING_VERSION)))


def _drop_unlisted(folder: Path, listed: set[str]) -> None:
    """Remove pictures that an earlier call drew and listed here and that are no longer part of the catalogue."""
    earlier = folder / CATALOGUE
    if not earlier.exists():
        return
    for line in earlier.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError, KeyError, TypeError):
            name = json.loads(line)["file"]
            if name not in listed and Path(name).name == name and name.startswith(("demo-", "scene-")):
                (folder / name).unlink(missing_ok=True)
