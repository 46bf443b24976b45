"""Several trainings of the parser beside each other on one device.

``python -m visavis.lab.training.parser_plan PLAN.json --material DIR --out DIR``: a plan is a list of runs, each
``{"name": ..., "after": [names], "init": name, "material": file, "keep": true, "mean": [names], "judge": name,
...options of visavis.lab.training.parser}``. A run with ``mean`` is no training but the mean of the weights of others,
one with ``judge`` exports and scores those of another (``parser_judge``). Runs begin in their order, a few at a time.
What is marked ``keep`` is written to the folder; the figures of all runs are.
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

_OWN = {"name", "after", "init", "material", "keep", "mean", "judge"}


def _command(run: dict[str, Any], given: argparse.Namespace, scratch: Path) -> list[str]:
    module, name = "parser", run["name"]
    options: list[str] = []
    if "mean" in run:
        module, options = "parser_mean", ["--of", ",".join(run["mean"])]
    elif "judge" in run:
        module, name = "parser_judge", run["judge"]
    elif run.get("init"):
        known = scratch if (scratch / f"{run['init']}.0.npz").is_file() else given.material
        options = ["--init", str(known / run["init"])]
    for key, value in run.items():
        if key not in _OWN:
            options += [f"--{key.replace('_', '-')}", *([] if value is True and "judge" in run else [str(value)])]
    material = given.material / run.get("material", "material.npz")
    line = [sys.executable, "-m", f"visavis.lab.training.{module}", "--name", name, *options]
    return [*line, "--material", str(material), "--start", str(given.material), "--out", str(scratch)]


def main() -> None:
    """Run a plan."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("plan", type=Path)
    options.add_argument("--material", type=Path, required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--limit-seconds", type=float, default=570)
    options.add_argument("--beside", type=int, default=16, help="How many runs at a time.")
    given = options.parse_args()
    runs: list[dict[str, Any]] = json.loads(given.plan.read_text(encoding="utf-8"))
    named = {run["name"] for run in runs}
    given.out.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="visavis-parser-"))  # what is not kept must not fill the folder
    began = time.monotonic()
    waiting, done, failed = list(runs), set[str](), set[str]()
    running: dict[str, subprocess.Popen[bytes]] = {}
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    while waiting or running:
        for run in [r for r in waiting if _needs(r) & named <= done | failed]:
            if len(running) >= given.beside:
                break
            waiting.remove(run)
            if _needs(run) & failed:
                failed.add(run["name"])
                continue
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
        time.sleep(0.2)
    print(f"[{time.monotonic() - began:.0f} s] done: {sorted(done)}, failed: {sorted(failed)}", flush=True)


def _needs(run: dict[str, Any]) -> set[str]:
    """The runs that must have ended before."""
    return {*run.get("after", ()), *run.get("mean", ()), *filter(None, [run.get("init"), run.get("judge")])}


def _hand_over(run: dict[str, Any], scratch: Path, out: Path) -> None:
    """Copy what a run is to leave: its figures, and its weights where they are wanted."""
    summary = scratch / f"{run['name']}.json"
    if not summary.is_file():
        return
    gathered = out / "results.json"
    results = json.loads(gathered.read_text(encoding="utf-8")) if gathered.is_file() else []
    results.append(json.loads(summary.read_text(encoding="utf-8")))
    gathered.write_text(json.dumps(results), encoding="utf-8")
    if not run.get("keep"):
        return
    for file in sorted(scratch.glob(f"{run['name']}.[0-9].npz")):
        shutil.copyfile(file, out / file.name)
    if "judge" in run and (exported := scratch / f"{run['judge']}.onnx").is_dir():
        shutil.copytree(exported, out / run["judge"], dirs_exist_ok=True)


if __name__ == "__main__":
    main()
