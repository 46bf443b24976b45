"""A gallery as a store: exact, in memory, read-only, for measuring the assistant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError
from visavis.lab.evaluation.gallery import Gallery
from visavis.stores.base import FieldKind, Hit, Query, Store, StoredPoint, StoreInfo, VectorName
from visavis.stores.engine import weighted_vector
from visavis.stores.filters import Filter, matches
from visavis.types import Payload


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
