"""How surely named things are found in photographs: those that are there, and those that are not.

The objects of each photograph come from a JSON file of lines with `image_id` and `objects` (COCO's 80 classes). Of the
classes that a photograph does not show some are drawn by chance, and some from the group of a thing that it does show
(a dog where there is a cat). The program prints which share of each is found with at least a given confidence, and the
rivals that win most patches: one that wins everywhere, whatever a picture shows, says nothing.

`--judged` looks for the things of `finding_judged.txt` instead, where one pair of eyes has said whether one would take
each mask as it is, and prints how many were right at which confidence.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console
from rich.progress import track
from rich.table import Table

from visavis.editing.finding import locate as finder
from visavis.editing.finding.phrases import RIVALS
from visavis.editing.finding.relevance import text_vectors
from visavis.encoders.base import Encoded, Encoder, FloatArray
from visavis.encoders.registry import load_encoder

OUT = Path("out/finding.json")
JUDGED = Path(__file__).with_name("finding_judged.txt")
BANDS = ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01))
DATA = Path(__file__).parents[1] / "../shared/data/coco"
LIMITS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ABSENT_EACH = 2
GROUPS = (
    ("bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat"),
    ("traffic light", "fire hydrant", "stop sign", "parking meter", "bench"),
    ("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"),
    ("backpack", "umbrella", "handbag", "tie", "suitcase"),
    ("frisbee", "skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
     "tennis racket"),
    ("bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl"),
    ("banana", "apple", "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake"),
    ("chair", "couch", "potted plant", "bed", "dining table", "toilet"),
    ("tv", "laptop", "mouse", "remote", "keyboard", "cell phone"),
    ("microwave", "oven", "toaster", "sink", "refrigerator"),
    ("book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush"),
)  # fmt: skip


class Remembering(Encoder):
    """An encoder that keeps the patches of the last picture: several things are looked for in each."""

    def __init__(self, inner: Encoder) -> None:
        self.inner, self.name, self.dimension = inner, inner.name, inner.dimension
        self._last: tuple[bytes, FloatArray] = (b"", np.zeros(0, np.float32))

    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        """As the encoder does."""
        return self.inner.encode_pictures(images)

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """As the encoder does."""
        return self.inner.encode_texts(texts)

    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        """The patches, encoded anew for another picture than the last."""
        key = b"".join(image.tobytes() for image in images)
        if key != self._last[0]:
            self._last = (key, self.inner.encode_patches(images))
        return self._last[1]


def photographs(folder: Path, objects: Path, count: int) -> Iterator[tuple[Path, list[str]]]:
    """The first photographs of a folder whose objects are known."""
    known = {}
    for line in objects.read_text().splitlines():
        row = json.loads(line)
        known[row["image_id"]] = row["objects"]
    paths = [path for path in sorted(folder.glob("*.jpg")) if known.get(int(path.stem))]
    yield from ((path, known[int(path.stem)]) for path in paths[:count])


def looked_for(present: Sequence[str], chance: random.Random) -> dict[str, list[str]]:
    """What to look for in a photograph: present things, absent ones, and absent ones of the same group."""
    names = [name for group in GROUPS for name in group]
    others = [name for name in names if name not in present]
    kin = [name for group in GROUPS if set(group) & set(present) for name in group if name not in present]
    return {
        "present": [name for name in present if name in names],
        "absent": chance.sample(others, ABSENT_EACH),
        "absent, akin": chance.sample(kin, min(ABSENT_EACH, len(kin))),
    }


def nearest(image: Image.Image, encoder: Encoder) -> Counter[str]:
    """How many patches of a picture each rival is nearest to."""
    patches = encoder.encode_patches([image])[0]
    best = (patches.reshape(-1, patches.shape[-1]) @ text_vectors(list(RIVALS), encoder).T).argmax(axis=1)
    return Counter(RIVALS[index] for index in best)


def reliability(photos: Path, encoder: Encoder) -> None:
    """Print how many of the judged masks were right at which confidence."""
    rows = []
    for line in track(JUDGED.read_text().splitlines()[1:]):
        name, thing, right = line.split("\t")
        with Image.open(photos / f"{name}.jpg") as opened:
            rows.append((finder.locate(opened.convert("RGB"), thing, encoder).confidence, int(right)))
    table = Table("confidence", "masks", "mean confidence", "right", title="masks that were judged")
    for low, high in BANDS:
        inside = [row for row in rows if low <= row[0] < high]
        shares = [f"{sum(values) / len(inside):.2f}" for values in zip(*inside, strict=True)] if inside else ["", ""]
        table.add_row(f"{low} to {min(high, 1.0)}", str(len(inside)), *shares)
    Console().print(table)
    right, wrong = ([one for one, is_right in rows if is_right == wanted] for wanted in (1, 0))
    ranked = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong) / (len(right) * len(wrong))
    Console().print(f"a right mask has the higher confidence of two: {ranked:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, default=DATA / "sample")
    parser.add_argument("--objects", type=Path, default=DATA / "more.jsonl")
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judged", action="store_true")
    options = parser.parse_args()
    if not (options.photos.is_dir() and options.objects.is_file()):
        Console().print("finding: there are no photographs with their objects here (--photos, --objects)")
        return
    if options.judged:
        reliability(options.photos, load_encoder())
        return
    encoder, chance = Remembering(load_encoder()), random.Random(options.seed)
    found: dict[str, list[tuple[float, str, str]]] = {}
    rivals: Counter[str] = Counter()
    for path, present in track(list(photographs(options.photos, options.objects, options.count))):
        with Image.open(path) as opened:
            image = opened.convert("RGB")
        if "person" not in present:
            rivals += nearest(image, encoder)
        for kind, names in looked_for(present, chance).items():
            for name in names:
                confidence = finder.locate(image, name, encoder).confidence
                found.setdefault(kind, []).append((confidence, name, path.name))
    report(found, rivals)


def report(found: dict[str, list[tuple[float, str, str]]], rivals: Counter[str]) -> None:
    table = Table("things", "number", *map(str, LIMITS), title="found with at least this confidence, in %")
    for kind, rows in found.items():
        shares = [sum(row[0] >= limit for row in rows) / len(rows) for limit in LIMITS]
        table.add_row(kind, str(len(rows)), *(f"{100 * share:.1f}" for share in shares))
    Console().print(table)
    first = ", ".join(f"{name} {count / rivals.total():.0%}" for name, count in rivals.most_common(8))
    Console().print(f"nearest rivals of patches in photographs without people: {first}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"found": found, "rivals": rivals}, indent=1))


if __name__ == "__main__":
    main()
