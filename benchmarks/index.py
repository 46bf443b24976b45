"""Pictures a second, end to end, against the encoder's bound on the same machine at the same time.

The encoder's bound is measured in slices before, between and after the indexing runs, on decoded
pictures, so that a busy machine slows both down alike.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from visavis.api import open_collection
from visavis.collections.indexing.stages import BATCH, DECODED_SIZE
from visavis.encoders.base import Encoder
from visavis.encoders.registry import load_encoder
from visavis.pictures.reader import open_scaled

OUT = Path("out/index.json")
SAMPLES = Path(__file__).parents[1] / "../shared/data/coco/sample"
AIM = 0.85


def photographs(folder: Path, count: int, size: tuple[int, int]) -> list[Path]:
    """Create photos of a camera's size: real ones enlarged, each with its own sensor noise."""
    bases = sorted(SAMPLES.glob("*.jpg"))
    random = np.random.default_rng(3)
    noise = random.normal(0, 6, (size[1] + 64, size[0] + 64, 1)).astype(np.int16)
    paths = []
    for number in range(count):
        base = Image.open(bases[number % len(bases)]) if bases else Image.fromarray(_drawn(random))
        pixels = np.asarray(base.convert("RGB").resize(size, Image.Resampling.BICUBIC), np.int16)
        down, right = random.integers(0, 64, 2)
        pixels = pixels + noise[down : down + size[1], right : right + size[0]]
        path = folder / f"{number % 20:02}" / f"IMG_{number:05}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(path, "JPEG", quality=88)
        paths.append(path)
    return paths


def _drawn(random: np.random.Generator) -> np.ndarray:
    return random.integers(0, 256, (12, 16, 3), np.uint8)


def bound(encoder: Encoder, images: list[Image.Image]) -> float:
    """Return pictures a second of the encoder alone, in the batches of indexing."""
    started = time.perf_counter()
    for start in range(0, len(images), BATCH):
        encoder.encode_pictures(images[start : start + BATCH])
    return len(images) / (time.perf_counter() - started)


def decoding(paths: list[Path]) -> float:
    """Return pictures a second of decoding alone with every core busy, without thumbnails."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        started = time.perf_counter()
        list(pool.map(lambda path: open_scaled(path, DECODED_SIZE), paths))
        return len(paths) / (time.perf_counter() - started)


def slices(paths: list[Path], parts: int, home: Path) -> list[Path]:
    """Split the photos into as many folders as there are indexing runs."""
    folders = []
    for part in range(parts):
        folder = home / f"part{part}"
        folder.mkdir()
        for path in paths[part::parts]:
            shutil.move(path, folder / path.name)
        folders.append(folder)
    return folders


def measure(count: int, size: tuple[int, int], parts: int) -> dict[str, object]:
    encoder = load_encoder("builtin")
    with tempfile.TemporaryDirectory(prefix="visavis-bench-") as temporary:
        folder = Path(temporary)
        paths = photographs(folder, count, size)
        megabytes = sum(path.stat().st_size for path in paths) / 1e6
        images = [open_scaled(path, DECODED_SIZE).image for path in paths[:160]]
        encoder.encode_pictures(images[:BATCH])
        reports, bounds, decoded = [], [bound(encoder, images)], decoding(paths[:160])
        with open_collection("bench", folder / "home", encoder=encoder, create=True) as collection:
            for part in slices(paths, parts, folder):
                reports.append(collection.index(part))
                bounds.append(bound(encoder, images))
            again = collection.index(folder / "part0")
            disk = collection.store.info().disk_bytes
    seconds = sum(report.seconds for report in reports)
    between = [(before + after) / 2 for before, after in pairwise(bounds)]
    shares = [report.rate / allowed for report, allowed in zip(reports, between, strict=True)]
    stages = {name: sum(report.stages[name] for report in reports) for name in reports[0].stages}
    return {
        "pictures": count,
        "size": f"{size[0]} x {size[1]}",
        "megabytes": round(megabytes, 1),
        "encoder": encoder.name,
        "cores": os.cpu_count(),
        "seconds": round(seconds, 1),
        "rate": round(count / seconds, 2),
        "bound": round(float(np.mean(bounds)), 2),
        "share_of_bound": round(float(np.mean(shares)), 3),
        # Decoding needs the same cores, so the bound is the two one after the other.
        "bound_with_decoding": round(1 / (1 / float(np.mean(bounds)) + 1 / decoded), 2),
        "share_of_bound_each": [round(share, 3) for share in shares],
        "stage_ms_a_picture": {name: round(1000 * total / count, 2) for name, total in stages.items()},
        "unchanged_files_a_second": round(again.files / again.seconds),
        "store_bytes_a_picture": round((disk or 0) / count),
    }


def main() -> None:
    """Measure, print a table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--height", type=int, default=1536)
    parser.add_argument("--parts", type=int, default=5, help="indexing runs, with the encoder alone measured between")
    given = parser.parse_args()
    result = measure(given.count, (given.width, given.height), given.parts)
    table = Table("what", "measured", title="Indexing end to end")
    for name, value in result.items():
        table.add_row(name, str(value))
    Console().print(table)
    verdict = "reached" if float(str(result["share_of_bound"])) >= AIM else "not reached"
    Console().print(f"aim: {AIM:.0%} of what the encoder alone allows: {verdict}")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
