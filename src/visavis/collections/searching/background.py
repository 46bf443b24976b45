"""A sample of the collection's own vectors: what an ordinary picture here scores.

A cosine means nothing by itself; 0.2 may be much for one question and little for another. Against a sample of the
collection it gets a meaning: how far above the ordinary. Ids are hashes of contents, so the first ids in order are a
fair sample, and the same one for everybody who looks at the same collection.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.stores.base import Point, Store

#: Pictures in the sample: a standard deviation is then known to about 2 %.
SAMPLE = 1000
#: The sample is taken anew when the collection has grown, or shrunk, by this share since.
_GROWTH = 0.2


@dataclass(frozen=True)
class Background:
    """The sample.

    Attributes:
        whole: ``[n, d]``.
        regions: ``[n, r, d]``.
        count: How many pictures the collection had when it was taken.
    """

    whole: FloatArray
    regions: FloatArray
    count: int

    def __len__(self) -> int:
        return len(self.whole)

    def is_stale(self, count: int) -> bool:
        """Whether the collection has changed too much since."""
        return abs(count - self.count) > _GROWTH * self.count

    def whole_scores(self, vector: FloatArray) -> FloatArray:
        """The cosine of every sampled picture with a vector."""
        return np.asarray(self.whole @ vector, np.float32)

    def region_scores(self, vector: FloatArray) -> FloatArray:
        """The cosine of the best region of every sampled picture with a vector."""
        return np.asarray((self.regions @ vector).max(axis=1, initial=-1.0), np.float32)

    def save(self, file: Path) -> None:
        """Write it, whole or not at all."""
        draft = file.with_suffix(f".{os.getpid()}")
        with draft.open("wb") as stream:
            np.savez(
                stream, whole=self.whole.astype(np.float16), regions=self.regions.astype(np.float16), count=self.count
            )
        draft.replace(file)

    @classmethod
    def load(cls, file: Path) -> Background | None:
        """Read it; None when it is not there or damaged, for it can be taken anew."""
        try:
            with np.load(file) as content:
                whole, regions = (content[name].astype(np.float32) for name in ("whole", "regions"))
                return cls(whole, regions, int(content["count"]))
        except (OSError, ValueError, KeyError, EOFError):
            return None

    @classmethod
    def take(cls, store: Store, count: int) -> Background:
        """Take the sample."""
        points = list(islice(_points(store), SAMPLE))
        if not points:
            empty = np.zeros((0, 1), np.float32)
            return cls(empty, empty[:, None], count)
        whole = np.stack([point.whole for point in points])
        with_regions = [point.regions for point in points if point.regions is not None]
        regions = np.stack(with_regions) if len(with_regions) == len(points) else whole[:, None]
        return cls(whole, regions, count)


def _points(store: Store) -> Iterator[Point]:
    for points in store.scroll(SAMPLE):
        yield from points
