"""Labels for real editing requests by a trained network, checked against what experts did where that is known.

``python -m visavis.lab.training.parser_labels --requests DIR --weights runs/parser --out rows.jsonl``
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from visavis.lab.evaluation.talk import MOST_OPERATORS, OPERATORS, operation
from visavis.language.base import Reading
from visavis.language.commands import Command, Edit
from visavis.language.context import Context
from visavis.language.parser import NetworkParser

_CONTEXT = {"turns": 1, "picture": True}
#: How sure the network must be of a request whose operators are not known.
_SURE = 0.8
#: ... and where one of the experts' operators is what it says.
_PROBABLE = 0.35
#: Thousands of requests only want it brighter.
_MOST_ALIKE = 60
_LONGEST = 160


def _requests(folder: Path) -> Iterator[tuple[str, frozenset[str]]]:
    """Texts, each with the operations that experts used; none where that is not known or too much was done."""
    for line in (folder / "gier.train.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        few = len(record["operators"]) <= MOST_OPERATORS
        done = frozenset(name for operator in record["operators"] for name in OPERATORS.get(operator, ()))
        for text in (*record["expert"], *record["amateur"]):
            yield text.strip(), done if few else frozenset()
    for name in ("fivek.txt", "editing_request.txt"):
        for text in (folder / name).read_text(encoding="utf-8").splitlines():
            yield text.strip(), frozenset()


def chosen(readings: tuple[Reading, ...], done: frozenset[str]) -> tuple[Command, ...]:
    """The reading to learn from: sure, or probable and what the experts did; none where there is no such."""
    for reading in readings:
        if not reading.commands or not all(isinstance(command, Edit) for command in reading.commands):
            continue
        fits = bool(done & {operation(command) for command in reading.commands})
        if reading.probability >= (_PROBABLE if fits else _SURE if not done else 2.0):
            return reading.commands
    return ()


def main() -> None:
    """Label from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=Path, required=True)
    options.add_argument("--weights", type=Path)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--count", type=int, default=12_000, help="How many texts to look at.")
    given = options.parse_args()
    texts = [(text, done) for text, done in _requests(given.requests) if 0 < len(text) <= _LONGEST]
    random.Random(0).shuffle(texts)
    parser = NetworkParser(given.weights)
    context = Context.from_json(_CONTEXT)
    alike: Counter[str] = Counter()
    seen: set[str] = set()
    kept = 0
    with given.out.open("w", encoding="utf-8") as out:
        for text, done in texts[: given.count]:
            if text.lower() in seen:
                continue
            seen.add(text.lower())
            commands = chosen(parser.readings(text, context), done)
            key = " ".join(map(str, commands))
            alike[key] += 1
            if commands and alike[key] <= _MOST_ALIKE:
                row = {"context": _CONTEXT, "message": text, "commands": [*map(str, commands)], "writer": "requests"}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                kept += 1
    print(f"{kept} of {min(len(texts), given.count)} requests are labelled")


if __name__ == "__main__":
    main()
