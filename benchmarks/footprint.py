"""Bytes a picture: in the catalogue, in the store, in memory, in thumbnails. The basis of docs/scale.md."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from PIL import Image
from rich.console import Console
from rich.table import Table

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue, make_payload
from visavis.collections.indexing.stages import DECODED_SIZE, small_copy
from visavis.collections.reports import folder_bytes
from visavis.pictures.picture import Details
from visavis.pictures.reader import open_scaled
from visavis.stores.base import Query, StoredPoint
from visavis.stores.edge import EdgeStore

OUT = Path("out/footprint.json")
SAMPLES = Path(__file__).parents[1] / "../shared/data/coco/sample"
BATCH = 500


def unit(random: np.random.Generator, *shape: int) -> np.ndarray:
    vectors = random.standard_normal(shape, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def details(number: int) -> Details:
    """Return the metadata of a product: a title, a caption, six attributes."""
    return Details(
        (f"A caption of ordinary length that says what picture number {number} shows",),
        {
            "title": f"A product with the number {number}",
            "price": float(number % 500) / 3,
            "year": 2000 + number % 25,
            "colour": ("red", "green", "blue", "white")[number % 4],
            "category": f"category {number % 40}",
            "new": number % 2 == 0,
        },
    )


def catalogue_bytes(folder: Path, count: int) -> tuple[float, float]:
    """Return bytes and microseconds a picture."""
    catalogue = Catalogue(folder / "catalogue.sqlite", "")
    started = time.perf_counter()
    for start in range(0, count, BATCH):
        entries = [
            ledger.Entry(
                f"/home/somebody/Pictures/2024/holiday {number // 1000}/IMG_{number:08}.jpg",
                "/home/somebody/Pictures",
                ledger.Stamp(3_000_000, 1_700_000_000_000_000_000 + number),
                f"{number * 2654435761 % 2**128:032x}",
                ledger.Shape(4000, 3000, 3_000_000, "JPEG"),
                details(number),
                f"{number:032x}",
            )
            for number in range(start, start + BATCH)
        ]
        ledger.record(catalogue, entries, run=1)
    seconds = time.perf_counter() - started
    catalogue.close()
    return folder_bytes(folder) / count, seconds / count * 1e6


def store_figures(folder: Path, count: int, dimension: int, regions: int) -> dict[str, float]:
    random = np.random.default_rng(1)
    process = psutil.Process()
    store = EdgeStore(folder, dimension=dimension)
    for field, kind in (("price", "float"), ("year", "integer"), ("colour", "keyword"), ("category", "keyword")):
        store.index_field(field, kind)  # type: ignore[arg-type]
    started = time.perf_counter()
    for start in range(0, count, BATCH):
        whole, parts = unit(random, BATCH, dimension), unit(random, BATCH, regions, dimension)
        store.upsert(
            [
                StoredPoint(
                    f"{random.bytes(16).hex()}", whole[i], parts[i], make_payload(details(start + i), 4000, 3000)
                )
                for i in range(BATCH)
            ]
        )
    inserted = time.perf_counter() - started
    started = time.perf_counter()
    store.optimize()
    built = time.perf_counter() - started
    store.close()
    before = process.memory_info().rss
    store = EdgeStore(folder)
    times = []
    for _ in range(200):
        query = unit(random, 1, dimension)
        started = time.perf_counter()
        store.query(Query(query, regions=query, limit=20))
        times.append(time.perf_counter() - started)
    memory = process.memory_info().rss - before
    disk = store.info().disk_bytes or 0
    store.close()
    return {
        "store, disk": disk / count,
        "store, memory while searching": memory / count,
        "store, vectors alone in float16": 2 * dimension * (1 + regions),
        "insert, microseconds": inserted / count * 1e6,
        "index, microseconds": built / count * 1e6,
        "query with regions, median ms": float(np.median(times)) * 1e3,
    }


def thumbnail_bytes() -> float:
    paths = sorted(SAMPLES.glob("*.jpg"))[:200]
    images = [open_scaled(path, DECODED_SIZE).image for path in paths] or [Image.effect_noise((256, 256), 60)]
    return float(np.mean([len(small_copy(image)) for image in images]))


def main() -> None:
    """Measure, print a table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--regions", type=int, default=36)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="visavis-bench-") as temporary:
        Path(temporary, "catalogue").mkdir()
        rows, microseconds = catalogue_bytes(Path(temporary, "catalogue"), given.count)
        figures = {"catalogue (SQLite)": rows, "catalogue, microseconds": microseconds, "thumbnail": thumbnail_bytes()}
        figures |= store_figures(Path(temporary, "store"), given.count, given.dimension, given.regions)
    table = Table(
        "a picture", "bytes", title=f"{given.count:,} pictures, {given.dimension} numbers, {given.regions} regions"
    )
    for name, value in figures.items():
        table.add_row(name, f"{value:,.1f}")
    Console().print(table)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({**vars(given), **figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
