"""Drawing many pictures into a folder: resumable, on several cores, with a JSONL file that describes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from PIL import Image

from visavis.demo.drawing import draw
from visavis.demo.items import describe
from visavis.demo.negatives import hard_negatives
from visavis.demo.scenes import describe_scene, draw_scene, scene_negatives
from visavis.errors import BadInputError, StorageError
from visavis.home import ensure_folder

CATALOGUE = "catalogue.jsonl"
#: Raised when drawings change, so that a folder drawn by an older version is drawn anew.
DRAWING_VERSION = 1
_MARKER = ".demo-version"
_QUALITY = 92
_FEW = 24
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


def draw_scenes(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Draw scenes of several things, for training; lines have file, caption, captions and negatives."""
    return _draw_set(Path(folder), "scenes", count, seed, on_progress, processes)


def draw_training_set(
    folder: Path | str, count: int = 1000, seed: int = 1, on_progress: Progress | None = None, processes: int = 2
) -> Path:
    """Draw things of the catalogue for training; lines have all captions and hard negatives as well."""
    return _draw_set(Path(folder), "training", count, seed, on_progress, processes)


def _draw_set(folder: Path, kind: str, count: int, seed: int, on_progress: Progress | None, processes: int) -> Path:
    if count < 0 or processes < 1:
        raise BadInputError(f"{count} pictures on {processes} processes cannot be drawn.", "Give numbers above zero.")
    ensure_folder(folder)
    _forget_older_drawings(folder)
    missing = [i for i in range(count) if not (folder / file_name(kind, seed, i)).exists()]
    report = on_progress or (lambda _done, _total: None)
    done = count - len(missing)
    report(done, count)
    for _ in _drawn(folder, kind, seed, missing, processes):
        done += 1
        report(done, count)
    lines = [json.dumps(record(kind, seed, i), ensure_ascii=False) for i in range(count)]
    _drop_unlisted(folder, {file_name(kind, seed, i) for i in range(count)})
    return _write(folder / CATALOGUE, "".join(line + "\n" for line in lines).encode())


def _drawn(folder: Path, kind: str, seed: int, missing: list[int], processes: int) -> Iterator[int]:
    if processes == 1 or len(missing) <= _FEW:
        for index in missing:
            draw_one(folder, kind, seed, index)
            yield index
        return
    # Plain child programs and not multiprocessing: those work from any caller, be it a notebook, a script
    # without a main guard or a process that already runs threads.
    command = [sys.executable, "-m", "visavis.demo.worker", str(folder), kind, str(seed)]
    shares = [missing[start::processes] for start in range(processes)]
    workers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in shares]  # noqa: S603
    try:
        for worker, share in zip(workers, shares, strict=True):
            assert worker.stdin is not None
            worker.stdin.write("\n".join(map(str, share)))
            worker.stdin.close()
        yield from _followed(workers)
        if any(worker.wait() for worker in workers):
            raise StorageError(
                f"Drawing into {folder} stopped half-way.", "Check its rights and free space, then call again."
            )
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def _followed(workers: list[subprocess.Popen[str]]) -> Iterator[int]:
    """What the workers report, in turns; they have equal shares, so none waits long for another."""
    streams = [worker.stdout for worker in workers if worker.stdout is not None]
    while streams:
        for stream in tuple(streams):
            line = stream.readline()
            if line:
                yield int(line)
            else:
                streams.remove(stream)
                stream.close()


def file_name(kind: str, seed: int, index: int) -> str:
    """The picture's name within its folder."""
    return f"{'scene' if kind == 'scenes' else 'demo'}-{seed}-{index:06d}.jpg"


def draw_one(folder: Path, kind: str, seed: int, index: int) -> None:
    """Draw one picture; it appears under its name only when it is whole."""
    image = draw_scene(describe_scene(seed, index)) if kind == "scenes" else draw(describe(seed, index))
    target = folder / file_name(kind, seed, index)
    _save(image, target)


def _save(image: Image.Image, target: Path) -> None:
    part = target.with_suffix(f".{os.getpid()}.part")
    try:
        image.save(part, "JPEG", quality=_QUALITY, subsampling=0)
        part.replace(target)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise StorageError(
            f"{target} cannot be written: {error.strerror or error}.", "Check rights and free space."
        ) from error


def record(kind: str, seed: int, index: int) -> dict[str, Any]:
    """The line of the JSONL file for one picture."""
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
    }
    if kind == "training":
        line |= {"captions": item.captions, "negatives": hard_negatives(item)}
    return line


def _forget_older_drawings(folder: Path) -> None:
    """Drawings of another version are drawn anew, not mixed with today's."""
    marker = folder / _MARKER
    if marker.exists() and marker.read_text().strip() != str(DRAWING_VERSION):
        _drop_unlisted(folder, set())
    _write(marker, str(DRAWING_VERSION).encode())


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


def _write(path: Path, content: bytes) -> Path:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror or error}.", "Check rights and free space."
        ) from error
    return path
