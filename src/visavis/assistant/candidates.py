"""The first pictures of a ranking as a questioner needs them: with vectors and with what the catalogue says."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from visavis.collections.payload import STATE
from visavis.encoders.base import FloatArray
from visavis.questions.base import Candidates
from visavis.retrieval.base import CERTAINTY
from visavis.stores.base import Hit

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: Pictures whose vectors are kept: one conversation looks at the same few hundred again and again.
_REMEMBERED = 4000


@dataclass(frozen=True)
class _Seen:
    whole: FloatArray
    regions: FloatArray
    attributes: Mapping[str, Any]


class CandidateReader:
    """Reads what a questioner needs to know of pictures, each once. Safe to use from several threads."""

    def __init__(self, collection: Collection, scale: float = CERTAINTY) -> None:
        """Read from a collection.

        Args:
            collection: Where the pictures are.
            scale: What a score of one is worth as a log-weight: how sure the ranking may be of itself.
        """
        self._collection = collection
        self._scale = scale
        self._seen: OrderedDict[str, _Seen] = OrderedDict()
        self._lock = Lock()

    def read(self, ranked: Sequence[Hit]) -> Candidates:
        """The candidates in the order of the ranking; pictures that are gone meanwhile are left out."""
        known = self._known([hit.id for hit in ranked])
        hits = [hit for hit in ranked if hit.id in known]
        if not hits:
            empty = np.zeros((0, self._collection.encoder.dimension), np.float32)
            return Candidates((), np.zeros(0), empty, empty[:, None])
        rows = [known[hit.id] for hit in hits]
        most = max(len(row.regions) for row in rows)
        attributes = [row.attributes for row in rows]
        return Candidates(
            [hit.id for hit in hits],
            self._scale * np.array([hit.score for hit in hits], np.float64),
            np.stack([row.whole for row in rows]),
            np.stack([row.regions if len(row.regions) == most else _filled(row, most) for row in rows]),
            attributes if any(attributes) else (),
        )

    def _known(self, ids: Sequence[str]) -> dict[str, _Seen]:
        with self._lock:
            known = {id: self._seen[id] for id in ids if id in self._seen}
            for id in known:
                self._seen.move_to_end(id)
        new = [id for id in ids if id not in known]
        if new:
            found = self._look_up(new)
            known |= found
            with self._lock:
                self._seen |= found
                while len(self._seen) > _REMEMBERED:
                    self._seen.popitem(last=False)
        return known

    def _look_up(self, ids: Sequence[str]) -> dict[str, _Seen]:
        whole = self._collection.store.vectors(ids)
        regions = self._collection.store.vectors(ids, "regions")
        fields = [name for name in self._collection.catalogue.meta("fields", {}) if name != STATE]
        payloads = self._collection.store.payloads(ids) if fields else {}
        seen = {}
        for id, vector in whole.items():
            payload = payloads.get(id, {})
            attributes = {name: payload[name] for name in fields if name in payload}
            seen[id] = _Seen(vector, regions.get(id, vector[None]), attributes)
        return seen


def _filled(row: _Seen, most: int) -> FloatArray:
    """As many regions as the others have: the whole picture stands in for those that are missing."""
    return np.concatenate([row.regions, np.tile(row.whole, (most - len(row.regions), 1))])
