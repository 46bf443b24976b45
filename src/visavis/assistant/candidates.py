"""The first pictures of a ranking as a questioner needs them: with vectors and with what the catalogue says."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from visavis.collections.payload import STATE
from visavis.questions.base import Candidates
from visavis.retrieval.base import CERTAINTY
from visavis.retrieval.pictures import pictures_of
from visavis.stores.base import Hit

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: Pictures whose attributes are kept: one conversation looks at the same few hundred again and again.
_REMEMBERED = 4000


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
        self._attributes: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._lock = Lock()

    def read(self, ranked: Sequence[Hit]) -> Candidates:
        """The candidates in the order of the ranking; a picture that is gone meanwhile shows nothing."""
        ids = [hit.id for hit in ranked]
        pictures = pictures_of(self._collection.store, self._collection.encoder.dimension)
        scores = self._scale * np.array([hit.score for hit in ranked], np.float64)
        known = self._known(ids)
        attributes = [known[id] for id in ids]
        return Candidates(ids, scores, partial(pictures.both, ids), attributes if any(attributes) else ())

    def _known(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        with self._lock:
            known = {id: self._attributes[id] for id in ids if id in self._attributes}
        new = [id for id in ids if id not in known]
        if new:
            found = self._look_up(new)
            known |= found
            with self._lock:
                self._attributes |= found
                while len(self._attributes) > _REMEMBERED:
                    self._attributes.popitem(last=False)
        return known

    def _look_up(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        # Asked each time: a page may be open while its collection is still being indexed.
        fields = [name for name in self._collection.catalogue.meta("fields", {}) if name != STATE]
        payloads = self._collection.store.payloads(ids) if fields else {}
        return {id: {name: payloads[id][name] for name in fields if name in payloads.get(id, {})} for id in ids}
