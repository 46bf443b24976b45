"""Claims about pictures that are known to be true or false: what the match probability is fitted and measured on.

Photos with their objects and captions, and products with their attributes and titles. Half of the object classes and
of the attributes' values are for fitting, the other half for measuring, each on pictures of their own.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.encoders.base import Encoder
from visavis.errors import NotFoundError
from visavis.lab.training.packs import Pack
from visavis.language.english import with_article
from visavis.search.calibration import best_probes, probe_texts
from visavis.search.probability import Distribution, Ordinary, best_regions
from visavis.types import FloatArray

Truth = NDArray[np.bool_]
Kind = Literal["object", "caption", "attribute", "pair", "title", "absent"]
_BATCH = 16
_SAMPLE = 2000
#: Fewer pictures than this do not show what an attribute's value looks like.
_FEWEST = 8
_FOR = {"Men": "for men", "Women": "for women", "Boys": "for boys", "Girls": "for girls"}


@dataclass
class ScoredGallery:
    """Pictures as vectors, and what is ordinary among them."""

    keys: list[str]
    whole: FloatArray
    regions: FloatArray
    fit: FloatArray
    ordinary: Ordinary
    scores: dict[str, tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    def score(self, texts: Sequence[str], encode: Callable[[Sequence[str]], FloatArray]) -> None:
        """Work out the cosines of texts with every picture and its best regions."""
        new = [text for text in dict.fromkeys(texts) if text not in self.scores]
        if not new:
            return
        vectors = np.concatenate([encode(new[at : at + 64]) for at in range(0, len(new), 64)])
        whole = self.whole @ vectors.T
        parts = np.empty_like(whole)
        for at in range(0, len(parts), 32):
            chunk = self.regions[at : at + 32].astype(np.float32)
            parts[at : at + 32] = best_regions(chunk @ vectors.T)
        for place, text in enumerate(new):
            self.scores[text] = (whole[:, place], parts[:, place])


@dataclass(frozen=True)
class KnownClaim:
    """A text asked of some pictures of a gallery, and of which it is true.

    Attributes:
        kind: What kind of text it is.
        gallery: The pictures.
        text: The text.
        truth: Of which it is true, ``[n]`` over the whole gallery.
        among: The collection: places in the gallery.
        unsure: Whether pictures near the top may be true as well although nobody said so (a caption).
    """

    kind: Kind
    gallery: ScoredGallery
    text: str
    truth: Truth
    among: NDArray[np.int64]
    unsure: bool = False

    def distribution(self) -> Distribution:
        """How the text's scores spread over a sample of the collection."""
        whole, parts = self.gallery.scores[self.text]
        sample = self.among[:_SAMPLE]
        return Distribution.measure(whole[sample], parts[sample], self.gallery.ordinary)


