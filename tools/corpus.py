"""Assemble the corpus of talk: ``python tools/corpus.py --out corpus --guide guide.md FOLDER...``.

Reads every ``*.jsonl`` of the folders (one file a writer), checks each row against the grammar, puts right what an
earlier form of the guide had otherwise, drops repeated messages and writes one file a writer. ``table.jsonl``, the
messages that the first parser was tested with, stays as it is. Run it again when there are more writers.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from visavis.errors import VisavisError
from visavis.lab.datasets.talk import Row

#: Rows of the first two writers that the guide reads otherwise today, by writer and the start of the message.
CORRECTIONS: dict[tuple[str, str], list[str]] = {
    ("a", "is this one edible"): ["ask is this one edible"],
    ("b", "What would the couch look like in forest green"): ["recolor forestgreen on sofa"],
    ("b", "try a strong burgundy on the dress"): ["recolor burgundy on dress"],
    ("b", "make the walls a soft sage"): ["recolor sage on walls"],
    ("b", "on second thoughts brown. not black"): ["refine brown", "forget black"],
    ("b", "Hmm, we're getting colder not warmer"): ["refine simpler", "refine plain pine", "forget storage"],
    ("b", "give the car a strong matte green wrap"): ["recolor green on car"],
}


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file as plain values."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def corrected(row: dict[str, Any], writer: str) -> dict[str, Any]:
    """A row in line with the guide."""
    for (whose, start), commands in CORRECTIONS.items():
        if writer == whose and row["message"].startswith(start):
            row = {**row, "commands": commands}
    return {**row, "writer": writer}


def main() -> None:
    """Assemble."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--out", type=Path, default=Path("corpus"))
    options.add_argument("--guide", type=Path)
    options.add_argument("--first", default="yz", help="Writers whose messages stay where others repeat them.")
    given = options.parse_args()
    writers: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(path for folder in given.folders for path in folder.glob("*.jsonl")):
        writers.setdefault(path.stem, []).extend(corrected(row, path.stem) for row in read(path))
    if (given.out / "table.jsonl").is_file():
        writers["table"] = read(given.out / "table.jsonl")
    given.out.mkdir(parents=True, exist_ok=True)
    seen: set[tuple[str, str]] = set()
    total = 0
    for writer in sorted(writers, key=lambda name: (name not in given.first, name)):
        kept = []
        for row in writers[writer]:
            key = (re.sub(r"\W+", " ", row["message"].lower()).strip(), json.dumps(row["context"], sort_keys=True))
            try:
                Row.from_json(row)
            except (VisavisError, KeyError, TypeError) as error:
                print(f"{writer}: {row.get('message')!r}: {error}", file=sys.stderr)
                continue
            if key not in seen:
                seen.add(key)
                kept.append(json.dumps(row, ensure_ascii=False))
        (given.out / f"{writer}.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
        total += len(kept)
    if given.guide:
        shutil.copyfile(given.guide, given.out / "guide.md")
    print(f"{total} rows by {len(writers)} writers")


if __name__ == "__main__":
    main()
