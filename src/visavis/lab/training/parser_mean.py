"""The mean of the weights of several trainings that began from the same ones (Wortsman et al., 2022)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from visavis.lab.training.parser import Course, ParserSamples, new_network, report
from visavis.lab.training.parser_state import load_state, save_state


def main() -> None:
    """Average weights from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--of", required=True, help="Names of the weights, separated by commas.")
    options.add_argument("--name", required=True)
    options.add_argument("--limit", type=int, default=0)
    for name in ("material", "start", "out"):
        options.add_argument(f"--{name}", type=Path, required=True)
    given = options.parse_args()
    states = [load_state(given.out, name) for name in given.of.split(",")]
    state = {key: torch.stack([one[key] for one in states]).mean(dim=0) for key in states[0]}
    course = Course()
    samples = ParserSamples(
        given.material, torch.device("cuda" if torch.cuda.is_available() else "cpu"), given.limit or None
    )
    found = report(samples, new_network(samples, given.start, course), state, course)
    files = save_state(state, given.out, given.name)
    result = {
        "name": given.name,
        "of": given.of.split(","),
        "files": [file.name for file in files],
        "results": {name: part["exact"] for name, part in found.items()},
        "written": {name: part["written"] for name, part in found.items()},
    }
    (given.out / f"{given.name}.json").write_text(json.dumps(result), encoding="utf-8")
    print(f"{given.name}: {result['results']}", flush=True)


if __name__ == "__main__":
    main()