def read_gallery(packs: Sequence[Path], split: str, encoder: Encoder, cache: Path) -> ScoredGallery:
    """The pictures of a split as vectors; they are kept in a folder, because encoding takes minutes."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", f"{encoder.fingerprint}-{packs[0].stem}-{split}.npz")
    file = cache / name
    if not file.is_file():
        keys: list[str] = []
        whole: list[FloatArray] = []
        regions: list[NDArray[np.float16]] = []
        for path in packs:
            chosen = [sample for sample in Pack(path).samples if sample.split == split]
            with path.with_suffix(".bin").open("rb") as stream:
                for at in range(0, len(chosen), _BATCH):
                    images = []
                    for sample in chosen[at : at + _BATCH]:
                        stream.seek(sample.offset)
                        images.append(Image.open(io.BytesIO(stream.read(sample.length))).convert("RGB"))
                    encoded = encoder.encode_pictures(images)
                    whole.append(encoded.whole)
                    regions.append(encoded.regions.astype(np.float16))
            keys += [sample.group for sample in chosen]
        cache.mkdir(parents=True, exist_ok=True)
        np.savez(file, keys=np.array(keys), whole=np.concatenate(whole), regions=np.concatenate(regions))
    with np.load(file) as kept:
        pictures = np.asarray(kept["whole"], np.float32)
        probes = encoder.encode_texts(probe_texts())
        words = pictures @ probes.T
        ordinary = Ordinary(float(words.mean()), float(words.std()))
        return ScoredGallery(list(kept["keys"]), pictures, kept["regions"], best_probes(pictures, probes), ordinary)


def photo_claims(gallery: ScoredGallery, coco: Path, *, fitting: bool) -> list[KnownClaim]:
    """Objects, captions and things that are not there, about photos."""
    draw = random.Random(1)
    places = {int(key.split(":")[1]): place for place, key in enumerate(gallery.keys)}
    shown = {row["image_id"]: set(row["objects"]) for row in _rows(coco / "more.jsonl") if row["image_id"] in places}
    captions = {row["image_id"]: row["captions"] for row in _rows(coco / "captions.jsonl") if row["image_id"] in places}
    names = sorted(set().union(*shown.values()))
    draw.shuffle(names)
    ids = sorted(captions)
    draw.shuffle(ids)
    halves = _halves(len(gallery.keys))
    mine = halves[0] if fitting else halves[1]
    few = mine[:400]
    claims = []
    for name in names[fitting::2]:
        truth = np.array([name in shown.get(int(key.split(":")[1]), ()) for key in gallery.keys])
        for text in (name, with_article(name)) if not fitting else (name, with_article(name), f"{name}s"):
            claims += [KnownClaim("object", gallery, text, truth, among) for among in (mine, few, few[:100])]
        none, said = np.zeros_like(truth), with_article(name)
        claims += [KnownClaim("absent", gallery, said, none, among[~truth[among]]) for among in (mine, few, few[:100])]
    own = set(mine.tolist())
    asked = [id for id in ids if places[id] in own][:500]
    for number, id in enumerate(asked):
        truth = np.zeros(len(gallery.keys), bool)
        truth[places[id]] = True
        collection = mine if number % 2 else np.r_[places[id], few[:-1]]
        claims.append(KnownClaim("caption", gallery, draw.choice(captions[id]), truth, collection, unsure=True))
    return claims


def caption_pairs(gallery: ScoredGallery, coco: Path, number: int = 150) -> list[KnownClaim]:
    """Two captions of one picture after each other, asked of the pictures for fitting."""
    places = {int(key.split(":")[1]): place for place, key in enumerate(gallery.keys)}
    mine = _halves(len(gallery.keys))[0]
    own = set(mine.tolist())
    claims: list[KnownClaim] = []
    for row in _rows(coco / "captions.jsonl"):
        if places.get(row["image_id"], -1) in own and len(row["captions"]) > 1 and len(claims) < 2 * number:
            truth = np.zeros(len(gallery.keys), bool)
            truth[places[row["image_id"]]] = True
            claims += [KnownClaim("caption", gallery, text, truth, mine) for text in row["captions"][:2]]
    return claims


def product_claims(gallery: ScoredGallery, styles: Path, *, fitting: bool) -> list[KnownClaim]:
    """Attributes, pairs of them and titles, about products."""
    draw = random.Random(2)
    with styles.open(encoding="utf-8") as stream:
        known = {row["id"]: row for row in csv.DictReader(stream)}
    rows = [known.get(key.split(":")[1], {}) for key in gallery.keys]
    halves = _halves(len(gallery.keys))
    mine = halves[0] if fitting else halves[1]
    claims = []
    values = [
        (name, value)
        for name in ("articleType", "baseColour", "gender")
        for value in sorted({row.get(name) or "" for row in rows})
        if value and sum(row.get(name) == value for row in rows) >= _FEWEST and (name != "gender" or value in _FOR)
    ]
    draw.shuffle(values)
    for name, value in values[fitting::2]:
        truth = np.array([row.get(name) == value for row in rows])
        claims += [KnownClaim("attribute", gallery, text, truth, mine) for text in _said(name, value)]
    pairs = sorted({(row.get("baseColour", ""), row.get("articleType", "")) for row in rows})
    draw.shuffle(pairs)
    for colour, kind in pairs[fitting::2][:150]:
        truth = np.array([(row.get("baseColour"), row.get("articleType")) == (colour, kind) for row in rows])
        if colour and kind and truth[mine].sum() >= 2:
            claims.append(
                KnownClaim("pair", gallery, f"{colour.lower()} {_said('articleType', kind)[-1]}", truth, mine)
            )
    for place in mine[:200].tolist():
        title = rows[place].get("productDisplayName") or ""
        if title:
            truth = np.array([row.get("productDisplayName") == title for row in rows])
            claims.append(KnownClaim("title", gallery, title, truth, mine, unsure=True))
    return claims


def foreign_claims(
    photos: ScoredGallery, products: ScoredGallery, data: Path, elsewhere: Sequence[str], *, fitting: bool
) -> list[KnownClaim]:
    """Texts from another world: titles of products asked of photos, captions of photos asked of products."""
    titles = [claim.text for claim in product_claims(products, data / "products/styles.csv", fitting=fitting)]
    captions = [c.text for c in photo_claims(photos, data / "coco", fitting=fitting) if c.kind == "caption"]
    claims = []
    for gallery, texts in ((photos, titles[-150:]), (products, captions[:150])):
        among = _halves(len(gallery.keys))[0 if fitting else 1]
        none = np.zeros(len(gallery.keys), bool)
        for number, text in enumerate((*texts, *elsewhere[fitting::2])):
            claims.append(KnownClaim("absent", gallery, text, none, among if number % 2 else among[:400]))
    return claims


def _halves(number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    order = np.random.default_rng(3).permutation(number)
    return order[: number // 2], order[number // 2 :]


def _said(name: str, value: str) -> list[str]:
    """How people say an attribute's value."""
    lower = value.lower()
    if name == "gender":
        return [_FOR[value]]
    if name == "baseColour":
        return [lower, f"something {lower}"]
    single = lower[:-1] if lower.endswith("s") and not lower.endswith("ss") else lower
    return list(dict.fromkeys((lower, with_article(single), single)))


def _rows(file: Path) -> list[dict[str, Any]]:
    if not file.is_file():
        raise NotFoundError(f"There is no file {file}.", "Give the folder that has coco/ and products/ with --data.")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
