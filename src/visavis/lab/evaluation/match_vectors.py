"""The vectors that the match probability is fitted and measured on: pictures held out, and those of the reference.

A folder has parts; each is a file ``NAME.npz`` with ``keys``, ``whole`` and ``regions``, or a folder with ``ids.json``,
``whole.npy`` and ``regions.npy``. A key is ``coco:ID`` or ``product:ID``; a bare id belongs to what its part is named
after. Where there is no such folder it is made from packs of pictures. Drawings of garments, as the demo has them, are
made in any case.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.demo import DemoItem, describe, draw
from visavis.encoders.base import Encoded, Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.folders import is_held_out
from visavis.lab.training.packs import Pack, PackedSample
from visavis.search.exclusion import best_probes, probe_texts
from visavis.search.probability import Ordinary, best_regions
from visavis.search.reference import NormalScores, Reference, reference_for
from visavis.search.vocabulary import default_vocabulary
from visavis.types import FloatArray

_BATCH = 16
#: Reference pictures: photos, and products.
_PHOTOS, _PRODUCTS = 2000, 1000
#: Drawings of garments: how many, their size, the file, and what they are drawn from.
_DRAWN, _DRAWN_SIZE, _DRAWN_FILE, _DRAWN_SEED = 320, (224, 224), "drawn.npz", 77

Encode = Callable[[Sequence[str]], FloatArray]


@dataclass
class ScoredGallery:
    """Pictures as vectors, and what is ordinary among them."""

    keys: list[str]
    whole: FloatArray
    regions: NDArray[np.float16]
    fit: FloatArray
    ordinary: Ordinary
    scores: dict[str, tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    def score(self, texts: Sequence[str], encode: Encode) -> None:
        """Work out the cosines of texts with every picture and its best regions."""
        new = [text for text in dict.fromkeys(texts) if text not in self.scores]
        if not new:
            return
        vectors = encode(new)
        whole = self.whole @ vectors.T
        parts = np.empty_like(whole)
        for at in range(0, len(parts), 32):
            chunk = self.regions[at : at + 32].astype(np.float32)
            parts[at : at + 32] = best_regions(chunk @ vectors.T)
        for place, text in enumerate(new):
            self.scores[text] = (whole[:, place].copy(), parts[:, place].copy())


@dataclass
class MatchVectors:
    """Photos and products that were held out, and what texts are compared with everywhere.

    Attributes:
        photos: The photos.
        products: The products.
        drawn: Drawings of garments.
        reference: Pictures that are in neither, and nouns.
        encode: Encodes texts, each once.
    """

    photos: ScoredGallery
    products: ScoredGallery
    drawn: ScoredGallery
    reference: Reference
    encode: Encode


class _Texts:
    """Encodes texts and remembers them."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, FloatArray] = {}

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for at in range(0, len(new), 64):
            part = new[at : at + 64]
            self._known.update(zip(part, self._encoder.encode_texts(part), strict=True))
        return np.stack([self._known[text] for text in texts])


def read_match_vectors(
    folder: Path, encoder: Encoder, held_out: frozenset[int], packs: Path | None = None
) -> MatchVectors:
    """Read the vectors, or make them.

    Args:
        folder: Where they are, or are written.
        encoder: Encodes texts, and pictures where they are made.
        held_out: The ids of the photos that are held out.
        packs: The packed pictures to make them from.
    """

    def held(key: str) -> bool:
        kind, _, id = key.partition(":")
        return int(id) in held_out if kind == "coco" else kind == "drawn" or is_held_out(id)

    if packs is not None and not (folder.is_dir() and any(_parts(folder))):
        _encode_packs(packs, folder, encoder, held)
    if folder.is_dir() and not (folder / _DRAWN_FILE).is_file():
        items = [draw(item, _DRAWN_SIZE) for item in drawn_items()]
        encoded = [encoder.encode_pictures(items[at : at + _BATCH]) for at in range(0, len(items), _BATCH)]
        _save(folder / _DRAWN_FILE, [f"drawn:{at}" for at in range(len(items))], encoded)
    parts = [_read(part) for part in _parts(folder)]
    if not parts:
        raise NotFoundError(f"There are no vectors in {folder}.", "Name a folder of packed pictures with --packs.")
    texts = _Texts(encoder)
    reference = _reference(parts, held, texts, encoder)
    probes = texts(probe_texts())

    def gallery(kind: str) -> ScoredGallery:
        keys: list[str] = []
        whole, regions = [], []
        for names, pictures, areas in parts:
            places = [at for at, key in enumerate(names) if key.startswith(f"{kind}:") and held(key)]
            if places:
                keys += [names[at] for at in places]
                whole.append(pictures[places].astype(np.float32))
                regions.append(np.asarray(areas[places], np.float16))
        if not keys:
            raise BadInputError(f"No {kind} picture in {folder} is held out.")
        order = sorted(range(len(keys)), key=lambda at: int(keys[at].split(":")[1]))
        pictures = np.concatenate(whole)[order]
        words = pictures @ probes.T
        ordinary = Ordinary(float(words.mean()), float(words.std()))
        fit = best_probes(pictures, probes)
        return ScoredGallery([keys[at] for at in order], pictures, np.concatenate(regions)[order], fit, ordinary)

    return MatchVectors(gallery("coco"), gallery("product"), gallery("drawn"), reference, texts)


