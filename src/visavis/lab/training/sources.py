"""What a folder of data sets offers to learn from, sorted by how it is learned.

Each folder below the given one is a data set in a published layout (see ``visavis.lab.datasets``): captioned photos,
products with titles, class folders, or just pictures. Drawings with exact captions are added by ourselves.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from visavis.demo.catalogue import draw_scenes, draw_training_set
from visavis.errors import NotFoundError
from visavis.lab.datasets.base import CaptionedSet, LabelledSet
from visavis.lab.datasets.folders import caption_file, read_captioned_folder
from visavis.lab.datasets.photographs import find_tokens, read_coco, read_flickr8k
from visavis.lab.datasets.products import STYLES, is_held_out, read_products
from visavis.lab.datasets.registry import open_dataset
from visavis.lab.training.captions import label_sentences, product_descriptions
from visavis.lab.training.feed import Source
from visavis.lab.training.packs import Sample, write_pack
from visavis.pictures.folders import walk

#: How each kind of pack takes part in a step, for 1,024 captioned photos a step.
SHARES = {
    "scenes": Source("scenes", "captions", 1024),
    "products": Source("products", "labels", 256, size=176, weight=0.5),
    "labels": Source("labels", "labels", 448, size=176, weight=0.25),
    "drawn": Source("drawn", "captions", 96, size=176, weight=0.2),
    "unlabelled": Source("unlabelled", "images", 320, size=176, weight=0.4),
}


@dataclass(frozen=True)
class Offer:
    """Samples for one pack."""

    pack: str
    samples: tuple[Sample, ...]


def offers(data: Path) -> list[Offer]:
    """Everything in a folder of data sets, one offer a pack."""
    if not data.is_dir():
        raise NotFoundError(f"There is no folder {data}.", "Give the folder that holds the data sets.")
    found: dict[str, list[Sample]] = {}
    for folder in [data, *sorted(place for place in data.iterdir() if place.is_dir())]:
        for pack, samples in _samples(folder, top=folder == data):
            found.setdefault(pack, []).extend(samples)
    if not found:
        raise NotFoundError(f"{data} holds no data set that is known.", "See docs/encoder.md for the layouts.")
    return [Offer(pack, tuple(samples)) for pack, samples in found.items()]


def pack_all(data: Path, out: Path, *, drawn: int, seed: int, on_pack: Callable[[str, int], None]) -> list[str]:
    """Write a pack for each offer, and one of drawings; those that exist are kept. Returns their names."""
    out.mkdir(parents=True, exist_ok=True)
    names = []
    for offer in offers(data):
        if not (out / f"{offer.pack}.jsonl").is_file():
            size = SHARES[offer.pack].size
            on_pack(offer.pack, write_pack(out / offer.pack, offer.samples, size=size))
        names.append(offer.pack)
    if drawn:
        if not (out / "drawn.jsonl").is_file():
            on_pack("drawn", write_pack(out / "drawn", _drawings(out / "drawings", drawn, seed), size=176))
        names.append("drawn")
    return names


def _samples(folder: Path, *, top: bool) -> Iterator[tuple[str, list[Sample]]]:
    captions = caption_file(folder)
    if (folder / STYLES).is_file():
        yield "products", _products(folder)
    elif tokens := find_tokens(folder):
        for split in ("train", "val"):
            yield (
                "scenes",
                _captioned(read_flickr8k(tokens, split=split), f"flickr8k-{split}" if split == "val" else split),
            )
    elif captions:
        yield "scenes", _scenes(folder, captions)
    elif folder.name == "unlabelled":
        yield "unlabelled", [Sample(path, ()) for path in walk(folder, follow_links=True)]
    elif not top:  # the folders of data sets themselves are no classes
        opened = _classes(folder)
        if opened:
            yield "labels", _labelled(opened, folder)


def _classes(folder: Path) -> LabelledSet | None:
    split = "train" if (folder / "train").is_dir() else None
    try:
        opened = open_dataset(folder, split=split)
    except NotFoundError:
        return None
    return opened if isinstance(opened, LabelledSet) else None


def _scenes(folder: Path, captions: Path) -> list[Sample]:
    """COCO with its splits (everything but ``val`` is learned from), or any captioned folder."""
    images = next((p for p in (folder / "train2017", folder / "images") if p.is_dir()), folder)
    with captions.open(encoding="utf-8") as lines:
        coco = '"image_id"' in next(lines, "")
    if not coco:
        return _captioned(read_captioned_folder(captions), "train")
    samples = []
    for split in ("train", "restval", "val"):
        try:
            samples += _captioned(read_coco(captions, images, split), "val" if split == "val" else "train")
        except NotFoundError:
            continue
    return samples


def _captioned(opened: CaptionedSet, split: str) -> list[Sample]:
    return [Sample(picture.path, picture.captions, split) for picture in opened.pictures if picture.captions]


def _products(folder: Path) -> list[Sample]:
    """Titles, and short descriptions out of the attributes; a held-out twentieth asks with its title alone."""
    described = {}
    with (folder / STYLES).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            described[row["id"]] = product_descriptions(row)
    samples = []
    for picture in read_products(folder / STYLES).pictures:
        held = is_held_out(picture.path.stem)
        texts = picture.captions if held else picture.captions * 2 + described.get(picture.path.stem, ())
        samples.append(Sample(picture.path, texts, "val" if held else "train"))
    return samples


def _labelled(opened: LabelledSet, folder: Path) -> list[Sample]:
    synonyms = _wordnet(folder)
    texts = [label_sentences(synonyms.get(name, [name])) for name in opened.classes]
    return [
        Sample(picture.path, texts[picture.label], "train", f"class:{texts[picture.label][0]}")
        for picture in opened.pictures
    ]


def _wordnet(folder: Path) -> dict[str, list[str]]:
    """The names of WordNet's numbers, from the ``words.txt`` that ImageNet's subsets carry."""
    words = folder / "words.txt"
    if not words.is_file():
        return {}
    pairs = (line.split("\t", 1) for line in words.read_text(encoding="utf-8").splitlines() if "\t" in line)
    return {key: re.split(r",\s*", names)[:3] for key, names in pairs}


def _drawings(folder: Path, count: int, seed: int) -> list[Sample]:
    """Things with their attributes, and scenes of several things, two to one."""
    items = draw_training_set(folder / "items", count * 2 // 3, seed)
    scenes = draw_scenes(folder / "scenes", count - count * 2 // 3, seed + 1)
    return [sample for file in (items, scenes) for sample in _captioned(read_captioned_folder(file), "train")]
