"""Cost of each edit on a 12-megapixel photograph and at screen size, beside plain Pillow and ImageMagick.

All of them run in one thread, and what is counted is processor time: the same as time on the clock when nothing else
runs, and still right when something does. ImageMagick is asked for the operation alone: several repetitions in one
process less one, so that reading the file does not count.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageOps
from rich.console import Console
from rich.table import Table

from _timing import milliseconds as median_milliseconds
from visavis.editing.editor import PREVIEW_SIDE, Editor
from visavis.editing.files import reduced
from visavis.editing.operations.recolour import painted_part, recolour
from visavis.editing.operations.removal import remove

OUT = Path("out/editing.json")
FULL, SCREEN = (4000, 3000), PREVIEW_SIDE
ALLOWED = {"full": 150.0, "screen": 30.0}
#: What takes ImageMagick longer than this many seconds is measured only once, and what takes longer than the second
#: number is stopped: its vignette and its wide blur take minutes.
MAGICK_PATIENCE, MAGICK_LIMIT = 1.0, 20.0

Plain = Callable[[Image.Image], Image.Image]

#: Each edit with the plain Pillow call that is the same or the nearest, and ImageMagick's options.
EDITS: dict[str, tuple[Plain | None, str | None]] = {
    "adjust_attr brightness 20": (lambda i: ImageEnhance.Brightness(i).enhance(1.2), "-evaluate multiply 1.2"),
    "adjust_attr contrast 20": (lambda i: ImageEnhance.Contrast(i).enhance(1.2), "-brightness-contrast 0x20"),
    "adjust_attr saturation 20": (lambda i: ImageEnhance.Color(i).enhance(1.2), "-modulate 100,120"),
    "adjust_attr warmth 20": (None, None),
    "adjust_attr sharpness 20": (lambda i: ImageEnhance.Sharpness(i).enhance(1.2), "-unsharp 0x1+0.2"),
    "adjust_color blue 0.3": (
        lambda i: Image.blend(i, Image.new("RGB", i.size, "blue"), 0.3),
        "-fill blue -colorize 30",
    ),
    "rotate 90": (lambda i: i.transpose(Image.Transpose.ROTATE_90), "-rotate 270"),
    "rotate 30": (
        lambda i: i.convert("RGBA").rotate(30, Image.Resampling.BILINEAR, expand=True),
        "-background none -rotate -30",
    ),
    "rotate 135": (
        lambda i: i.convert("RGBA").rotate(135, Image.Resampling.BILINEAR, expand=True),
        "-background none -rotate -135",
    ),
    "straighten 3": (lambda i: i.rotate(3, Image.Resampling.BILINEAR), "-distort SRT -3"),
    "straighten": (None, None),
    "flip horizontal": (ImageOps.mirror, "-flop"),
    "crop 500 500 3500 2500": (lambda i: i.crop((500, 500, 3500, 2500)), "-crop 3000x2000+500+500"),
    "crop 1:1": (lambda i: ImageOps.fit(i, (min(i.size),) * 2), "-gravity center -crop 3000x3000+0+0"),
    "resize 50%": (lambda i: i.resize((i.width // 2, i.height // 2), Image.Resampling.LANCZOS), "-resize 50%"),
    "resize 95%": (
        lambda i: i.resize((round(i.width * 0.95), round(i.height * 0.95)), Image.Resampling.LANCZOS),
        "-resize 95%",
    ),
    "grayscale": (lambda i: ImageOps.grayscale(i).convert("RGB"), "-colorspace Gray"),
    "sepia 80": (None, "-sepia-tone 80%"),
    "invert": (ImageOps.invert, "-negate"),
    "enhance": (lambda i: ImageOps.autocontrast(i, 0.5), "-normalize"),
    "blur 3": (lambda i: i.filter(ImageFilter.GaussianBlur(i.width * 3 / 5000)), "-blur 0x2.4"),
    "blur 50": (lambda i: i.filter(ImageFilter.GaussianBlur(40)), "-blur 0x40"),
    "vignette 50": (None, "-vignette 0x400"),
    "border 40 white": (lambda i: ImageOps.expand(i, 40, "white"), "-bordercolor white -border 40"),
    'caption "Hello there" bottom': (None, "-gravity south -pointsize 250 -annotate 0 Hello"),
}


#: What changes a thing is measured with its mask given (finding it is measured in benchmarks/cutout.py), an ellipse of
#: this share of the picture; and how long each may take at 12 MP.
SHARE = 0.05
REPAIRS: dict[str, tuple[Callable[[Image.Image, Image.Image], Image.Image], float]] = {
    "recolor blue (5 %)": (lambda image, mask: recolour(image, (0, 0, 255), painted_part(image, mask)), 150.0),
    "remove (5 %)": (remove, 3000.0),
}


def ellipse(size: tuple[int, int]) -> Image.Image:
    """The mask of a thing in the middle of a picture."""
    mask = Image.new("L", size, 0)
    reach = [side * (SHARE / np.pi) ** 0.5 for side in size]
    middle = [side / 2 for side in size]
    ImageDraw.Draw(mask).ellipse(
        (middle[0] - reach[0], middle[1] - reach[1], middle[0] + reach[0], middle[1] + reach[1]), fill=255
    )
    return mask


def photograph() -> Image.Image:
    """Return a picture with soft shapes, edges and noise."""
    random = np.random.default_rng(5)
    soft = Image.fromarray(random.integers(0, 256, (24, 32, 3), np.uint8)).resize(FULL, Image.Resampling.BICUBIC)
    noise = Image.fromarray(random.integers(0, 20, (FULL[1], FULL[0], 3), np.uint8))
    return ImageChops.add(soft, noise)


#: Other processes do not count in processor time.
milliseconds = partial(median_milliseconds, clock=time.process_time)


def our_way(image: Image.Image, line: str) -> Callable[[], object]:
    """Return the whole edit of an opened picture, from its text form to the new picture."""
    editor = Editor()
    return lambda: editor.edit(image, [line], confirmed=True)


def magick() -> str | None:
    """Return the path of ImageMagick's program, if installed."""
    for name in ("magick", "convert"):
        path = shutil.which(name)
        if path and "ImageMagick" in subprocess.run([path, "-version"], capture_output=True, text=True).stdout:
            return path
    return None


