"""Packs: a data set as two files that can be moved and read fast, small pictures and their texts.

``NAME.bin`` holds the pictures one after the other as WebP, ``NAME.jsonl`` a line each: where it lies in the
first file, its split, its group (pictures of one group are never each other's negatives) and its texts.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from visavis.errors import NotFoundError
from visavis.files import replace_bytes, replacing


@dataclass(frozen=True)
class Sample:
    """A picture to learn from: its file, and what is said of it."""

    path: Path
    texts: tuple[str, ...]
    split: str = "train"
    group: str = ""


@dataclass(frozen=True)
class PackedSample:
    """One line of a pack."""

    offset: int
    length: int
    split: str
    group: str
    texts: tuple[str, ...]


def write_pack(
    target: Path,
    samples: Iterable[Sample],
    *,
    size: int = 192,
    quality: int = 55,
    processes: int = 2,
    on_progress: Callable[[int], None] | None = None,
) -> int:
    """Write ``target.bin`` and ``target.jsonl``; unreadable pictures are left out. Returns how many were packed."""
    chosen = list(samples)
    offset = count = 0
    with (
        target.with_suffix(".bin").open("wb") as pixels,
        replacing(target.with_suffix(".jsonl")) as lines,  # the pack exists only when it is whole
        ProcessPoolExecutor(processes) as pool,
    ):
        squeezed = pool.map(partial(_squeeze, size=size, quality=quality), (s.path for s in chosen), chunksize=64)
        for sample, data in zip(chosen, squeezed, strict=True):
            if data is None:
                continue
            pixels.write(data)
            row = PackedSample(offset, len(data), sample.split, sample.group or sample.path.stem, sample.texts)
            lines.write(f"{json.dumps(asdict(row), ensure_ascii=False)}\n".encode())
            offset, count = offset + len(data), count + 1
            if on_progress:
                on_progress(count)
    return count


def _squeeze(path: Path, size: int, quality: int) -> bytes | None:
    """A picture squashed to a square (what the encoder sees), never enlarged."""
    try:
        with Image.open(path) as opened:
            opened.draft("RGB", (size, size))
            image = opened.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    side = min(size, max(image.size))
    if image.size != (side, side):
        image = image.resize((side, side), Image.Resampling.BICUBIC)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=quality, method=2)
    return buffer.getvalue()


class Pack:
    """A pack opened for reading."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self._bin = path.with_suffix(".bin")
        if not path.with_suffix(".jsonl").is_file() or not self._bin.is_file():
            raise NotFoundError(f"There is no pack at {path}.", "Make it with: visavis train pack")
        lines = path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
        self.samples = [PackedSample(**{**row, "texts": tuple(row["texts"])}) for row in map(json.loads, lines)]

    def __len__(self) -> int:
        return len(self.samples)

    def pixels(self, chosen: Sequence[int], size: int, processes: int = 2) -> np.ndarray:
        """The chosen pictures as ``uint8 [n, 3, size, size]``."""
        out = np.empty((len(chosen), 3, size, size), dtype=np.uint8)
        work = [(self.samples[i].offset, self.samples[i].length) for i in chosen]
        parts = np.array_split(np.arange(len(chosen)), max(1, min(len(chosen) // 64, processes * 8)))
        jobs = [[work[i] for i in part] for part in parts]
        with ProcessPoolExecutor(processes) as pool:
            for part, decoded in zip(parts, pool.map(partial(_decode, self._bin, size), jobs), strict=True):
                out[part] = decoded
        return out


def _decode(path: Path, size: int, places: Sequence[tuple[int, int]]) -> np.ndarray:
    out = np.empty((len(places), 3, size, size), dtype=np.uint8)
    with path.open("rb") as file:
        for i, (offset, length) in enumerate(places):
            file.seek(offset)
            image = Image.open(io.BytesIO(file.read(length))).convert("RGB")
            if image.size != (size, size):
                image = image.resize((size, size), Image.Resampling.BICUBIC)
            out[i] = np.asarray(image).transpose(2, 0, 1)
    return out


def unpack(source: Path, target: Path, size: int, processes: int) -> list[str]:
    """Decode every pack of a folder that is not in ``target`` yet; a pack's ``.jsonl`` appears when it is whole."""
    target.mkdir(parents=True, exist_ok=True)
    names = []
    for rows in sorted(source.glob("*.jsonl")):
        if (target / rows.name).is_file():
            continue
        started, pack = time.monotonic(), Pack(rows.with_suffix(""))
        pixels = pack.pixels(range(len(pack)), size, processes)
        np.save(target / f"{rows.stem}.npy", pixels)
        replace_bytes(target / rows.name, rows.read_bytes())
        names.append(rows.stem)
        print(f"{rows.stem}: {len(pack)} pictures, {time.monotonic() - started:.1f} s", flush=True)
    return names


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--size", type=int, default=168)
    given = parser.parse_args()
    unpack(given.source, given.target, given.size, os.cpu_count() or 2)
