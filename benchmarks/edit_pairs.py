"""Sheets of real removals and recolourings on sample photos, to be judged by somebody who does not know what made them.

    python benchmarks/edit_pairs.py --out out/pairs

`removals-*.png`: the photo with the thing marked, and two fillings of the same hole, ours and OpenCV's, left and right
drawn by lot; which is which is in `key.json`, apart from the sheets. `recolourings-*.png`: before and after, with the
command. A judge writes a line for each number, `1 left`, `1 right` or `1 same`; for a recolouring `1 yes` or `1 no`
for whether it would be kept. `--judged FILE` counts such lines of removals with the key.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps

from removal import methods
from visavis.editing.editor import Editor
from visavis.editing.files import mask_preview
from visavis.encoders.registry import load_encoder

PHOTOS, PRODUCTS = Path("../shared/data/coco/sample"), Path("../shared/data/products/sample")
SEED = 1730
#: Things that people ask to take out or to recolour, as captions call them.
REMOVED = (
    "dog cat bird boat car truck bicycle motorcycle umbrella ball frisbee kite sign bottle cup bowl vase clock "
    "surfboard skateboard horse sheep cow zebra giraffe bench chair person man woman boy girl"
).split()
RECOLOURED = "bus car truck train umbrella boat surfboard kite couch chair shirt vase bicycle motorcycle".split()
GARMENTS = {
    "Tshirts": "shirt", "Shirts": "shirt", "Tops": "top", "Dresses": "dress", "Kurtas": "dress", "Jackets": "jacket",
    "Casual Shoes": "shoe", "Sports Shoes": "shoe", "Heels": "shoe", "Handbags": "bag", "Backpacks": "bag",
    "Caps": "cap", "Shorts": "shorts", "Trousers": "trousers", "Track Pants": "trousers", "Sweatshirts": "sweater",
}  # fmt: skip
COLOURS = "red blue green yellow orange purple pink black white teal".split()
#: A thing to take out has this share of the photo.
LEAST, MOST = 0.005, 0.15
SIDE, EDGE = 380, 12


@dataclass(frozen=True)
class Edit:
    """One row of a sheet: what was asked for, and the pictures from left to right."""

    words: str
    pictures: tuple[Image.Image, ...]
    file: str


def captioned(folder: Path, things: list[str], random: Random) -> Iterator[tuple[Path, str]]:
    """Yield photos in random order, each with a thing that one of its captions names."""
    rows = [json.loads(line) for line in (folder / "captions.jsonl").read_text(encoding="utf-8").splitlines()]
    random.shuffle(rows)
    for row in rows:
        words = set(" ".join(row["captions"]).lower().replace(".", " ").replace(",", " ").split())
        named = [thing for thing in things if thing in words]
        if named:
            yield folder / row["file"], random.choice(named)


def removals(editor: Editor, folder: Path, random: Random) -> Iterator[tuple[Edit, bool]]:
    """Yield removals of things that were surely found; and whether ours is on the left."""
    runs = methods()
    ours, other = runs["visavis"], runs["OpenCV Telea"]
    for file, thing in captioned(folder, REMOVED, random):
        photo = Image.open(file).convert("RGB")
        found = editor.locate(photo, thing)
        if not found.sure or not LEAST <= np.asarray(found.mask).mean() / 255 <= MOST:
            continue
        left = random.random() < 0.5
        pair = (ours(photo, found.mask).convert("RGB"), other(photo, found.mask).convert("RGB"))
        marked = mask_preview(photo, found.mask).convert("RGB")
        yield Edit(f"remove the {thing}", (marked, *(pair if left else pair[::-1])), file.name), left


def recolourings(editor: Editor, photos: Path, products: Path, count: int, random: Random) -> Iterator[Edit]:
    """Yield as many recolourings of garments as of things in photos; where we would ask back, nothing is shown."""
    yield from islice(_recoloured(editor, _garments(products, random), random), count - count // 2)
    yield from islice(_recoloured(editor, captioned(photos, RECOLOURED, random), random), count // 2)


def _garments(folder: Path, random: Random) -> Iterator[tuple[Path, str]]:
    with (folder / "styles.csv").open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["articleType"] in GARMENTS]
    random.shuffle(rows)
    for row in rows:
        yield folder / f"{row['id']}.jpg", GARMENTS[row["articleType"]]


def _recoloured(editor: Editor, things: Iterator[tuple[Path, str]], random: Random) -> Iterator[Edit]:
    for file, thing in things:
        photo, colour = Image.open(file).convert("RGB"), random.choice(COLOURS)
        command = f"recolor {colour} on {thing}"
        made = editor.edit(photo, [command])
        if made.question:
            continue
        yield Edit(command, (photo, made.image.convert("RGB")), file.name)


def save_sheets(edits: list[Edit], name: str, out: Path, rows: int, across: int) -> None:
    """Save the edits, so many rows a sheet, each with its number and its words."""
    wide = (SIDE + EDGE) * max((len(edit.pictures) for edit in edits), default=0)
    font = ImageFont.load_default(size=22)
    for start in range(0, len(edits), rows * across):
        page = Image.new("RGB", (across * (wide + 2 * EDGE), rows * (SIDE + 50)), "white")
        for place, edit in enumerate(edits[start : start + rows * across]):
            left, top = (place % across) * (wide + 2 * EDGE) + EDGE, (place // across) * (SIDE + 50)
            words = f"{start + place + 1}: {edit.words}"
            ImageDraw.Draw(page).text((left, top + 8), words, fill="black", font=font)
            for number, picture in enumerate(edit.pictures):
                page.paste(ImageOps.contain(picture, (SIDE, SIDE)), (left + number * (SIDE + EDGE), top + 42))
        page.save(out / f"{name}-{start // (rows * across) + 1}.png")


def count_judged(judged: Path, key: Path) -> None:
    """Print how often each filling was preferred."""
    lefts = {row["number"]: row["left"] for row in json.loads(key.read_text())["removals"]}
    preferred: Counter[str] = Counter()
    for line in judged.read_text().splitlines():
        number, _, side = line.strip().partition(" ")
        if side in ("left", "right"):
            preferred["visavis" if (lefts[int(number)] == "visavis") == (side == "left") else "OpenCV"] += 1
        elif side:
            preferred[side] += 1
    print(dict(preferred))


def main() -> None:
    """Make the sheets, or count what was judged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, default=PHOTOS, help="a folder with photos and captions.jsonl")
    parser.add_argument("--products", type=Path, default=PRODUCTS, help="a folder with pictures and styles.csv")
    parser.add_argument("--out", type=Path, default=Path("out/pairs"))
    parser.add_argument("--removals", type=int, default=30)
    parser.add_argument("--recolourings", type=int, default=50)
    parser.add_argument("--judged", type=Path, help="lines of a judge: count them and make no sheets")
    given = parser.parse_args()
    key = given.out / "key" / "key.json"
    if given.judged:
        count_judged(given.judged, key)
        return
    key.parent.mkdir(parents=True, exist_ok=True)
    editor = Editor(load_encoder("builtin"))
    pairs = list(islice(removals(editor, given.photos, Random(SEED)), given.removals))
    save_sheets([edit for edit, _ in pairs], "removals", given.out, 5, 1)
    changed = list(recolourings(editor, given.photos, given.products, given.recolourings, Random(SEED)))
    save_sheets(changed, "recolourings", given.out, 5, 2)
    rows = [
        {"number": number, "file": edit.file, "words": edit.words, "left": "visavis" if left else "OpenCV Telea"}
        for number, (edit, left) in enumerate(pairs, 1)
    ]
    told = [{"number": n, "file": edit.file, "words": edit.words} for n, edit in enumerate(changed, 1)]
    key.write_text(json.dumps({"removals": rows, "recolourings": told}, indent=1) + "\n")
    print(f"{len(pairs)} removals and {len(changed)} recolourings in {given.out}; which is which in {key}")


if __name__ == "__main__":
    main()