def _reference(parts: Sequence[_Part], held: Callable[[str], bool], texts: Encode, encoder: Encoder) -> Reference:
    """The reference of pictures that are not held out; where there are none, the one that ships for this encoder."""
    others = (key for keys, _, _ in parts for key in keys if not held(key))
    if next(others, None) is None and (shipped := reference_for(encoder.fingerprint)) is not None:
        return shipped
    chosen = [
        *_first(parts, lambda key: key.startswith("coco:") and not held(key), _PHOTOS),
        *_first(parts, lambda key: key.startswith("product:") and not held(key), _PRODUCTS),
    ]
    pictures = np.stack([parts[at][1][place] for at, place in chosen]).astype(np.float32)
    areas = np.concatenate([parts[at][2][place] for at, place in chosen]).astype(np.float32)
    nouns = texts([term.prompt for term in default_vocabulary()])
    return Reference(pictures, NormalScores.of(areas), nouns, encoder.fingerprint)


def drawn_items() -> list[DemoItem]:
    """The garments that are drawn; others than those of the demo."""
    return [describe(_DRAWN_SEED, number) for number in range(_DRAWN)]


def _save(file: Path, keys: Sequence[str], encoded: Sequence[Encoded]) -> None:
    np.savez(
        file,
        keys=np.array(keys),
        whole=np.concatenate([part.whole for part in encoded]),
        regions=np.concatenate([part.regions.astype(np.float16) for part in encoded]),
    )


_Part = tuple[list[str], NDArray[np.float32], NDArray[np.float16]]


def _parts(folder: Path) -> list[Path]:
    return [*sorted(folder.glob("*.npz")), *sorted(file.parent for file in folder.glob("**/ids.json"))]


def _read(part: Path) -> _Part:
    if part.suffix == ".npz":
        with np.load(part) as kept:
            return [_key(str(key), part.stem) for key in kept["keys"]], kept["whole"], kept["regions"]
    ids = json.loads((part / "ids.json").read_text(encoding="utf-8"))
    whole, regions = (np.load(part / f"{name}.npy", mmap_mode="r") for name in ("whole", "regions"))
    return [_key(str(id), part.name) for id in ids], whole, regions


def _key(id: str, part: str) -> str:
    name, _, number = id.rpartition(":")
    kind = next((kind for kind in ("product", "drawn") if (name or part).startswith(kind)), "coco")
    return f"{kind}:{int(number)}"


def _first(parts: Sequence[_Part], wanted: Callable[[str], bool], number: int) -> list[tuple[int, int]]:
    """The first pictures (part and place) by a shuffled order of their keys, so that parts may be cut otherwise."""
    found = sorted((key, at, place) for at, (keys, _, _) in enumerate(parts) for place, key in enumerate(keys))
    chosen = [entry for entry in found if wanted(entry[0])]
    if not chosen:
        raise BadInputError("There are no pictures for the reference: only held-out ones were found.")
    random.Random(7).shuffle(chosen)
    return [(at, place) for _, at, place in chosen[:number]]


def _encode_packs(packs: Path, folder: Path, encoder: Encoder, held: Callable[[str], bool]) -> None:
    """Encode the held-out pictures of packs, and as many others as the reference needs."""
    folder.mkdir(parents=True, exist_ok=True)
    spare = {"coco": _PHOTOS, "product": _PRODUCTS}
    for path in sorted(packs.glob("**/*.jsonl")):
        if not path.with_suffix(".bin").is_file():
            continue
        chosen = []
        for sample in Pack(path).samples:
            kind = sample.group.partition(":")[0]
            if kind not in spare or not sample.group.partition(":")[2].isdigit():
                continue
            if not held(sample.group):
                spare[kind] -= 1
            if held(sample.group) or spare[kind] >= 0:
                chosen.append(sample)
        if not chosen:
            continue
        encoded = [encoder.encode_pictures(images) for images in _opened(path, chosen)]
        _save(folder / f"{path.stem}.npz", [sample.group for sample in chosen], encoded)


def _opened(path: Path, samples: Sequence[PackedSample]) -> Iterator[list[Image.Image]]:
    with path.with_suffix(".bin").open("rb") as stream:
        for at in range(0, len(samples), _BATCH):
            images = []
            for sample in samples[at : at + _BATCH]:
                stream.seek(sample.offset)
                images.append(Image.open(io.BytesIO(stream.read(sample.length))).convert("RGB"))
            yield images
