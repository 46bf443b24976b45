"""Errors of the relevance cut-off ("nothing matches") and of exclusions ("does not show it").

False rejects: captions of pictures in the collection, answered with "nothing fits". False accepts: queries
for absent things, answered with pictures. Absent things are, from near to far: captions of
pictures that were removed together with every picture that shows the same thing; titles of products in a collection
of photos, and captions of photos in a collection of products; and unrelated texts.

    python benchmarks/cutoff.py
    python benchmarks/cutoff.py --vectors FOLDER --sizes 400 1000 2000 4000

With ``--vectors`` the same is asked of so many of the photos (``coco.npz``) and products (``product.npz``) in a folder
that ``visavis bench match`` reads; without their captions, as everywhere here.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from _judged_pictures import Side
from visavis.api import Collection, open_collection
from visavis.demo.catalogue import draw_catalogue
from visavis.encoders.base import Encoder
from visavis.encoders.registry import load_encoder
from visavis.lab.evaluation.match_data import AVOIDED
from visavis.search.captions import things_of, written
from visavis.search.exclusion import Exclusion, ProbedSample, probe_texts
from visavis.search.probability import SHOWS, default_model

#: So many texts of a kind are asked.
_ASKED = 400

OUT = Path("out/cutoff.json")
DATA = Path(__file__).parents[1] / "../shared/data"
ELSEWHERE = Path(__file__).with_name("cutoff_texts.txt")
#: What is removed from the photos, and patterns of its captions.
THINGS = {
    "giraffes": "giraffe", "zebras": "zebra", "elephants": "elephant", "trains": "train|locomotive", "pizza": "pizza",
    "toilets": "toilet|urinal", "surfing": "surf", "skiing": r"\bski|snowboard", "tennis": "tennis|racket|racquet",
    "baseball": "baseball|batter|pitcher|umpire", "buses": r"\bbus", "aeroplanes": r"plane|jet\b|aircraft",
    "cakes": "cake", "umbrellas": "umbrella", "cats": r"\bcats?\b|kitten", "dogs": r"\bdogs?\b|puppy",
    "horses": "horse|pony", "boats": "boat|ship|sail|canoe", "motorcycles": "motorcycle|motorbike|moped|scooter",
}  # fmt: skip
#: What is excluded among drawn garments, and patterns of their descriptions.
DRAWN = 600
GARMENT_DETAILS = {
    "belt": r"\bbelt", "logo": r"\blogo", "buttons": r"\bbutton", "stripes": r"\bstripe", "lace": r"\blace\b",
    "flowers": r"\bflor|\bflower", "a hat": r"\bhat\b|\bbeanie|\bcap\b", "a collar": r"\bcollar",
}  # fmt: skip


def captions(side: Side, collection: Collection) -> list[tuple[str, ...]]:
    pictures = collection.catalogue.pictures(side.ids)
    return [pictures[id].captions for id in side.ids]


def held_out(side: Side, descriptions: list[tuple[str, ...]]) -> list[bool]:
    """Query captions about a thing in a collection from which every picture of it was removed."""
    answers = []
    for pattern in THINGS.values():
        shows = np.array([bool(re.search(pattern, " ".join(texts).lower())) for texts in descriptions])
        about = [text for texts in descriptions for text in texts if re.search(pattern, text.lower())]
        if about:
            answers += side.accepts(about[:20], ~shows)
    return answers


def exclusions(side: Side, descriptions: list[tuple[str, ...]]) -> dict[str, dict[str, float]]:
    """Return how often a picture that shows the excluded thing is left out, and how often one that does not."""
    judge = side.judge(np.ones(len(side.ids), bool))
    figures = {}
    for thing, pattern in AVOIDED.items():
        # Most of the captions must mention it: what one in five mentions is hardly visible.
        votes = [sum(bool(re.search(pattern, text.lower())) for text in texts) for texts in descriptions]
        shown = np.array([vote >= 3 for vote in votes])
        absent = np.array([vote == 0 for vote in votes])
        things = things_of(thing)
        judged = [judge.text(*one) for one in zip(things, side.encoder.encode_texts(things), strict=True)]
        out = judge.showing(judged, judge.sample.ids) >= SHOWS
        figures[thing] = {
            "pictures": int(shown.sum()),
            "left out": round(float(out[shown].mean()), 3),
            "wrongly left out": round(float(out[absent].mean()), 3),
        }
    return figures


def drawn_exclusions(folder: Path, encoder: Encoder) -> dict[str, dict[str, float]]:
    """Measure the same for drawn garments, whose details are known: by vectors alone, and with their descriptions.

    The descriptions are exact, so the second is what a shop's catalogue allows, not what vectors
    do; half of the pictures have none.
    """
    draw_catalogue(folder / "drawn", DRAWN)
    with open_collection("drawn", folder, encoder=encoder, create=True) as collection:
        collection.index(folder / "drawn")
        side = Side.of(collection, encoder)
        pictures = collection.catalogue.pictures(side.ids)
        descriptions = [written(pictures[id].captions, pictures[id].attributes) for id in side.ids]
        ordinary = ProbedSample.take(collection.store, side.probes)
    words = [text if number % 2 else "" for number, text in enumerate(descriptions)]
    calibration = side.calibration(np.ones(len(side.ids), bool))
    figures = {}
    for thing, pattern in GARMENT_DETAILS.items():
        shows = np.array([bool(re.search(pattern, text.lower())) for text in descriptions])
        exclusion = Exclusion([thing], side.encoder, side.probes, calibration, ordinary)
        out, read = exclusion.shown(side.whole, side.regions), exclusion.shown(side.whole, side.regions, words)
        told_of = np.array([bool(text) for text in words])
        figures[thing] = {
            "pictures": int(shows.sum()),
            "left out": round(float(out[shows].mean()), 3),
            "wrongly left out": round(float(out[~shows].mean()), 3),
            "left out, described": round(float(read[shows & told_of].mean()), 3),
            "wrongly left out, described": round(float(read[~shows & told_of].mean()), 3),
        }
    return figures


def at_sizes(vectors: Path, data: Path, sizes: Sequence[int]) -> dict[str, dict[str, float]]:
    """Return how often 'nothing fits' is wrong in collections of several sizes."""
    encoder, figures = load_encoder("builtin"), {}
    elsewhere = ELSEWHERE.read_text(encoding="utf-8").split("\n")[:-1]
    rows = (json.loads(line) for line in (data / "coco/captions.jsonl").read_text("utf-8").splitlines())
    said = {f"coco:{row['image_id']}": tuple(row["captions"]) for row in rows}
    with (data / "products/styles.csv").open(encoding="utf-8") as file:
        titles = {f"product:{row['id']}": row["productDisplayName"] for row in csv.DictReader(file)}
    probes, shuffled = encoder.encode_texts(probe_texts()), np.random.default_rng(4)
    for size in sizes:
        for kind, told in (("coco", said), ("product", titles)):
            with np.load(vectors / f"{kind}.npz") as kept:
                keys, whole, regions = kept["keys"].tolist(), kept["whole"].astype(np.float32), kept["regions"]
            order = [place for place in shuffled.permutation(len(keys)) if keys[place] in told][:size]
            if len(order) < size:
                continue
            ids = [keys[place] for place in order]
            side = Side(ids, whole[order], regions[order], probes, encoder)
            if kind == "product":
                others = [text for texts in list(said.values())[:_ASKED] for text in texts[:1]]
                own = [titles[id] for id in ids]
                row = {"another world": np.mean(side.accepts([*others, *elsewhere]))}
            else:
                descriptions = [said[id] for id in ids]
                own = [texts[0] for texts in descriptions]
                row = {
                    "thing taken out": np.mean(held_out(side, descriptions)),
                    "another world": np.mean(side.accepts([*list(titles.values())[:_ASKED], *elsewhere])),
                }
            row["own refused"] = 1 - np.mean(side.accepts(own[:_ASKED]))
            figures[f"{size:,} {'photos' if kind == 'coco' else 'products'}"] = {
                name: round(float(value), 3) for name, value in row.items()
            }
    return figures


def measure(photos: Path, products: Path) -> dict[str, object]:
    encoder = load_encoder("builtin")
    elsewhere = ELSEWHERE.read_text(encoding="utf-8").split("\n")[:-1]
    with (products / "styles.csv").open(encoding="utf-8") as file:
        titles = [row["productDisplayName"] for row in csv.DictReader(file)]
    with tempfile.TemporaryDirectory(prefix="visavis-bench-") as home:
        with open_collection("photos", home, encoder=encoder, create=True) as collection:
            collection.index(photos)
            side = Side.of(collection, encoder)
            descriptions = captions(side, collection)
            own = [text for texts in descriptions for text in texts]
            rejected = 1 - np.mean(side.accepts(own))
            accepted = {
                "photos, thing taken out": np.mean(held_out(side, descriptions)),
                "photos, titles of products": np.mean(side.accepts(titles[:600])),
                "photos, another world": np.mean(side.accepts(elsewhere)),
            }
            excluded = exclusions(side, descriptions)
        with open_collection("products", home, encoder=encoder, create=True) as collection:
            collection.index(products)
            side = Side.of(collection, encoder)
            pictures = collection.catalogue.pictures(side.ids)
            own_titles = [picture.title for picture in pictures.values() if picture.title]
            rejected_titles = 1 - np.mean(side.accepts(own_titles))
            accepted["products, captions of photos"] = np.mean(side.accepts(own[:600]))
            accepted["products, another world"] = np.mean(side.accepts(elsewhere))
        drawn = drawn_exclusions(Path(home), encoder)
    return {
        "encoder": encoder.fingerprint,
        "threshold": default_model("with reference").lines[1],
        "false rejects": {
            "photos, own captions": round(float(rejected), 3),
            "products, own titles": round(float(rejected_titles), 3),
        },
        "false accepts": {name: round(float(value), 3) for name, value in accepted.items()},
        "exclusion": excluded,
        "exclusion among drawn garments": drawn,
    }


def main() -> None:
    """Measure, print tables, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, default=DATA / "coco/sample")
    parser.add_argument("--products", type=Path, default=DATA / "products/sample")
    parser.add_argument("--vectors", type=Path, help="a folder with coco.npz and product.npz, for --sizes")
    parser.add_argument("--sizes", type=int, nargs="+", default=[400, 1000, 2000, 4000])
    given = parser.parse_args()
    if given.vectors is not None:
        table = Table("collection", "own refused", "thing taken out, shown", "another world, shown")
        for name, row in at_sizes(given.vectors, DATA, given.sizes).items():
            shown = (row.get(key) for key in ("own refused", "thing taken out", "another world"))
            table.add_row(name, *("" if value is None else f"{value:.1%}" for value in shown))
        Console().print(table)
        return
    result = measure(given.photos, given.products)
    table = Table("question", "wrong", title="Nothing fits: how often it is wrong")
    for kind in ("false rejects", "false accepts"):
        for name, value in result[kind].items():  # type: ignore[attr-defined]
            table.add_row(f"{kind}: {name}", f"{value:.1%}")
    Console().print(table)
    table = Table("avoided", "pictures that show it", "left out", "wrongly left out", title="Exclusion")
    for name, row in result["exclusion"].items():  # type: ignore[attr-defined]
        table.add_row(name, str(row["pictures"]), f"{row['left out']:.1%}", f"{row['wrongly left out']:.1%}")
    Console().print(table)
    described = ("left out, described", "wrongly left out, described")
    table = Table("avoided", "pictures", "left out", "wrongly", *described, title="Exclusion among drawn garments")
    for name, row in result["exclusion among drawn garments"].items():  # type: ignore[attr-defined]
        shares = (row[key] for key in ("left out", "wrongly left out", *described))
        table.add_row(name, str(row["pictures"]), *(f"{share:.1%}" for share in shares))
    Console().print(table)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