def magick_milliseconds(program: str, picture: Path, options: str, times: int) -> float | None:
    """Return the time of the operation without that of reading the file; None if ImageMagick refuses it."""

    def run(count: int) -> float:
        steps = " ".join([f"( +clone {options} +repage +delete )"] * count).split()
        command = [program, "-limit", "thread", "1", str(picture), *steps, "null:"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, timeout=MAGICK_LIMIT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    try:
        without, once = run(0), run(1)
    except subprocess.CalledProcessError:  # such as a text where no font is installed
        return None
    except subprocess.TimeoutExpired:
        return float("inf")
    if once - without > MAGICK_PATIENCE:
        return (once - without) * 1000
    return max(0.0, (run(1 + times) - once) / times * 1000)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7)
    times = parser.parse_args().times
    full = photograph()
    screen = reduced(full, SCREEN)
    scale = SCREEN / FULL[0]
    program = magick()
    results: dict[str, dict[str, float | None]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "photograph.ppm"
        full.save(file)
        for line, (plain, options) in EDITS.items():
            small = re.sub(
                r"crop 500.*", "crop {} {} {} {}".format(*(int(v * scale) for v in (500, 500, 3500, 2500))), line
            )
            results[line] = {
                "full": milliseconds(our_way(full, line), times),
                "pillow": milliseconds(partial(plain, full), times) if plain else None,
                "imagemagick": magick_milliseconds(program, file, options, 1) if program and options else None,
                "screen": milliseconds(our_way(screen, small), times),
            }
    for name, (repair, _) in REPAIRS.items():
        results[name] = {
            "full": milliseconds(partial(repair, full, ellipse(full.size)), min(times, 3)),
            "pillow": None,
            "imagemagick": None,
            "screen": milliseconds(partial(repair, screen, ellipse(screen.size)), min(times, 3)),
        }
    _print(results, program)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(results, indent=2).replace("Infinity", "null") + "\n")


def _allowed(line: str, key: str) -> float:
    return REPAIRS[line][1] if line in REPAIRS else ALLOWED.get(key, float("inf"))


def _print(results: dict[str, dict[str, float | None]], program: str | None) -> None:
    table = Table(
        "edit", "12 MP, ms", "plain Pillow", "ImageMagick" if program else "ImageMagick (not installed)",
        f"{SCREEN} px, ms", title="edits, milliseconds of one core, median",
    )  # fmt: skip
    for line, row in results.items():
        cells = []
        for key in ("full", "pillow", "imagemagick", "screen"):
            value = row[key]
            late = value is not None and value > _allowed(line, key)
            if value == float("inf"):
                cells.append(f"> {MAGICK_LIMIT * 1000:.0f}")
                continue
            cells.append("-" if value is None else f"[red]{value:.0f}[/]" if late else f"{value:.0f}")
        table.add_row(line, *cells)
    Console().print(table)
    late = [line for line, row in results.items() if any((row[key] or 0) > _allowed(line, key) for key in ALLOWED)]
    Console().print(
        f"above {ALLOWED['full']:.0f} ms at 12 MP or {ALLOWED['screen']:.0f} ms on the screen: {late or 'none'}"
    )


if __name__ == "__main__":
    main()
