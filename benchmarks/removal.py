"""Quality and cost of removals: things are pasted onto photographs and taken out again.

What lay under the thing is known, so the filling is compared with it inside the hole: PSNR, SSIM, and how much of the
fine detail there is again (1: as much as there was; a blur has less). OpenCV's two methods of inpainting, where
installed, fill the same holes in the same run. The smoothest filling wins PSNR, since a texture that is continued is
never the same to the pixel; so look at the sheet as well (``--sheet``). The photographs are any folder of pictures.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy import ndimage

from visavis.demo import describe
from visavis.demo.painter import paint_look
from visavis.editing.operations.removal import remove

PHOTOS = Path("../shared/data/coco/sample")
OUT = Path("out/removal.json")
SEED = 1717
#: The longer side that photographs are reduced to, and the sides of things in shares of a photograph's shorter side.
LONGEST, SIDES = 1024, (0.2, 0.5)
#: A photograph of 12 megapixels and the share of it that is taken out, to measure the time.
FULL, SHARE = (4000, 3000), 0.05

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Method = Callable[[Image.Image, Image.Image], Image.Image]


@dataclass(frozen=True)
class Case:
    """A photograph, the same with a thing on it, and the mask of that thing."""

    clean: Image.Image
    shown: Image.Image
    mask: Image.Image


def cases(folder: Path, count: int) -> Iterator[Case]:
    """Yield photographs with a garment pasted onto each, at a random place, size and angle."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp"))
    Random(SEED).shuffle(files)
    for number, path in enumerate(files[:count]):
        clean = Image.open(path).convert("RGB")
        clean.thumbnail((LONGEST, LONGEST))
        random = Random(f"{SEED}/{number}")
        side = max(24, round(random.uniform(*SIDES) * min(clean.size)))
        canvas = paint_look(describe(SEED, number).look, (side * 3 // 4, side), random)
        cover = np.clip(canvas.cover, 0, 1)
        colours = np.clip(canvas.colour / np.maximum(cover, 1e-3), 0, 1).transpose(1, 2, 0)
        thing = Image.fromarray((np.dstack([colours, cover]) * 255 + 0.5).astype(np.uint8))
        thing = thing.rotate(random.uniform(-30, 30), Image.Resampling.BICUBIC, expand=True)
        place = tuple(random.randint(0, max(0, full - own)) for full, own in zip(clean.size, thing.size, strict=True))
        layer = Image.new("RGBA", clean.size)
        layer.paste(thing, (place[0], place[1]))
        shown = clean.copy()
        shown.paste(layer, mask=layer.getchannel("A"))
        yield Case(clean, shown, layer.getchannel("A"))


def methods() -> dict[str, Method]:
    """Return our removal, and OpenCV's where it is installed."""
    found: dict[str, Method] = {"visavis": remove}
    try:
        import cv2
    except ImportError:
        Console(stderr=True).print("OpenCV is left out: pip install opencv-python-headless")
        return found

    def opencv(kind: int) -> Method:
        def run(image: Image.Image, mask: Image.Image) -> Image.Image:
            hole = ndimage.maximum_filter(np.asarray(mask) > 0, 5).astype(np.uint8)
            return Image.fromarray(cv2.inpaint(np.asarray(image.convert("RGB")), hole, 5, kind))

        return run

    cv2.setNumThreads(1)
    return found | {"OpenCV Telea": opencv(cv2.INPAINT_TELEA), "OpenCV Navier-Stokes": opencv(cv2.INPAINT_NS)}


def psnr(made: Floats, true: Floats, inside: Bits) -> float:
    """Return the peak signal-to-noise ratio inside the hole, in dB."""
    return float(10 * np.log10(255**2 / max(float(((made - true)[inside] ** 2).mean()), 1e-2)))


def ssim(made: Floats, true: Floats, inside: Bits) -> float:
    """Return the mean structural similarity (Wang et al. 2004) of grey values inside the hole."""
    one, other = made.mean(axis=-1), true.mean(axis=-1)
    mean = [_soft(one), _soft(other)]
    spread = [_soft(one * one) - mean[0] ** 2, _soft(other * other) - mean[1] ** 2]
    shared = _soft(one * other) - mean[0] * mean[1]
    first, second = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    values = (2 * mean[0] * mean[1] + first) * (2 * shared + second)
    values /= (mean[0] ** 2 + mean[1] ** 2 + first) * (spread[0] + spread[1] + second)
    return float(values[inside].mean())


def detail(made: Floats, true: Floats, inside: Bits) -> float:
    """Return how much fine detail the filling has, as a share of what was there."""
    fine = [np.abs(grey - ndimage.gaussian_filter(grey, 1.0))[inside].mean() for grey in (made.mean(-1), true.mean(-1))]
    return float(fine[0] / max(float(fine[1]), 0.2))


def _soft(values: Floats) -> Floats:
    return np.asarray(ndimage.gaussian_filter(values, 1.5, truncate=3.5), np.float64)


def measure(case: Case, made: Image.Image, seconds: float) -> dict[str, float]:
    """Return the figures of one removal."""
    inside = np.asarray(case.mask) >= 128
    pair = tuple(np.asarray(image.convert("RGB"), np.float64) for image in (made, case.clean))
    return {
        "psnr": psnr(*pair, inside), "ssim": ssim(*pair, inside), "detail": detail(*pair, inside), "seconds": seconds,
    }  # fmt: skip


def seconds_at_full_size(run: Method, photo: Image.Image) -> float:
    """Return the processor time for a twentieth of 12 megapixels."""
    image, mask = photo.resize(FULL, Image.Resampling.BICUBIC), Image.new("L", FULL, 0)
    across, down = (side * (SHARE / np.pi) ** 0.5 for side in FULL)
    middle = [side / 2 for side in FULL]
    ImageDraw.Draw(mask).ellipse((middle[0] - across, middle[1] - down, middle[0] + across, middle[1] + down), fill=255)
    return _timed(run, image, mask)[1]


def _timed(run: Method, image: Image.Image, mask: Image.Image) -> tuple[Image.Image, float]:
    start = time.process_time()
    made = run(image, mask)
    return made, time.process_time() - start


def sheet(rows: list[list[Image.Image]], path: Path, side: int = 320) -> None:
    """Save pictures side by side."""
    page = Image.new("RGB", (side * len(rows[0]), side * len(rows)), "white")
    for down, row in enumerate(rows):
        for across, image in enumerate(row):
            small = image.convert("RGB")
            small.thumbnail((side - 4, side - 4))
            page.paste(small, (across * side, down * side))
    page.save(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="?", type=Path, default=PHOTOS, help="a folder of photographs")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--sheet", type=Path, help="a picture of the first removals side by side, to look at")
    given = parser.parse_args()
    runs = methods()
    found: dict[str, list[dict[str, float]]] = {name: [] for name in runs}
    rows: list[list[Image.Image]] = []
    photo = None
    for case in track(list(cases(given.photos, given.count)), "removing", console=Console(stderr=True)):
        made = {name: _timed(run, case.shown, case.mask) for name, run in runs.items()}
        for name, (image, seconds) in made.items():
            found[name].append(measure(case, image, seconds))
        if given.sheet and len(rows) < 12:
            rows.append([case.clean, case.shown, *(image for image, _ in made.values())])
        photo = photo or case.clean
    if photo is None:
        parser.error(f"there are no photographs in {given.photos}")
    if given.sheet:
        sheet(rows, given.sheet)
    results = {
        name: {key: statistics.fmean(one[key] for one in all_) for key in all_[0]}
        | {"seconds_12_megapixels": seconds_at_full_size(runs[name], photo)}
        for name, all_ in found.items()
    }
    table = Table(
        "method",
        "PSNR, dB",
        "SSIM",
        "detail",
        "s a picture",
        "s, 5 % of 12 MP",
        title=f"{len(found['visavis'])} removals",
    )
    for name, row in results.items():
        table.add_row(name, *(f"{row[key]:.{digits}f}" for key, digits in zip(row, (2, 3, 2, 2, 2), strict=True)))
    Console().print(table)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
