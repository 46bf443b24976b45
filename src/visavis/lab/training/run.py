"""One training run of the encoder, from data sets to exported files."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from visavis.demo.catalogue import draw_scenes, draw_training_set
from visavis.encoders import base
from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.base import CaptionedSet, LabelledSet
from visavis.lab.datasets.folders import (
    STYLES,
    caption_file,
    find_tokens,
    is_held_out,
    open_dataset,
    read_captioned_folder,
    read_coco,
    read_flickr8k,
    read_products,
)
from visavis.lab.networks.initial import IMAGE_FILE, TEXT_FILE, find_file, start_image_tower, start_text_tower
from visavis.lab.training.checks import recall
from visavis.lab.training.encoder import DualEncoder, Recipe, Trainer, build
from visavis.lab.training.export import ship
from visavis.lab.training.feed import Source
from visavis.lab.training.packs import Pack, Sample, write_pack
from visavis.lab.training.scene_texts import label_sentences, product_descriptions
from visavis.pictures.folders import walk

#: How each kind of pack takes part in a step, for 1,024 captioned photos a step.
SHARES = {
    "scenes": Source("scenes", "captions", 1024),
    "products": Source("products", "labels", 256, size=176, weight=0.5),
    "labels": Source("labels", "labels", 448, size=176, weight=0.25),
    "drawn": Source("drawn", "captions", 96, size=176, weight=0.2),
    "unlabelled": Source("unlabelled", "images", 320, size=176, weight=0.4),
}
#: The tokenizer that ships is the one the text tower starts with.
TOKENIZER = Path(base.__file__).parent / "weights" / "tokenizer.json"


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


@dataclass(frozen=True)
class Settings:
    """What a person chooses of a run; ``tiny`` is a model to try things out with."""

    data: Path
    out: Path
    steps: int = 3000
    batch: int = 1024
    drawn: int = 6000
    seed: int = 7
    device: str = "auto"
    start: Path | None = None
    tiny: bool = False

    def chosen_device(self) -> str:
        """The device by name; ``auto`` takes a GPU where there is one."""
        here = torch.cuda.is_available()
        if self.device == "cuda" and not here:
            raise BadInputError("There is no GPU here that torch can use.", "Choose --device cpu.")
        return ("cuda" if here else "cpu") if self.device == "auto" else self.device


def prepare(settings: Settings, on_pack: Callable[[str, int], None]) -> Trainer:
    """Pack the data, build the model, and take up an earlier run's checkpoint where there is one."""
    names = pack_all(settings.data, settings.out / "packs", drawn=settings.drawn, seed=settings.seed, on_pack=on_pack)
    recipe = _recipe(settings, names)
    model = build(recipe)
    if not settings.tiny:
        start_image_tower(model.image, find_file(*IMAGE_FILE, settings.start))
        start_text_tower(model.text, find_file(*TEXT_FILE, settings.start))
    trainer = Trainer(recipe, settings.out / "packs", _tokenizer(), settings.chosen_device(), model)
    if (settings.out / "checkpoint.pt").is_file():
        trainer.resume(settings.out / "checkpoint.pt")
    if settings.chosen_device() == "cuda":
        trainer.compile()
    return trainer


def finish(trainer: Trainer, settings: Settings) -> dict[str, Any]:
    """Export the slow copy and score it on what was held out."""
    scores: dict[str, Any] = {"steps": trainer.step}
    for feed in trainer.feeds:
        name = feed.source.pack
        path = settings.out / "packs" / name
        if name in ("scenes", "products") and any(s.split == "val" for s in Pack(path).samples):
            captions = 1 if name == "products" else 5
            scores[name] = score(trainer.slow, path, trainer.device.type, captions)
    calibration = {"scale": round(float(trainer.slow.scale), 3)}
    name = "visavis-tiny" if settings.tiny else "visavis-builtin"
    ship(trainer.slow, TOKENIZER, settings.out / "ship", name=name, calibration=calibration)
    return scores


def score(model: DualEncoder, pack: Path, device: str, captions: int) -> dict[str, float]:
    """R@K on a pack's held-out pictures."""
    return recall(model, pack, _tokenizer(), device, split="val", captions=captions)


def _recipe(settings: Settings, packs: list[str]) -> Recipe:
    def share(name: str) -> Any:
        full = SHARES[name]
        return replace(full, batch=max(2, full.batch * settings.batch // SHARES["scenes"].batch))

    recipe = Recipe(
        sources=tuple(share(name) for name in SHARES if name in packs),
        steps=settings.steps,
        warmup=min(200, max(1, settings.steps // 10)),
        seed=settings.seed,
    )
    if settings.tiny:
        small = {"width": 48, "heads": 2, "layers": 1, "dimension": 32}
        return replace(recipe, image={**small, "image_size": 56}, text=small, drop_path=0.0, dropout=0.0)
    return recipe


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
