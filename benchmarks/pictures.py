"""Cost of opening a picture, stage by stage: reading, hashing, decoding, resizing, a thumbnail."""

from __future__ import annotations

import io
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from _timing import milliseconds
from visavis.pictures import DecodeLimits, content_id, make_thumbnail, open_picture, open_scaled
from visavis.pictures.reader import read_source

SIZE = 256
CASES = {"12 megapixels": (4000, 3000, 15), "256 x 256": (256, 256, 300)}
OUT = Path("out/pictures.json")


def photograph(width: int, height: int) -> bytes:
    """Return a JPEG with the detail of a photograph: soft shapes, edges and sensor noise."""
    random = np.random.default_rng(5)
    soft = Image.fromarray(random.integers(0, 256, (24, 32, 3), np.uint8)).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    pixels = np.asarray(soft, np.int16) + random.normal(0, 5, (height, width, 3)).astype(np.int16)
    pixels[:: max(1, height // 40)] //= 2
    file = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(file, "JPEG", quality=90)
    return file.getvalue()


def decoded(data: bytes, draft: bool) -> Image.Image:
    image = Image.open(io.BytesIO(data), formats=("JPEG",))
    if draft:
        image.draft(None, (int(SIZE * 1.25 * image.width / image.height), int(SIZE * 1.25)))
    image.load()
    return image


def stages(path: Path, times: int) -> dict[str, float]:
    """Measure each stage alone, then whole functions, in milliseconds."""
    data = path.read_bytes()
    full, small = decoded(data, False), decoded(data, True)
    target = (round(full.width * SIZE / full.height), SIZE)
    opened = open_scaled(data, SIZE)
    with ThreadPoolExecutor(2) as pool:
        both = milliseconds(lambda: list(pool.map(lambda _: open_scaled(path, SIZE), range(8))), max(3, times // 8)) / 8
    return {
        "megabytes": len(data) / 1e6,
        "read": milliseconds(lambda: read_source(path, DecodeLimits().file_bytes), times),
        "hash": milliseconds(lambda: content_id(data), times),
        "decode, full size": milliseconds(lambda: decoded(data, False), times),
        "decode, scaled by the decoder": milliseconds(lambda: decoded(data, True), times),
        "resize from full size": milliseconds(lambda: full.resize(target, Image.Resampling.BICUBIC), times),
        "resize from the decoder's scale": milliseconds(lambda: small.resize(target, Image.Resampling.BICUBIC), times),
        "thumbnail": milliseconds(lambda: make_thumbnail(opened.image), times),
        "open_picture": milliseconds(lambda: open_picture(path), times),
        "open_scaled": milliseconds(lambda: open_scaled(path, SIZE), times),
        "open_scaled, 2 threads, each": both,
    }


def main() -> None:
    """Measure, print a table, write JSON."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (width, height, times) in CASES.items():
            path = Path(folder, "picture.jpg")
            path.write_bytes(photograph(width, height))
            results[name] = stages(path, times)
    table = Table("milliseconds a picture", *results, title=f"Opening a JPEG, shorter side {SIZE} pixels")
    for stage in next(iter(results.values())):
        table.add_row(stage, *(f"{result[stage]:.3f}" for result in results.values()))
    Console().print(table)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
