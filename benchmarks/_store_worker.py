"""One step of the store benchmark in a separate process, so that its memory can be measured."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from _store_data import NEIGHBOURS, Data
from _store_engines import ENGINES, Engine

WIDTHS = (10, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_PASSES = 3


def memory() -> dict[str, int]:
    """Return resident bytes, how many of them are anonymous, and the peak."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return {name: int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon", "VmHWM")}


def measure(search, truth) -> dict[str, float]:
    """Return recall, and the median and the 99th percentile of the times; each query counts with its fastest of three.

    The machine is shared: a query that waited for another process says nothing about the engine.
    """
    times = np.full((_PASSES, len(truth)), np.inf)
    hits = 0
    for turn in range(_PASSES):
        for number in range(len(truth)):
            began = time.perf_counter()
            found = search(number)
            times[turn, number] = time.perf_counter() - began
            if turn == 0:
                hits += len(set(map(int, found)) & set(truth[number].tolist()))
    fastest = times.min(axis=0) * 1000
    return {
        "recall": hits / (len(truth) * NEIGHBOURS),
        "p50": float(np.percentile(fastest, 50)),
        "p99": float(np.percentile(fastest, 99)),
        "p99_all": float(np.percentile(times * 1000, 99)),
    }


def build(engine: Engine, data: Data) -> dict[str, object]:
    began = time.perf_counter()
    more = engine.build(data)
    seconds = time.perf_counter() - began
    disk = sum(file.stat().st_blocks * 512 for file in engine.folder.rglob("*"))
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024  # visavis builds its graph in a child process
    return {"seconds": seconds, **more, "disk": disk, "peak": max(memory()["VmHWM"], child)}


def serve(engine: Engine, data: Data) -> dict[str, object]:
    queries, nearest, within = data.queries, data.nearest, data.nearest_in_bucket
    before = memory()
    began = time.perf_counter()
    engine.open(data)
    opened = time.perf_counter() - began
    engine.set_width(64)
    measure(lambda number: engine.search(queries[number]), nearest)  # warms caches
    after = memory()
    widths = {}
    for width in WIDTHS:
        engine.set_width(width)
        widths[width] = measure(lambda number: engine.search(queries[number]), nearest)
    buckets = data.query_buckets
    filtered = {}
    for width in (64, 256) if engine.can_filter else ():
        engine.set_width(width)
        filtered[width] = measure(lambda number: engine.search_bucket(queries[number], int(buckets[number])), within)
    return {
        "open_seconds": opened,
        "memory": after["VmRSS"] - before["VmRSS"],
        "memory_anonymous": after["RssAnon"] - before["RssAnon"],
        "widths": widths,
        "filtered": filtered,
    }


if __name__ == "__main__":
    name, step, folder, source, count = sys.argv[1:]
    chosen = ENGINES[name](Path(folder))
    print(json.dumps({"build": build, "serve": serve}[step](chosen, Data(Path(source), int(count)))))
