"""Pictures in memory, without a store, judged as a search does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.api import Collection
from visavis.encoders.base import Encoder, FloatArray
from visavis.search.exclusion import Calibration
from visavis.search.judge import Judge
from visavis.search.reference import reference_for
from visavis.search.vectors import SAMPLE_SIZE, PictureVectors, VectorSample
from visavis.stores.base import Hit, Query, StoredPoint

#: Of the pictures nearest to a text, so many are judged besides the sample.
_NEAREST = 10


class Side:
    """One collection's vectors in memory, so that parts of it can be removed quickly."""

    def __init__(
        self, ids: Sequence[str], whole: FloatArray, regions: NDArray[np.floating], probes: FloatArray, encoder: Encoder
    ) -> None:
        self.ids = list(ids)
        self.whole, self.regions = whole, regions
        self.probes = probes
        self.encoder = encoder

    @classmethod
    def of(cls, collection: Collection, encoder: Encoder) -> Side:
        """All pictures of a collection."""
        points: list[StoredPoint] = [point for batch in collection.store.scroll() for point in batch]
        regions = np.stack([point.regions for point in points if point.regions is not None])
        whole = np.stack([point.whole for point in points])
        return cls([point.id for point in points], whole, regions, collection.engine.probes, encoder)

    def calibration(self, kept: FloatArray) -> Calibration:
        """Calibrate on the kept pictures."""
        words = self.whole[kept] @ self.probes.T
        parts = self.regions[kept] @ self.probes.T
        return Calibration(int(kept.sum()), "", float(words.mean()), float(words.std()), float(parts.std()), 0.1)

    def accepts(self, texts: Sequence[str], kept: FloatArray | None = None) -> list[bool]:
        """Return whether each query is answered with pictures, by the rule of a search."""
        judge = self.judge(np.ones(len(self.ids), bool) if kept is None else kept)
        vectors = self.encoder.encode_texts(list(texts))
        return [self._accepts(judge, *text) for text in zip(texts, vectors, strict=True)]

    def _accepts(self, judge: Judge, text: str, vector: FloatArray) -> bool:
        judged = judge.text(text, vector)
        near = [hit.id for hit in judge._store.query(Query(vector[None], limit=_NEAREST))]
        return bool(max(judged.sample.max(), judge.logits(judged, judge.read(near)).max()) >= 0)

    def judge(self, kept: FloatArray) -> Judge:
        """Judge the kept pictures as a search does."""
        places = np.flatnonzero(kept)
        store = Held([self.ids[place] for place in places], self.whole[places], self.regions, places)
        first = places[:SAMPLE_SIZE]
        sample = VectorSample(self.whole[first], self.regions[first].astype(np.float32), tuple(store.ids[: len(first)]))
        reference = reference_for(self.encoder.fingerprint)
        pictures = PictureVectors(store, self.whole.shape[1])  # type: ignore[arg-type]
        return Judge(store, sample, pictures, self.probes, reference=reference)  # type: ignore[arg-type]


class Held:
    """A store in memory, without anything written about the pictures."""

    def __init__(
        self, ids: Sequence[str], whole: FloatArray, regions: NDArray[np.floating], places: NDArray[np.int64]
    ) -> None:
        self.ids = list(ids)
        self._whole, self._regions, self._places = whole, regions, places
        self._at = {id: at for at, id in enumerate(self.ids)}

    def query(self, query: Query) -> list[Hit]:
        """The nearest."""
        scores = self._whole @ query.vectors[0]
        best = np.argsort(-scores)[: query.limit]
        return [Hit(self.ids[at], float(scores[at])) for at in best]

    def count(self) -> int:
        """How many pictures there are."""
        return len(self.ids)

    def vectors(self, ids: Sequence[str], name: str = "whole") -> dict[str, FloatArray]:
        """Their vectors."""
        if name == "whole":
            return {id: self._whole[self._at[id]] for id in ids}
        return {id: self._regions[self._places[self._at[id]]].astype(np.float32) for id in ids}

    def payloads(self, ids: Sequence[str]) -> dict[str, object]:  # noqa: ARG002
        """Nothing is written."""
        return {}
