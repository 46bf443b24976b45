"""Synthetic vectors with the structure of picture embeddings: topics, clusters, and anisotropic noise.

Uniform noise would be unfair to every index: in 256 dimensions all its points are equally far from each other, unlike
embeddings. So: 100 topics, a cluster for every 200 points (sizes fall off like 1 / rank), and noise whose
variance falls off over the directions, like the spectrum of real embeddings. Queries are drawn from the same
clusters with half as much noise again, as a text's vector is further from a picture's than a near-duplicate's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

DIMENSION = 256
QUERIES = 1000
BUCKETS = 100
NEIGHBOURS = 10
_CHUNK = 50_000


@dataclass(frozen=True)
class Data:
    """Files of one size of benchmark."""

    folder: Path
    count: int

    def chunks(self):
        """Yield vectors and their buckets in chunks, so that they never fill the measured memory."""
        buckets = np.load(self.folder / "buckets.npy")
        with (self.folder / "vectors.f32").open("rb") as file:
            for start in range(0, self.count, _CHUNK):
                rows = min(_CHUNK, self.count - start)
                vectors = np.fromfile(file, np.float32, rows * DIMENSION).reshape(rows, DIMENSION)
                yield start, vectors, buckets[start : start + rows]

    @property
    def queries(self):
        return np.load(self.folder / "queries.npy")

    @property
    def nearest(self):
        """``[queries, 10]``: the true neighbours."""
        return np.load(self.folder / "nearest.npy")

    @property
    def nearest_in_bucket(self):
        """The true neighbours among the points of the bucket that each query filters by."""
        return np.load(self.folder / "nearest_in_bucket.npy")

    @property
    def query_buckets(self):
        return np.arange(QUERIES) % BUCKETS


def make(folder: Path, count: int, seed: int = 0) -> Data:
    """Draw the vectors and find the true neighbours of the queries by brute force."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(seed)
    draw = _Mixture(random, clusters=max(100, count // 200))
    with (folder / "vectors.f32").open("wb") as file:
        for start in range(0, count, _CHUNK):
            draw(min(_CHUNK, count - start), 1.0).tofile(file)
    np.save(folder / "buckets.npy", random.integers(0, BUCKETS, count))
    np.save(folder / "queries.npy", draw(QUERIES, 1.5))
    data = Data(folder, count)
    _find_neighbours(data)
    return data


class _Mixture:
    def __init__(self, random: np.random.Generator, clusters: int) -> None:
        self._random = random
        topics = _unit(random.normal(size=(100, DIMENSION)))
        own = _unit(random.normal(size=(clusters, DIMENSION)))
        self._centres = _unit(topics[random.integers(0, 100, clusters)] + own).astype(np.float32)
        self._shares = 1.0 / np.arange(1, clusters + 1) ** 0.5
        self._shares /= self._shares.sum()
        spectrum = 1.0 / np.sqrt(1.0 + np.arange(DIMENSION) / 8.0)
        self._strengths = (0.8 * spectrum / np.linalg.norm(spectrum)).astype(np.float32)
        self._turn = np.linalg.qr(random.normal(size=(DIMENSION, DIMENSION)))[0].astype(np.float32)

    def __call__(self, count: int, noise: float):
        chosen = self._random.choice(len(self._shares), count, p=self._shares)
        noises = self._random.normal(size=(count, DIMENSION)).astype(np.float32) * self._strengths * np.float32(noise)
        return _unit(self._centres[chosen] + noises @ self._turn).astype(np.float32)


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _find_neighbours(data: Data) -> None:
    queries, query_buckets = data.queries, data.query_buckets
    best = _Best(QUERIES)
    best_in_bucket = _Best(QUERIES)
    for start, vectors, buckets in data.chunks():
        scores = queries @ vectors.T
        best.add(scores, start)
        best_in_bucket.add(np.where(query_buckets[:, None] == buckets[None, :], scores, -np.inf), start)
    np.save(data.folder / "nearest.npy", best.ids)
    np.save(data.folder / "nearest_in_bucket.npy", best_in_bucket.ids)


class _Best:
    def __init__(self, rows: int) -> None:
        self.ids = np.zeros((rows, 0), np.int64)
        self._scores = np.zeros((rows, 0), np.float32)

    def add(self, scores, start: int) -> None:
        top = np.argpartition(-scores, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        all_scores = np.concatenate([self._scores, np.take_along_axis(scores, top, 1)], axis=1)
        all_ids = np.concatenate([self.ids, top + start], axis=1)
        order = np.argsort(-all_scores, axis=1)[:, :NEIGHBOURS]
        self._scores = np.take_along_axis(all_scores, order, 1)
        self.ids = np.take_along_axis(all_ids, order, 1)
