"""Recall of `search` for photos by their captions, and the agreement of two versions of it.

    PYTHONPATH=OTHER/src python benchmarks/search_scores.py --out before.json
    python benchmarks/search_scores.py --before before.json

Each photo is searched for by one of its captions and by another one together with a photo like it; words for single
things are searched for as well. Only the public functions of the package are used, so that an older version can be
measured by putting its `src` on the path. The photos are indexed without their captions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

import visavis

PHOTOS = Path(__file__).parents[2] / "shared" / "data" / "coco"
OUT = Path("out/search_scores.json")
THINGS = (
    "a dog", "a cat", "a horse", "a giraffe", "an elephant", "a train", "a bus", "a bicycle", "a motorcycle", "a boat",
    "an airplane", "a kitchen", "a bathroom", "a pizza", "a cake", "a laptop", "an umbrella", "a skateboard", "a kite",
    "a surfboard", "skiing", "tennis", "baseball", "a beach", "snow", "flowers", "a clock", "a bench",
    "a street at night", "people eating",
)  # fmt: skip
DEPTH = 10


def measure(photos: Path, captions: Path) -> dict[str, object]:
    """Return the first results of every search, and the recall."""
    captions_of = {
        row["image_id"]: row["captions"] for row in map(json.loads, captions.read_text("utf-8").splitlines())
    }
    found: dict[str, dict[str, list[str]]] = {"caption": {}, "caption and photo": {}, "thing": {}}
    seconds = []
    with tempfile.TemporaryDirectory(prefix="visavis-bench-") as folder:
        for file in photos.glob("*.jpg"):
            (Path(folder) / file.name).symlink_to(file.resolve())
        with visavis.open_collection("photos", Path(folder) / "home", create=True) as collection:
            collection.index(folder)
            pictures = sorted(collection, key=lambda picture: picture.path)
            names = [Path(picture.path).stem for picture in pictures]

            def search(text: str, **more: object) -> list[str]:
                results = collection.search(text, DEPTH, **more)
                seconds.append(results.seconds)
                return [Path(result.picture.path).stem for result in results.results]

            for place, name in enumerate(names):
                sentences = captions_of[int(name.split("_")[-1])]
                other = pictures[(place + 1) % len(pictures)].id
                found["caption"][name] = search(sentences[0])
                found["caption and photo"][name] = search(sentences[1], like=[other])
            found["thing"] = {thing: search(thing) for thing in THINGS}
    recall = {
        f"R@{k}": round(statistics.mean(name in ids[:k] for name, ids in found["caption"].items()), 3)
        for k in (1, 5, 10)
    }
    return {"photos": len(names), **recall, "median ms": round(1000 * statistics.median(seconds), 2), "found": found}


def overlap(before: dict[str, list[str]], after: dict[str, list[str]]) -> float:
    """Return the mean share of the first results that are the same."""
    return statistics.mean(len({*before[key]} & {*after[key]}) / max(len(before[key]), 1) for key in before)


def main() -> None:
    """Measure, print tables, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, default=PHOTOS / "sample")
    parser.add_argument("--captions", type=Path, default=PHOTOS / "captions.jsonl")
    parser.add_argument("--before", type=Path, help="what another version wrote with --out")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    figures = measure(given.photos, given.captions)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(figures))
    table = Table("", "before", "now", title=f"search over {figures['photos']} photos")
    before = json.loads(given.before.read_text()) if given.before else {}
    for name in ("R@1", "R@5", "R@10", "median ms"):
        table.add_row(name, str(before.get(name, "")), str(figures[name]))
    for name, now in figures["found"].items() if before else ():
        table.add_row(f"same first {DEPTH}, {name}", "", f"{overlap(before['found'][name], now):.3f}")
        first = statistics.mean(before["found"][name][key][:1] == now[key][:1] for key in now)
        table.add_row(f"same first, {name}", "", f"{first:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
