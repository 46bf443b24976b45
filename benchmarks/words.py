"""What the word index does to a search: captions of photos, and rare words of product titles.

    python benchmarks/words.py --data DATA --home FOLDER

``DATA`` has ``coco/sample`` (photos with five captions each) and ``products/sample`` (photos and ``styles.csv``). The
photos are looked for by their first caption, once without any text beside them, once with the other four captions
written down; the products by every word of their titles that 2 to 30 of them have and that is no ordinary word. The
collections are kept in FOLDER. ``--weights`` tries other weights of rare words.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

from visavis.api import Collection, open_collection
from visavis.collections.words import WordIndex, index_words
from visavis.search.plan import DEFAULT_WEIGHTS
from visavis.search.request import SearchRequest
from visavis.search.retriever import ComposedRetriever
from visavis.search.words import ordinary_words
from visavis.types import Wish


def opened(name: str, home: Path, source: Path) -> Collection:
    """A collection of a folder or a catalogue file; indexed only once."""
    collection = open_collection(name, home, create=True)
    if not len(collection):
        collection.index(source)
    return collection


def retriever(collection: Collection, rare: float | None) -> ComposedRetriever:
    """The collection's retriever, with another weight of rare words, or without the index."""
    words = None if rare is None else WordIndex(collection.catalogue)
    weights = DEFAULT_WEIGHTS if rare is None else replace(DEFAULT_WEIGHTS, rare=rare)
    return ComposedRetriever(collection.encoder, collection.store, words=words, weights=weights)


def recalls(collection: Collection, asked: dict[str, str], rare: float | None) -> str:
    """R@1, 5 and 10 of pictures looked for by a text each."""
    ranks, searcher = [], retriever(collection, rare)
    for stem, text in asked.items():
        found = searcher.retrieve(SearchRequest([Wish("1.1", "want", text, 1)], k=10))
        pictures = collection.catalogue.pictures(found.ids)
        names = [Path(pictures[id].path).stem for id in found.ids]
        ranks.append(names.index(stem) if stem in names else 10)
    return " / ".join(f"{100 * mean(rank < k for rank in ranks):.1f}" for k in (1, 5, 10))


def photos(data: Path, home: Path, weights: Sequence[float | None]) -> None:
    """Captions of photos."""
    folder = data / "coco/sample"
    rows = [json.loads(line) for line in (folder / "captions.jsonl").read_text(encoding="utf-8").splitlines()]
    home.mkdir(parents=True, exist_ok=True)
    for name, first in (("plain", 5), ("told", 1)):
        lines = [json.dumps({"file": str(folder / row["file"]), "captions": row["captions"][first:]}) for row in rows]
        (home / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asked = {Path(row["file"]).stem: row["captions"][0] for row in rows}
    for name in ("plain", "told"):
        with opened(name, home, home / f"{name}.jsonl") as collection:
            for rare in weights:
                print(f"photos, {name}, rare words {rare}: R@1/5/10 {recalls(collection, asked, rare)}", flush=True)


def products(data: Path, home: Path, weights: Sequence[float | None]) -> None:
    """Rare words of titles."""
    folder = data / "products/sample"
    with (folder / "styles.csv").open(encoding="utf-8") as stream:
        titles = {row["id"]: row["productDisplayName"] for row in csv.DictReader(stream)}
    counts = Counter(word for title in titles.values() for word in index_words(title))
    rare_words = sorted(w for w, n in counts.items() if 2 <= n <= 30 and w not in ordinary_words() and w.isalpha())
    with opened("products", home, folder / "styles.csv") as collection:
        for rare in weights:
            searcher, found_all, exact, first, times = retriever(collection, rare), [], [], [], []
            for word in rare_words:
                started = time.perf_counter()
                found = searcher.retrieve(SearchRequest([Wish("1.1", "want", f"anything from {word}", 1)], k=40))
                times.append(time.perf_counter() - started)
                pictures = collection.catalogue.pictures(found.ids)
                has = [word in index_words(titles[Path(pictures[id].path).stem]) for id in found.ids]
                found_all.append(sum(has[: counts[word]]) / counts[word])
                exact.append(found.matches == counts[word])
                first.append(has[0])
            print(
                f"products, {len(rare_words)} rare words, weight {rare}: first {100 * mean(first):.1f} %, "
                f"found among as many {100 * mean(found_all):.1f} %, counted right {100 * mean(exact):.1f} %, "
                f"{1000 * median(times):.1f} ms",
                flush=True,
            )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--weights", type=float, nargs="*", default=[DEFAULT_WEIGHTS.rare])
    given = parser.parse_args()
    weights = [None, *given.weights]
    photos(given.data, given.home, weights)
    products(given.data, given.home, weights)


if __name__ == "__main__":
    main()
