"""A home with a large collection for the server's benchmark, made in about a minute instead of an hour.

The items are those of the demo, described and not drawn: a picture's vectors are its caption's, with noise, so that
rankings, reasons and questions are about real words and real attributes. Some sixty pictures are drawn; the others are
copies of their files, with thumbnails in another tint.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from visavis.api import open_collection
from visavis.collections import ledger
from visavis.collections.catalogue import FieldIndexes, make_payload
from visavis.demo import describe, draw
from visavis.encoders.registry import load_encoder
from visavis.pictures.picture import Details, content_id
from visavis.pictures.thumbnails import make_thumbnail, save_thumbnail
from visavis.stores.base import StoredPoint

COLLECTION = "shop"
_DRAWN = 60
_BATCH = 250
_REGIONS = 36


def make_home(home: Path, count: int, say=print) -> Path:
    """Create the home; an existing one is reused."""
    with open_collection(COLLECTION, home, create=True) as collection:
        if len(collection) >= count:
            return home
        say(f"making a collection of {count:,} pictures in {home} ...")
        drawn = _draw(home / "drawn")
        encoder, chance = load_encoder("builtin"), np.random.default_rng(1)
        fields = FieldIndexes(collection.catalogue, collection.store)
        for start in range(0, count, _BATCH):
            numbers = range(start, min(count, start + _BATCH))
            items = [describe(7, number) for number in numbers]
            whole = _noisy(encoder.encode_texts([item.caption for item in items]), chance, 0.35)
            entries, points = [], []
            for number, item, vector in zip(numbers, items, whole, strict=True):
                path, image = drawn[number % len(drawn)]
                data = path.read_bytes() + b" copy %06d" % number  # behind the end of the JPEG: another content
                id = content_id(data)
                save_thumbnail(collection.place.thumbnails_folder, id, _tinted(image, number))
                details = Details((item.caption,), {**item.attributes, "title": item.title, "price": item.price})
                fields.ensure(details.attributes)
                regions = _noisy(np.repeat(vector[None], _REGIONS, 0), chance, 0.3)
                points.append(StoredPoint(id, vector, regions, make_payload(details, *image.size)))
                stamp, shape = ledger.Stamp(1, 1), ledger.Shape(*image.size, 1, "JPEG")
                place = path.with_name(f"copy-{number:06}.jpg")
                place.write_bytes(data)
                entries.append(ledger.Entry(str(place), "benchmark", stamp, id, shape, details, {}, details))
            collection.store.upsert(points)
            ledger.record(collection.catalogue, entries, run=1)
        collection.store.optimize()
        collection.store.flush()
        collection.refresh()
    return home


def _draw(folder: Path) -> list[tuple[Path, Image.Image]]:
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number in range(_DRAWN):
        image = draw(describe(7, number))
        path = folder / f"{number}.jpg"
        image.save(path, quality=90)
        made.append((path, image))
    return made


def _tinted(image: Image.Image, number: int) -> bytes:
    tint = tuple(int(value) for value in np.random.default_rng(number).integers(0, 255, 3))
    return make_thumbnail(Image.blend(image, Image.new("RGB", image.size, tint), 0.15))


def _noisy(vectors: np.ndarray, chance: np.random.Generator, strength: float) -> np.ndarray:
    noise = chance.normal(size=vectors.shape).astype(np.float32) * np.float32(strength / np.sqrt(vectors.shape[-1]))
    mixed = vectors + noise
    return np.asarray(mixed / np.linalg.norm(mixed, axis=-1, keepdims=True), np.float32)
