"""The gallery that is searched for a target, as vectors, and as a model-based user sees it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from visavis.encoders.base import Encoder, FloatArray
from visavis.errors import BadInputError, NotFoundError
from visavis.lab.simulation.model import other_view
from visavis.stores.base import FieldKind, Hit, Query, Store, StoredPoint, StoreInfo, VectorName
from visavis.stores.engine import weighted_vector
from visavis.stores.filters import Filter, matches
from visavis.types import UNREADABLE, Payload


@dataclass(frozen=True, eq=False)
class Gallery:
    """Pictures as vectors.

    Attributes:
        ids: The pictures' ids.
        whole: ``[n, d]``, unit length.
        regions: ``[n, r, d]``, unit length.
        attributes: The catalogue's attributes of each; empty where there is none.
    """

    ids: tuple[str, ...]
    whole: FloatArray
    regions: FloatArray
    attributes: tuple[Mapping[str, Any], ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each picture."""
        return {id: place for place, id in enumerate(self.ids)}

    def with_attributes(self, attributes: Mapping[str, Mapping[str, Any]]) -> Gallery:
        """Return the same pictures with attributes; those without any are dropped."""
        kept = [place for place, id in enumerate(self.ids) if id in attributes]
        part = self._only(kept)
        return Gallery(part.ids, part.whole, part.regions, tuple(attributes[id] for id in part.ids))

    def of_category(self, field: str, value: str) -> Gallery:
        """Return the pictures whose attribute has this value."""
        return self._only([place for place, own in enumerate(self.attributes) if str(own.get(field) or "") == value])

    def of_size(self, size: int | None, targets: Collection[str], seed: int = 0) -> Gallery:
        """Return a sample of pictures: all targets, and others drawn by a seed; samples are nested."""
        if size is None or size >= len(self):
            return self
        inside = [place for id, place in self.places.items() if id in set(targets)]
        if size < len(inside):
            raise BadInputError(f"A gallery of {size} does not hold {len(inside)} targets.", "Ask for a larger one.")
        others = np.setdiff1d(np.arange(len(self)), inside)
        drawn = np.random.default_rng(seed).permutation(others)[: size - len(inside)]
        return self._only(sorted([*inside, *drawn.tolist()]))

    def _only(self, places: Sequence[int]) -> Gallery:
        attributes = tuple(self.attributes[place] for place in places) if self.attributes else ()
        return Gallery(tuple(self.ids[p] for p in places), self.whole[places], self.regions[places], attributes)


def load_gallery(file: Path) -> Gallery:
    """Read what ``visavis bench embed`` wrote into a folder, or ``ids``, ``whole`` and ``regions`` in one ``.npz``."""
    try:
        if file.is_dir():
            ids = read_ids(file)
            content = {name: np.load(file / f"{name}.npy", mmap_mode="r") for name in ("whole", "regions")}
        else:
            with np.load(file) as opened:
                content = {name: opened[name] for name in ("ids", "whole", "regions")}
            ids = tuple(str(id) for id in content["ids"])
        whole = np.asarray(content["whole"], np.float32)
        regions = np.asarray(content["regions"])
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file of vectors {file}.", "Name it with --embeddings.") from error
    except UNREADABLE as error:
        raise BadInputError(f"{file} is no file of vectors: {error}.", "It needs ids, whole and regions.") from error
    if not len(ids) == len(whole) == len(regions) or whole.ndim != 2 or regions.ndim != 3:
        raise BadInputError(f"The vectors in {file} do not fit its ids.", "Make the file anew.")
    return Gallery(ids, whole, regions)


def read_ids(folder: Path) -> tuple[str, ...]:
    """Read the ids of a folder of vectors: ``ids.npy``, or a list in ``ids.json``."""
    listed = folder / "ids.json"
    found = json.loads(listed.read_text("utf-8")) if listed.is_file() else np.load(folder / "ids.npy")
    return tuple(str(id) for id in found)


def other_views(ids: Iterable[str], folder: Path, encoder: Encoder) -> dict[str, FloatArray]:
    """Return the vector of the other view of each picture that is in the folder."""
    views: dict[str, FloatArray] = {}
    for id in ids:
        file = next((f for name in (id, id.zfill(12)) if (f := folder / f"{name}.jpg").is_file()), None)
        if file is None:
            continue
        try:
            with Image.open(file) as image:
                views[id] = encoder.encode_images([other_view(image)])[0]
        except (OSError, UnidentifiedImageError):
            continue
    return views


