"""Collections for measuring turns: created once, kept in a chosen folder, and reopened in a second."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from _store_data import DIMENSION, _Mixture
from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.pictures.picture import Details
from visavis.stores.base import Store, StoredPoint
from visavis.stores.registry import open_store

THINGS = (
    "dog cat horse boat bicycle bridge tower river mountain lake forest tree flower garden bench table chair lamp "
    "window door roof street car bus train plane kite ball racket umbrella hat scarf jacket dress shirt shoe bag book "
    "phone laptop cup bottle plate pizza cake apple banana orange sandwich salad knife fork spoon bowl sofa bed mirror "
    "clock vase candle painting statue fountain fence gate wall rock sand wave cloud sun moon star snow rain bird"
).split()
LOOKS = "red blue green yellow white black brown grey small large old new wooden round striped shiny wet dark".split()
_BATCH = 2000
#: Distance of a copy of a picture from it: about that of the next photo of the same object.
_JITTER = 0.35
#: Regions of a picture, as the built-in encoder makes them.
_REGIONS = 36
#: A brand that so large a share of the captions names.
BRAND, _BRANDED = "quintessa", 0.002
_DONE = "complete"


def filled(folder: Path, count: int, embeddings: Path | None, captions: bool) -> Store:
    """Open the store of so many pictures in a folder; an unfinished one is created again."""
    if (folder / _DONE).exists():
        return open_store(folder / "store", dimension=DIMENSION)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    store = open_store(folder / "store", dimension=DIMENSION)
    chance, words = np.random.default_rng(1), random.Random(1)
    batches = _real(embeddings, count, chance) if embeddings else _drawn(count, chance)
    for whole, regions in batches:
        ids = [chance.bytes(16).hex() for _ in whole]
        payloads = [_payload(words, captions) for _ in whole]
        store.upsert([StoredPoint(*row) for row in zip(ids, whole, regions, payloads, strict=True)])
    store.optimize()
    store.flush()
    (folder / _DONE).touch()
    return store


def catalogued(catalogue: Catalogue, store: Store) -> None:
    """Write a row with the caption of every picture of a store, so that its words are found."""
    shape, stamp = ledger.Shape(640, 480, 50_000, "JPEG"), ledger.Stamp(1, 1)
    for points in store.scroll(_BATCH):
        ledger.record(
            catalogue,
            [
                ledger.Entry(f"/p/{point.id}.jpg", "/p", stamp, point.id, shape, Details((point.payload["caption"],)))
                for point in points
            ],
            1,
        )


def _payload(words: random.Random, captions: bool) -> dict[str, object]:
    size: dict[str, object] = {"width": 640, "height": 480}
    if captions:
        one, other = words.sample(THINGS, 2)
        size["caption"] = f"a {words.choice(LOOKS)} {one} next to a {words.choice(LOOKS)} {other}"
        if words.random() < _BRANDED:
            size["caption"] = f"{BRAND} {size['caption']}"
    return size


def _drawn(count: int, chance: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield clustered vectors, like those of pictures, with regions around them."""
    draw = _Mixture(chance, max(100, count // 200))
    for start in range(0, count, _BATCH):
        whole = draw(min(_BATCH, count - start), 1.0)
        yield (
            whole,
            _unit(whole[:, None] + chance.normal(0, 0.05, (len(whole), _REGIONS, DIMENSION)).astype(np.float32)),
        )


def _real(file: Path, count: int, chance: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield vectors of real pictures; beyond their number, copies with a little noise."""
    with np.load(file) as content:
        whole, regions = content["whole"], content["regions"]
    order = chance.permutation(len(whole))
    for start in range(0, count, _BATCH):
        number = min(_BATCH, count - start)
        places = np.sort(order[np.arange(start, start + number) % len(order)])
        near, parts = whole[places].astype(np.float32), regions[places].astype(np.float32)
        if start >= len(order):
            moved = chance.normal(0, _JITTER / np.sqrt(DIMENSION), (number, 1, DIMENSION)).astype(np.float32)
            near, parts = near + moved[:, 0], parts + moved
        yield _unit(near), _unit(parts)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
