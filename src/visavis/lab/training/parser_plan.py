"""Several trainings of the parser beside each other on one device.

``python -m visavis.lab.training.parser_plan PLAN.json --material DIR --out DIR``: a plan is a list of runs, each
``{"name": ..., "after": [names], "init": name, "material": file, "keep": true, "mean": [names], ...options of
visavis.lab.training.parser}``. A run with ``mean`` is no training but the mean of the weights of others. What is marked
``keep`` is written to the folder; the validation figures of all runs are.
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
from pathlib import Path
from typing import Any

_OWN = {"name", "after", "init", "material", "keep", "mean"}


def _command(run: dict[str, Any], given: argparse.Namespace, scratch: Path) -> list[str]:
    if "mean" in run:
        line = [
            sys.executable,
            "-m",
            "visavis.lab.training.parser_mean",
            "--name",
            run["name"],
            "--of",
            ",".join(run["mean"]),
        ]
    else:
        line = [sys.executable, "-m", "visavis.lab.training.parser", "--name", run["name"]]
        if run.get("init"):
            line += ["--init", str(scratch / run["init"])]
    for name, value in run.items():
        if name not in _OWN:
            line += [f"--{name.replace('_', '-')}", str(value)]
    material = given.material / run.get("material", "material.npz")
    return [*line, "--material", str(material), "--start", str(given.material), "--out", str(scratch)]


def main() -> None:
    """Run a plan."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("plan", type=Path)
    options.add_argument("--material", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--limit-seconds", type=float, default=570)
    given = options.parse_args()
    runs: list[dict[str, Any]] = json.loads(given.plan.read_text(encoding="utf-8"))
    given.out.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="visavis-parser-"))  # what is not kept must not fill the folder
    began = time.monotonic()
    waiting, done, failed = list(runs), set[str](), set[str]()
    running: dict[str, subprocess.Popen[bytes]] = {}
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    while waiting or running:
        for run in [r for r in waiting if {*r.get("after", ()), *filter(None, [r.get("init")])} <= done | failed]:
            waiting.remove(run)
            print(f"[{time.monotonic() - began:.0f} s] {run['name']} begins", flush=True)
            running[run["name"]] = subprocess.Popen(_command(run, given, scratch), env=environment)  # noqa: S603
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                (done if process.returncode == 0 else failed).add(name)
                print(f"[{time.monotonic() - began:.0f} s] {name} ended with {process.returncode}", flush=True)
                _hand_over(next(r for r in runs if r["name"] == name), scratch, given.out)
        if time.monotonic() - began > given.limit_seconds:
            for process in running.values():
                process.kill()
            failed |= set(running)
            break
        time.sleep(0.5)
    print(f"[{time.monotonic() - began:.0f} s] done: {sorted(done)}, failed: {sorted(failed)}", flush=True)


def _hand_over(run: dict[str, Any], scratch: Path, out: Path) -> None:
    """Copy what a run is to leave: its figures, and its weights where they are wanted."""
    summary = scratch / f"{run['name']}.json"
    if not summary.is_file():
        return
    gathered = out / "results.json"
    results = json.loads(gathered.read_text(encoding="utf-8")) if gathered.is_file() else []
    results.append(json.loads(summary.read_text(encoding="utf-8")))
    gathered.write_text(json.dumps(results), encoding="utf-8")
    for file in sorted(scratch.glob(f"{run['name']}.[0-9].npz")) if run.get("keep") else ():
        shutil.copyfile(file, out / file.name)


if __name__ == "__main__":
    main()
