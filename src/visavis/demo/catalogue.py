"""Draw many pictures into a folder: resumable, in several processes, with a JSONL file that describes them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from visavis.demo.items import describe, hard_negatives
from visavis.demo.painter import draw
from visavis.demo.scenes import describe_scene, draw_scene, scene_negatives
from visavis.errors import BadInputError, StorageError, VisavisError
from visavis.files import replace_bytes, replacing
from visavis.home import ensure_folder

#: Kinds of picture sets: catalogue items, the same with all their captions, scenes.
KINDS = ("items", "training", "scenes")
_QUALITY = 92
_WORKER = "import sys; from visavis.demo.catalogue import draw_numbers; sys.exit(draw_numbers(*sys.argv[1:]))"


def file_name(kind: str, seed: int, index: int) -> str:
    """Return the picture's file name."""
    return f"{'scene' if kind == 'scenes' else 'demo'}-{seed}-{index:06d}.jpg"


def draw_file(folder: Path, kind: str, seed: int, index: int) -> None:
    """Draw one picture and write it atomically."""
    picture = draw_scene(describe_scene(seed, index)) if kind == "scenes" else draw(describe(seed, index))
    with replacing(folder / file_name(kind, seed, index)) as file:
        picture.save(file, "JPEG", quality=_QUALITY, subsampling=0)


def record(kind: str, seed: int, index: int) -> dict[str, Any]:
    """Return the line of the JSONL file for one picture."""
    name = file_name(kind, seed, index)
    if kind == "scenes":
        scene = describe_scene(seed, index)
        return {"file": name, "caption": scene.caption, "captions": scene.captions, "negatives": scene_negatives(scene)}
    item = describe(seed, index)
    line: dict[str, Any] = {
        "file": name,
        "title": item.title,
        "caption": item.caption,
        "attributes": item.attributes,
        "price": item.price,
        "currency": "EUR",
    }
    if kind == "training":
        line |= {"captions": item.captions, "negatives": hard_negatives(item)}
    return line


#: Up to this many pictures are drawn in this process: starting another takes longer.
_FEW = 24


def draw_files(folder: Path, kind: str, seed: int, numbers: Sequence[int], processes: int) -> Iterator[int]:
    """Draw the pictures with these numbers and yield each number when its picture is written."""
    if processes == 1 or len(numbers) <= _FEW:
        for number in numbers:
            draw_file(folder, kind, seed, number)
            yield number
        return
    workers = [_worker(folder, kind, seed) for _ in range(processes)]
    try:
        for start, worker in enumerate(workers):
            _send_numbers(worker, numbers[start::processes])
        yield from _reports(workers)
        if any(worker.wait() for worker in workers):
            raise StorageError(
                f"Drawing into {folder} stopped half-way.",
                "Check its rights and the free space and call again: what is drawn is kept.",
            )
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def draw_numbers(folder: str, kind: str, seed: str) -> int:
    """The child program: draw every number that is read from standard input, and echo each when it is drawn."""
    try:
        for number in map(int, sys.stdin.read().split()):
            draw_file(Path(folder), kind, int(seed), number)
            print(number, flush=True)
    except VisavisError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _worker(folder: Path, kind: str, seed: int) -> subprocess.Popen[str]:
    """Start a child program, rather than use multiprocessing.

    It works from a notebook, a script without a main guard, or a process with threads.
    """
    command = [sys.executable, "-P", "-c", _WORKER, str(folder), kind, str(seed)]
    return subprocess.Popen(  # noqa: S603  # our own code in our own interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _send_numbers(worker: subprocess.Popen[str], numbers: Sequence[int]) -> None:
    assert worker.stdin is not None
    with suppress(BrokenPipeError):  # it has ended already; its exit status is checked
        worker.stdin.write("\n".join(map(str, numbers)))
        worker.stdin.flush()
    with suppress(BrokenPipeError):
        worker.stdin.close()
    worker.stdin = None


def _reports(workers: Sequence[subprocess.Popen[str]]) -> Iterator[int]:
    """Yield the numbers that workers report, in turns: their shares are equal, so none waits long for another."""
    streams = [worker.stdout for worker in workers if worker.stdout is not None]
    while streams:
        for stream in tuple(streams):
            line = stream.readline()
            if line:
                yield int(line)
            else:
                streams.remove(stream)


CATALOGUE = "catalogue.jsonl"
#: Increased when drawings change, so that a folder of an older version is drawn again.
DRAWING_VERSION = 2
_MARKER = ".demo-version"
Progress = Callable[[int, int], None]


def draw_catalogue(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Draw ``count`` things into ``folder`` and describe them in ``catalogue.jsonl``.

    Pictures of an interrupted call are kept. The pictures do not depend on ``processes``.

    Args:
        folder: The output folder; created when missing.
        count: The number of items.
        seed: The seed of the catalogue; the same seed gives the same pictures.
        on_progress: Called with the number drawn and ``count``.
        processes: The number of processes.

    Returns:
        The path of the JSONL file: one object a line with file, title, caption, attributes and price.
    """
    return _draw_set(Path(folder), "items", count, seed, on_progress, processes)


def draw_training_set(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Draw like :func:`draw_catalogue`; the lines have all ``captions`` and the ``negatives`` as well."""
    return _draw_set(Path(folder), "training", count, seed, on_progress, processes)


def draw_scenes(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Draw scenes of several items, for training; the lines have file, caption, captions and negatives."""
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
    replace_bytes(folder / CATALOGUE, "".join(lines).encode())
    return folder / CATALOGUE


def _forget_older_drawings(folder: Path) -> None:
    """Delete drawings of another version."""
    marker = folder / _MARKER
    if marker.exists() and marker.read_text().strip() != str(DRAWING_VERSION):
        _drop_unlisted(folder, set())
    replace_bytes(marker, str(DRAWING_VERSION).encode())


def _drop_unlisted(folder: Path, listed: set[str]) -> None:
    """Delete pictures that an earlier call listed here and that are no longer part of the catalogue."""
    earlier = folder / CATALOGUE
    if not earlier.exists():
        return
    for line in earlier.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError, KeyError, TypeError):
            name = json.loads(line)["file"]
            if name not in listed and Path(name).name == name and name.startswith(("demo-", "scene-")):
                (folder / name).unlink(missing_ok=True)
