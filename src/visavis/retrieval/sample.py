"""A sample of the collection's own vectors: what an ordinary picture here scores.

A cosine means nothing by itself; 0.2 may be much for one wish and little for another. Against a sample of the
collection each wish gets a scale of its own. Ids are hashes of contents, so the first ids in order are a fair sample,
and the same one for everybody who looks at the same collection.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.products import product
from visavis.stores.base import Store

#: Pictures in the sample: a standard deviation is then known to about 3 %.
SIZE = 500
#: Of so many the regions are looked at: they are nine times as much to read, in every turn.
REGIONED = 200


@dataclass(frozen=True)
class Sample:
    """Vectors of some pictures: ``whole [n, d]`` and ``regions [n, r, d]``."""

    whole: FloatArray
    regions: FloatArray

    def __len__(self) -> int:
        return len(self.whole)

    def whole_scores(self, vectors: FloatArray) -> FloatArray:
        """The cosine of every sampled picture with a vector ``[d]``, or with several, ``[n, v]``."""
        return product(self.whole, vectors)

    def region_scores(self, vectors: FloatArray) -> FloatArray:
        """The cosine of the best region with several vectors, ``[n, v]``, for the first of the sampled pictures."""
        regions = self.regions[:REGIONED]
        number, each, dimension = regions.shape
        scores = product(regions.reshape(number * each, dimension), vectors)
        return np.asarray(scores.reshape(number, each, len(vectors)).max(axis=1, initial=-1.0), np.float32)

    @classmethod
    def take(cls, store: Store, dimension: int) -> Sample:
        """Take it."""
        points = list(islice((point for points in store.scroll(SIZE) for point in points), SIZE))
        if not points:
            return cls(np.zeros((0, dimension), np.float32), np.zeros((0, 1, dimension), np.float32))
        whole = np.stack([point.whole for point in points])
        regions = [point.regions for point in points if point.regions is not None]
        same = len(regions) == len(points) and len({len(found) for found in regions}) == 1
        return cls(whole, np.stack(regions) if same else whole[:, None])
