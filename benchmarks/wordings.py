"""What matches by how a thing is said: "bus", "a bus", "buses", two wishes ("a dog", "on grass"), "a dog on grass".

The photos are indexed without their captions. That a thing is there is told by COCO's objects, that a second wish is
true by the captions; a caption does not tell everything, so that precision is a lower bound. The last rows have second
wishes that are true of many photos ("outside", "animals"), none of which any weight was fitted on; photos of which
captions and objects do not tell it are not counted.

    python benchmarks/wordings.py
    python benchmarks/wordings.py --vectors FOLDER [--fit]

With ``--vectors`` the wishes are asked of the held-out photos (``coco.npz``) in a folder that ``visavis bench match``
reads, 2,000 and 400 of them: pairs and triples of objects, properties and phrases. ``--fit`` prints the weights of the
combination, from the other half of the photos, objects and properties.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from _wishes_together import figures as together
from _wishes_together import fitted, read_photos
from visavis.api import open_collection
from visavis.lab.evaluation.match_properties import SCENES
from visavis.language.english import plural, with_article
from visavis.search import match_set
from visavis.search.request import SearchRequest
from visavis.types import Wish

OUT = Path("out/wordings.json")
DATA = Path(__file__).parents[1] / "../shared/data/coco"
#: Wishes that follow a thing, and what a caption says where they are true.
SECOND = {
    "on grass": "grass|meadow|lawn|pasture", "in the snow": "snow", "on a beach": "beach|sand",
    "in a street": "street|road", "in a kitchen": "kitchen", "red": r"red\b", "yellow": "yellow", "white": "white",
    "black": "black", "with a man": r"man\b|men\b", "with a woman": "wom[ae]n|girl", "on a table": "table",
    "on a bed": r"bed\b", "water": r"water|ocean|sea\b|lake|river", "trees": "tree", "in a field": "field",
    "next to a building": "building", "eating": "eating|eats", "standing": "stand", "sitting": "sit",
    "sleeping": "sleep|laying|lying", "people": r"people|man\b|woman|person|men\b|girl|boy",
}  # fmt: skip
_PHRASE, _PLACED = "a dog on grass", ("on ", "in ", "with ", "next to ")
_MANY = ("true of many, with a thing", "true of many, alone")
#: So many pictures must show a thing, or a pair, to be asked for.
_THINGS, _PAIRS = 4, 2

Truth = NDArray[np.bool_]


class Score:
    """Sums over texts: pictures that match, rightly, and that are there; texts that are denied; absent ones shown."""

    def __init__(self) -> None:
        self.right = self.matching = self.there = self.denied = self.texts = self.shown = self.absent = 0

    def add(self, matching: Truth, there: Truth) -> None:
        """Add what matches a text and where it is true."""
        if not there.any():
            self.absent, self.shown = self.absent + 1, self.shown + bool(matching.any())
            return
        self.texts, self.denied = self.texts + 1, self.denied + (not matching.any())
        self.right += int((matching & there).sum())
        self.matching, self.there = self.matching + int(matching.sum()), self.there + int(there.sum())

    def row(self) -> dict[str, float]:
        """The shares."""
        return {
            "texts": self.texts,
            "precision": round(self.right / max(self.matching, 1), 3),
            "recall": round(self.right / max(self.there, 1), 3),
            "denied though there": round(self.denied / max(self.texts, 1), 3),
            "shown though absent": round(self.shown / max(self.absent, 1), 3),
        }


def measure(data: Path, pictures: Path) -> dict[str, dict[str, float]]:
    """Measure on a folder of COCO's photos with their captions."""
    rows = [json.loads(line) for line in (pictures / "captions.jsonl").read_text("utf-8").splitlines()]
    more = [json.loads(line) for line in (data / "more.jsonl").read_text("utf-8").splitlines()]
    objects = {row["image_id"]: set(row["objects"]) for row in more}
    with tempfile.TemporaryDirectory() as folder:
        photos = Path(folder, "photos")
        shutil.copytree(pictures, photos, ignore=shutil.ignore_patterns("*.jsonl"))
        with open_collection("photos", Path(folder, "home"), create=True) as collection:
            collection.index(photos)
            retriever = collection.engine.retriever
            ids = retriever.judge.sample.ids
            names = {id: Path(one.path).name for id, one in collection.catalogue.pictures(ids).items()}
            captions = {row["file"]: [text.lower() for text in row["captions"]] for row in rows}
            seen = [objects.get(int(Path(names[id]).stem), set()) for id in ids]
            said = [captions.get(names[id], []) for id in ids]

            def matching(*texts: str) -> Truth:
                wishes = [Wish(f"1.{at}", "want", text, 1) for at, text in enumerate(texts)]
                found = retriever.retrieve(SearchRequest(wishes, k=len(ids)))
                there = {result.id for result in found.results if result.match}
                return np.array([id in there for id in ids])

            def likeness(text: str) -> NDArray[np.float32]:
                return retriever.judge.sample.whole @ collection.encoder.encode_texts([text])[0]

            return _measured(seen, said, matching, likeness)