def picture_id(name: str) -> str:
    """Return the id of a gallery's picture in a collection: a hash, so that the order of ids carries no information."""
    return blake2b(name.encode(), digest_size=16).hexdigest()


class GalleryStore(Store):
    """Scans every picture, so that the ranking is measured and not an index."""

    def __init__(self, gallery: Gallery) -> None:
        self.gallery = gallery
        self.ids_of = [picture_id(name) for name in gallery.ids]
        self.places = {id: place for place, id in enumerate(self.ids_of)}
        self._passing = lru_cache(maxsize=64)(self._pass)

    def query(self, query: Query) -> list[Hit]:
        """Return the nearest pictures, by both stages."""
        scores = self.first_stage(weighted_vector(query, self.gallery.whole.shape[1]))
        places = np.arange(len(scores)) if query.filter is None else self._passing(query.filter)
        places = _best(places, scores, max(query.prefetch, query.limit))
        final = scores[places]
        if query.regions is not None and len(query.regions) and query.region_weight:
            regions = np.asarray(self.gallery.regions[places], np.float32)
            second = (regions @ np.asarray(query.regions, np.float32).T).max(axis=1).mean(axis=1)
            final = (1 - query.region_weight) * final + query.region_weight * second
        hits = [Hit(self.ids_of[place], float(score)) for place, score in zip(places, final, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[: query.limit]

    def first_stage(self, vector: FloatArray) -> FloatArray:
        """Return every picture's score with one vector."""
        return np.asarray(self.gallery.whole @ vector, np.float32)

    def _pass(self, filter: Filter) -> NDArray[np.int64]:
        rows: Sequence[Payload] = self.gallery.attributes or [{}] * len(self.gallery)
        passing = (matches(filter, row, id) for row, id in zip(rows, self.ids_of, strict=True))
        return np.flatnonzero(np.fromiter(passing, bool, len(self.gallery)))

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return the vectors of the pictures that exist."""
        source = self.gallery.whole if name == "whole" else self.gallery.regions
        return {id: np.asarray(source[self.places[id]], np.float32) for id in ids if id in self.places}

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the attributes of the pictures that exist."""
        rows = self.gallery.attributes
        return {id: dict(rows[self.places[id]]) if rows else {} for id in ids if id in self.places}

    def count(self, filter: Filter | None = None) -> int:
        """Count the pictures that match."""
        return len(self.gallery) if filter is None else len(self._passing(filter))

    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """Return the values of a field, most frequent first."""
        passing = range(len(self.gallery)) if filter is None else self._passing(filter)
        rows = (self.gallery.attributes[place] for place in passing) if self.gallery.attributes else ()
        return Counter(str(row[field]) for row in rows if row.get(field)).most_common(limit)

    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        """Yield every picture in the order of ids."""
        order = sorted(self.places)
        for start in range(0, len(order), batch):
            ids = order[start : start + batch]
            whole, regions, payloads = self.vectors(ids), self.vectors(ids, "regions"), self.payloads(ids)
            yield [StoredPoint(id, whole[id], regions[id], payloads[id]) for id in ids]

    def info(self) -> StoreInfo:
        """Return statistics of the store."""
        count = len(self.gallery)
        return StoreInfo("gallery", "memory", self.gallery.whole.shape[1], count, count)

    def upsert(self, points: Sequence[StoredPoint]) -> None:  # noqa: ARG002
        """Raise an error: the store is read-only."""
        raise _read_only()

    def set_payload(self, id: str, payload: Payload) -> None:  # noqa: ARG002
        """Raise an error: the store is read-only."""
        raise _read_only()

    def delete(self, ids: Sequence[str]) -> None:  # noqa: ARG002
        """Raise an error: the store is read-only."""
        raise _read_only()

    def index_field(self, field: str, kind: FieldKind) -> None:
        """Do nothing: every query is a scan."""

    def optimize(self) -> None:
        """Do nothing."""

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def _best(places: NDArray[np.int64], scores: FloatArray, count: int) -> NDArray[np.int64]:
    if len(places) <= count:
        return places
    return np.asarray(places[np.argpartition(-scores[places], count - 1)[:count]])


def _read_only() -> BadInputError:
    return BadInputError("A gallery that is measured cannot be changed.", "Make a collection for that.")
