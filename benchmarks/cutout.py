"""Quality and cost of cut-outs: mean IoU and boundary F against known masks, for every available cutter.

The generated set has exact masks: drawn garments over photographs that no cutter was trained on (or over drawn
scenes, where those photographs are not at hand). Real photographs with masks are those of pets, people and garments
in ``../shared/data/cutout``, and what is added by ``--pairs NAME=FOLDER``: folders with ``images/X.jpg`` and
``masks/X.png`` (white: object, black: background, grey: ignored). A missing set or method is skipped with a
message.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageFilter
from rich.console import Console
from rich.progress import track
from rich.table import Table

from visavis.demo import describe, draw_scene
from visavis.demo.painter import paint_look
from visavis.demo.scenes import describe_scene
from visavis.editing.cutout import cutters
from visavis.editing.cutout.cutters import CUTTERS, ColourCutter, Cutter
from visavis.editing.cutout.masks import refine

PHOTOS = Path("../shared/data/coco/sample")
#: Sets of photographs with masks, each in a folder of its own.
SETS, NAMES = Path("../shared/data/cutout"), ("pets", "people", "garments")
OUT = Path("out/cutout.json")
SEED, SIDE = 4711, 512
#: Boundaries match within this share of the diagonal, as in the DAVIS benchmark.
TOLERANCE = 0.008

Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class Case:
    """A picture with its mask: 255 object, 0 background, between ignored."""

    image: Image.Image
    mask: Image.Image


def drawn(count: int) -> Iterator[Case]:
    """Yield garments composited on photographs at random; their own masks are exact."""
    photos = sorted(PHOTOS.glob("*.jpg"))
    for number in range(count):
        random = Random(f"{SEED}/{number}")
        if photos:
            ground = (
                Image.open(photos[number % len(photos)]).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC)
            )
        else:
            ground = draw_scene(describe_scene(SEED, number), (SIDE, SIDE))
        side = random.randint(SIDE // 2, SIDE)
        canvas = paint_look(describe(SEED, number).look, (side * 3 // 4, side), random)
        cover = np.clip(canvas.cover, 0, 1)
        colours = np.clip(canvas.colour / np.maximum(cover, 1e-3), 0, 1).transpose(1, 2, 0)
        thing = Image.fromarray((np.dstack([colours, cover]) * 255 + 0.5).astype(np.uint8))
        thing = thing.rotate(random.uniform(-20, 20), Image.Resampling.BICUBIC, expand=True)
        left, top = (random.randint(0, max(0, SIDE - length)) for length in thing.size)
        layer = Image.new("RGBA", (SIDE, SIDE))
        layer.paste(thing, (left, top))
        alpha = layer.getchannel("A")
        ground.paste(layer, mask=alpha)
        yield Case(ground, alpha.point(lambda value: 255 * (value >= 128)))


def pairs(folder: Path) -> Iterator[Case]:
    """Yield photographs with masks from a folder."""
    for path in sorted((folder / "images").iterdir()):
        mask = folder / "masks" / f"{path.stem}.png"
        if mask.exists():
            yield Case(Image.open(path).convert("RGB"), Image.open(mask).convert("L"))


def overlap(found: Bits, true: Bits, counted: Bits) -> float:
    """Return the intersection over union."""
    union = ((found | true) & counted).sum()
    return float((found & true & counted).sum() / union) if union else 1.0


def boundary_f(found: Bits, true: Bits, counted: Bits) -> float:
    """Return the harmonic mean of boundary precision and recall."""
    width = max(1, round(TOLERANCE * float(np.hypot(*found.shape)))) * 2 + 1
    lines = [_outline(bits, counted) for bits in (found, true)]
    near = [np.asarray(Image.fromarray(line).filter(ImageFilter.MaxFilter(width))) > 0 for line in lines]
    shares = [
        float((lines[a] & near[b]).sum() / lines[a].sum()) if lines[a].any() else 0.0 for a, b in ((0, 1), (1, 0))
    ]
    return 2 * shares[0] * shares[1] / (shares[0] + shares[1]) if sum(shares) else 0.0


def _outline(bits: Bits, counted: Bits) -> Bits:
    picture = Image.fromarray(bits)
    grey = picture.convert("L")
    edge = ImageChops.difference(grey, grey.filter(ImageFilter.MinFilter(3)))
    return (np.asarray(edge) > 0) & counted


def grabcut() -> Callable[[Image.Image], Image.Image] | None:
    """Return GrabCut alone, initialised with a frame at a twentieth from the border; None without OpenCV."""
    try:
        import cv2
    except ImportError:
        return None

    def run(image: Image.Image) -> Image.Image:
        small = image.copy()
        small.thumbnail((SIDE, SIDE))
        pixels = np.asarray(small)[..., ::-1].copy()
        labels = np.zeros(pixels.shape[:2], np.uint8)
        width, height = small.size
        frame = (width // 20, height // 20, width - width // 10, height - height // 10)
        cv2.setRNGSeed(1)
        cv2.grabCut(pixels, labels, frame, np.zeros((1, 65)), np.zeros((1, 65)), 5, cv2.GC_INIT_WITH_RECT)
        return Image.fromarray(((labels % 2) * 255).astype(np.uint8)).resize(image.size, Image.Resampling.BILINEAR)

    return run


def patches_and_colours(image: Image.Image) -> Image.Image:
    """Cut out as before the outline network: coarse patches, then colour models."""
    coarse = cutters._patches(image)
    return refine(image, ColourCutter().mask(image, coarse))


def _refined(tool: Cutter, image: Image.Image) -> Image.Image:
    return refine(image, tool.mask(image))


def methods() -> dict[str, Callable[[Image.Image], Image.Image]]:
    """Return every available method, by name."""
    found: dict[str, Callable[[Image.Image], Image.Image]] = {}
    for name, kind in CUTTERS.items():
        if (remedy := kind.missing()) is not None:
            _left_out(name, remedy)
            continue
        found[name] = partial(_refined, kind())
    found["patches and colours"] = patches_and_colours
    if (run := grabcut()) is not None:
        found["GrabCut alone"] = run
    else:
        _left_out("GrabCut alone", "It needs OpenCV: pip install opencv-python-headless")
    return found


def photographs(given: list[str]) -> dict[str, Path]:
    """Return the available sets of photographs, and those given as NAME=FOLDER, by name."""
    added = {name: Path(folder) for name, _, folder in (pair.partition("=") for pair in given)}
    folders = {name: SETS / name for name in NAMES} | added
    for name in [name for name, folder in folders.items() if not (folder / "masks").is_dir()]:
        _left_out(name, f"There are no masks in {folders.pop(name)}; --pairs {name}=FOLDER says where they are.")
    return folders


def _left_out(name: str, why: str) -> None:
    Console(stderr=True).print(f"{name}: left out. {why}")


def measure(cases: list[Case], run: Callable[[Image.Image], Image.Image]) -> dict[str, float | None]:
    """Return means over a set."""
    run(cases[0].image)  # loads the models
    ious, edges, seconds = [], [], []
    for case in cases:
        start = time.process_time()
        mask = run(case.image)
        seconds.append(time.process_time() - start)
        known = np.asarray(case.mask)
        counted = (known < 64) | (known > 191)
        found, true = np.asarray(mask) >= 128, known >= 128
        ious.append(overlap(found, true, counted))
        if counted.all():  # where the border is ignored there is no outline to compare with
            edges.append(boundary_f(found, true, counted))
    return {
        "iou": round(float(np.mean(ious)), 4),
        "boundary_f": round(float(np.mean(edges)), 4) if edges else None,
        "good": round(float(np.mean(np.array(ious) > 0.8)), 4),
        "milliseconds": round(float(np.median(seconds)) * 1000, 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=80, help="how many generated pictures")
    parser.add_argument("--most", type=int, default=1000, help="how many of each set of photographs at most")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="measure only these ways")
    parser.add_argument("--pairs", action="append", default=[], metavar="NAME=FOLDER", help="photographs with masks")
    options = parser.parse_args()
    ground = "photographs" if any(PHOTOS.glob("*.jpg")) else "drawn scenes"
    sets = {f"garments over {ground}": list(drawn(options.count))}
    for name, folder in photographs(options.pairs).items():
        sets[name] = list(islice(pairs(folder), options.most))
    ways = {method: run for method, run in methods().items() if not options.only or method in options.only}
    results: dict[str, dict[str, dict[str, float | None]]] = {}
    table = Table("set", "pictures", "cutter", "mean IoU", "boundary F", "IoU > 0.8", "processor ms", title="cut-outs")
    for name, cases in sets.items():
        for method, run in track(ways.items(), f"{name}, {len(cases)} pictures", console=Console(stderr=True)):
            row = measure(cases, run)
            results.setdefault(name, {})[method] = row
            OUT.parent.mkdir(exist_ok=True)
            OUT.write_text(json.dumps(results, indent=2) + "\n")  # an interrupted run keeps its results
            edge = "-" if row["boundary_f"] is None else f"{row['boundary_f']:.3f}"
            shown = (f"{row['iou']:.3f}", edge, f"{row['good']:.0%}", f"{row['milliseconds']:.0f}")
            table.add_row(name, str(len(cases)), method, *shown)
    Console().print(table)


if __name__ == "__main__":
    main()
