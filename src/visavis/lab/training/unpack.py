"""Packs decoded for training: ``NAME.npy`` with the pixels beside the ``NAME.jsonl`` of the pack.

A step of its own: all cores can decode packs while a training runs, which takes them up as they come.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

from visavis.files import replace_bytes
from visavis.lab.training.packs import Pack


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
