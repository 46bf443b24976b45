"""The embedded store beside FAISS and USearch: build, memory, disk, speed and recall, with and without a filter.

    python benchmarks/store.py --sizes 100000,1000000

Every engine builds the same graph (16 links, 100 candidates) over the same vectors with two threads and answers the
same queries with one, each step in a separate process. "At equal recall" means: the narrowest search that finds at
least 99 % of the true ten neighbours. The memory is what a process grows by that opens the index and answers queries,
mapped files included.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from _store_data import BUCKETS, DIMENSION, NEIGHBOURS, QUERIES, make
from _store_engines import BUILD_WIDTH, ENGINES, LINKS

OUT = Path("out/store.json")
RECALL = 0.99
OWN = "visavis"
RIVALS = ("FAISS HNSW float32", "USearch float16", "USearch int8")


def step(name: str, what: str, folder: Path, source: Path, count: int, pair: int = 0) -> dict:
    """Run one step in a separate process, on two cores of its own where there are more."""
    worker = Path(__file__).with_name("_store_worker.py")
    command = [sys.executable, str(worker), name, what, str(folder), str(source), str(count)]
    cores = sorted(os.sched_getaffinity(0))[2 * pair : 2 * pair + 2]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=lambda: os.sched_setaffinity(0, cores)
    )
    if done.returncode:
        raise SystemExit(f"{name} could not {what}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(
    count: int, names: list[str], scratch: Path, console: Console, keep: Callable[[dict], None], at_once: int
) -> dict:
    """Measure every engine on one number of vectors; results are saved after each, since each takes long.

    Several may be built at once, each on two cores of its own; queries are always measured one engine after another.
    """
    source = scratch / f"data-{count}"
    console.print(f"drawing {count:,} vectors and finding the true neighbours", style="dim")
    make(source, count)
    results = {}
    for begin in range(0, len(names), at_once):
        group = names[begin : begin + at_once]
        folders = {name: scratch / f"index-{names.index(name)}" for name in group}
        console.print(f"{count:,}: building {', '.join(group)}", style="dim")
        with ThreadPoolExecutor(at_once) as pool:
            builds = {
                name: pool.submit(step, name, "build", folder, source, count, place)
                for place, (name, folder) in enumerate(folders.items())
            }
            built = {name: build.result() for name, build in builds.items()}
        for name, folder in folders.items():
            console.print(f"{count:,}: asking {name}", style="dim")
            results[name] = {"build": built[name], **step(name, "serve", folder, source, count)}
            keep(results)
            shutil.rmtree(folder)
    shutil.rmtree(source)
    return results


def at_recall(result: dict, recall: float = RECALL) -> tuple[int, dict] | None:
    """Return the narrowest search with enough recall, and its figures."""
    for width, figures in result["widths"].items():
        if figures["recall"] >= recall:
            return int(width), figures
    return None


def table(count: int, results: dict) -> Table:
    """Format one size as a table."""
    shown = Table(title=f"{count:,} vectors of dimension {DIMENSION}")
    headers = (
        "engine",
        "build s",
        "disk MB",
        "memory MB",
        "open s",
        f"width for {RECALL}",
        "recall",
        "p50 ms",
        "p99 ms",
    )
    for header in (*headers, "1 % filter: recall", "p50 ms", "p99 ms"):
        shown.add_column(header, justify="left" if header == "engine" else "right")
    for name, result in results.items():
        found = at_recall(result)
        width, figures = found or (256, result["widths"].get("256") or result["widths"][256])
        filtered = next(iter(result["filtered"].values()), None)
        shown.add_row(
            name,
            f"{result['build']['seconds']:.0f}",
            f"{result['build']['disk'] / 1e6:.0f}",
            f"{result['memory'] / 1e6:.0f}",
            f"{result['open_seconds']:.2f}",
            str(width) if found else "not reached",
            *(f"{figures['recall']:.4f}", f"{figures['p50']:.3f}", f"{figures['p99']:.3f}"),
            *(
                (
                    f"{filtered[key]:.4f}" if key == "recall" else f"{filtered[key]:.3f}"
                    for key in ("recall", "p50", "p99")
                )
                if filtered
                else ("-", "-", "-")
            ),
        )
    return shown


def verdict(results: dict) -> dict[str, object]:
    """Compare the figures with the aims."""
    figures: dict[str, object] = {}
    own = at_recall(results[OWN]) if OWN in results else None
    rivals = [found[1]["p50"] for name in RIVALS if name in results and (found := at_recall(results[name]))]
    if own and rivals:
        figures["p50 against the fastest (aim: at most 1.5)"] = round(own[1]["p50"] / min(rivals), 2)
    if OWN in results:
        filtered = next(iter(results[OWN]["filtered"].values()))
        figures["filtered p99 in ms (aim at 100,000: under 10)"] = round(filtered["p99"], 3)
        figures["memory in MB (aim at 1,000,000: under 2000)"] = round(results[OWN]["memory"] / 1e6)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100000", help="numbers of vectors, with commas between")
    parser.add_argument("--engines", default=",".join(ENGINES), help="which engines, with commas between")
    parser.add_argument("--at-once", type=int, help="engines built beside each other, at most one a pair of cores")
    parser.add_argument("--scratch", type=Path, help="a folder with room for the indexes")
    arguments = parser.parse_args()
    console = Console(width=180)
    names = [name for name in ENGINES if name in arguments.engines.split(",")]
    most = max(1, len(os.sched_getaffinity(0)) // 2)
    at_once = max(1, min(arguments.at_once or 1, most))
    report = {
        "dimension": DIMENSION,
        "queries": QUERIES,
        "neighbours": NEIGHBOURS,
        "selectivity": 1 / BUCKETS,
        "links": LINKS,
        "build_width": BUILD_WIDTH,
        "cores": os.cpu_count(),
        "began": time.strftime("%Y-%m-%d %H:%M"),
        "sizes": {},
    }
    OUT.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as scratch:
        for count in (int(size) for size in arguments.sizes.split(",")):

            def keep(results: dict, count: int = count) -> None:
                report["sizes"][count] = {"engines": results, "aims": verdict(results)}
                OUT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")

            results = measure(count, names, Path(scratch), console, keep, at_once)
            console.print(table(count, results))
            for aim, value in verdict(results).items():
                console.print(f"  {aim}: {value}")


if __name__ == "__main__":
    main()