def _add_scenes(score: Score, thing: str | None, there: Truth, matching: Any, told: tuple[Any, Any]) -> None:
    for scene in SCENES:
        votes = np.array([scene.vote(texts, objects) for objects, texts in zip(*told, strict=True)])
        both = there & (votes == 1)
        if scene.fitting or both.sum() < _PAIRS:
            continue
        for text in scene.texts:
            found = matching(with_article(thing), text) if thing else matching(text)
            score.add(found & (votes >= 0), both)


def _average_precision(scores: NDArray[np.float32], there: Truth) -> float:
    ranked = there[np.argsort(-scores, kind="stable")]
    return float((np.cumsum(ranked)[ranked] / (np.flatnonzero(ranked) + 1)).mean())


def _measured(
    seen: list[set[str]], captions: list[list[str]], matching: Any, likeness: Any
) -> dict[str, dict[str, float]]:
    said = [" ".join(texts) for texts in captions]
    precision: dict[str, list[float]] = {}
    wordings = {"bus": str, "a bus": with_article, "buses": plural}
    scores: dict[str, Score] = {
        name: Score() for name in (*wordings, "each wish by itself", "both together", _PHRASE, *_MANY)
    }
    there_together = match_set._THERE
    for thing in sorted(set().union(*seen)):
        there = np.array([thing in one for one in seen])
        if there.sum() < _THINGS:
            continue
        for name, wording in wordings.items():
            scores[name].add(matching(wording(thing)), there)
            precision.setdefault(name, []).append(_average_precision(likeness(wording(thing)), there))
        for wish, pattern in SECOND.items():
            both = there & np.array([bool(re.search(rf"\b(?:{pattern})", text)) for text in said])
            if both.any() and both.sum() < _PAIRS:
                continue
            for name, line in (("each wish by itself", np.inf), ("both together", there_together)):
                match_set._THERE = line
                scores[name].add(matching(with_article(thing), wish), both)
            match_set._THERE = there_together
            if wish.startswith(_PLACED):
                scores[_PHRASE].add(matching(f"{with_article(thing)} {wish}"), both)
        _add_scenes(scores["true of many, with a thing"], thing, there, matching, (seen, captions))
    _add_scenes(scores["true of many, alone"], None, np.ones(len(seen), bool), matching, (seen, captions))
    means = {name: round(float(np.mean(each)), 3) for name, each in precision.items()}
    return {
        name: {**score.row(), "mean AP of the text as it is": means.get(name, 0.0)} for name, score in scores.items()
    }


def main() -> None:
    """Print a table and write it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with more.jsonl and sample/")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--photos", type=Path, help="a folder of photos with captions.jsonl; the sample unless told")
    parser.add_argument("--vectors", type=Path, help="a folder with coco.npz: wishes together, on held-out photos")
    parser.add_argument("--fit", action="store_true", help="with --vectors: fit the combination, and print it")
    chosen = parser.parse_args()
    known = read_photos(chosen.vectors, chosen.data) if chosen.vectors else None
    if known is not None and chosen.fit:
        added, share = fitted(known)
        print(f"{added:.2f} and {share:.2f} of the sum")
        return
    figures = together(known) if known is not None else measure(chosen.data, chosen.photos or chosen.data / "sample")
    table = Table("said", *next(iter(figures.values())))
    for name, row in figures.items():
        table.add_row(name, *map(str, row.values()))
    Console().print(table)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
