"""How long the parser takes for a message: ``python benchmarks/parser.py [--data corpus/y.jsonl] [--weights DIR]``.

Each message of the corpus is read once (no cache); loading is timed in a process of its own. Beside the time that
passed there is the processor time (of all cores together), which depends less on other processes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from visavis.lab.datasets.talk import read_rows
from visavis.language.parser import NetworkParser

_LOAD = """
import time
from pathlib import Path
from visavis.language.parser import NetworkParser
began, worked = time.perf_counter(), time.process_time()
NetworkParser({folder}).understand("a red dress")
print(time.perf_counter() - began, time.process_time() - worked)
"""


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=Path("corpus/y.jsonl"))
    options.add_argument("--weights", type=Path)
    options.add_argument("--count", type=int, default=300)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    folder = f"Path({str(given.weights)!r})" if given.weights else "None"
    code = _LOAD.format(folder=folder)
    loads = [
        [float(one) for one in subprocess.check_output([sys.executable, "-c", code], text=True).split()]
        for _ in range(3)
    ]
    rows = list(read_rows(given.data))[: given.count]
    parser = NetworkParser(given.weights)
    for row in rows[:10]:
        parser.understand(row.message, row.context)
    parser = NetworkParser(given.weights)
    times, processor = [], []
    for row in rows:
        began, worked = time.perf_counter(), time.process_time()
        parser.understand(row.message, row.context)
        times.append(time.perf_counter() - began)
        processor.append(time.process_time() - worked)
    times.sort()
    found = {
        "messages": len(rows),
        "p50_ms": round(1000 * statistics.median(times), 2),
        "p95_ms": round(1000 * times[int(0.95 * len(times))], 2),
        "p50_processor_ms": round(1000 * statistics.median(processor), 2),
        "load_and_first_message_s": round(statistics.median(passed for passed, _ in loads), 3),
        "load_and_first_message_processor_s": round(statistics.median(worked for _, worked in loads), 3),
    }
    print(json.dumps(found) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
