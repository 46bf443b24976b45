"""Leaves out pictures that show what must not be shown.

Taking a vector away from the query only makes such pictures a little less likely. Here each picture is asked whether
it shows the thing: a part of it must be described by the words nearly as well as by the best of many general
descriptions, and better than most pictures of the collection are, since in a shop for clothes everything is a little
like a belt. What is written about the pictures counts as well: one whose words speak of the thing shows it, and one
whose words do not, where others' do, must look very much like it.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder, FloatArray
from visavis.files import PRIVATE_FILE, replacing
from visavis.search.captions import Mentions, things_of
from visavis.search.vectors import product, sampled_points
from visavis.stores.base import Store, StoredPoint
from visavis.types import UNREADABLE

#: Ids are hashes of contents, so the first ones in order are a fair sample.
EXCLUSION_SAMPLE = 400
#: Two groups this many standard deviations apart are two groups: those that show it and those that do not.
_APART = 2.5
#: Where they are not, what lies this much above the mean counts.
_ABOVE = 0.5
_ROUNDS = 40
_NARROWEST = 0.15


@dataclass(frozen=True)
class ProbedSample:
    """Vectors of a sample, and how well the best general descriptions fit each of them.

    Attributes:
        whole: ``[n, 1, d]``.
        regions: ``[n, r, d]``.
        whole_fit: ``[n, 1]``.
        regions_fit: ``[n, r]``.
    """

    whole: FloatArray
    regions: FloatArray
    whole_fit: FloatArray
    regions_fit: FloatArray

    @classmethod
    def take(cls, store: Store, probes: FloatArray) -> ProbedSample | None:
        """Draw a sample from a store; None where too few points have regions."""
        usable = [point for point in sampled_points(store, EXCLUSION_SAMPLE) if point.regions is not None]
        if len(usable) < EXCLUSION_SAMPLE // 10:
            return None
        whole = np.stack([point.whole for point in usable])[:, None]
        regions = np.stack([point.regions for point in usable if point.regions is not None])
        return cls(whole, regions, best_probes(whole, probes), best_probes(regions, probes))


def parting(nearness: FloatArray) -> float:
    """Where those that show something part from those that do not.

    Args:
        nearness: How near each picture of a sample comes, ``[n]``.
    """
    usual = float(nearness.mean() + _ABOVE * nearness.std())
    low, high, apart = _two_groups(nearness)
    if apart < _APART:
        return usual
    places = np.linspace(low[0], high[0], 200, dtype=np.float32)
    more_likely = _density(places, *high) > _density(places, *low)
    return min(usual, float(places[np.argmax(more_likely)]) if more_likely.any() else usual)


_Group = tuple[float, float, float]


def _two_groups(values: FloatArray) -> tuple[_Group, _Group, float]:
    """Two normal distributions (mean, deviation, share) fitted to the values, and how far apart they are."""
    low, high = float(np.quantile(values, 0.25)), float(np.quantile(values, 0.9))
    narrow = wide = max(float(values.std()) / 2, _NARROWEST)
    share = 0.2
    for _ in range(_ROUNDS):
        ours = _density(values, high, wide, share)
        theirs = _density(values, low, narrow, 1 - share)
        belongs = ours / (ours + theirs + 1e-12)
        share = float(np.clip(belongs.mean(), 0.02, 0.98))
        high, wide = _mean_and_deviation(values, belongs)
        low, narrow = _mean_and_deviation(values, 1 - belongs)
    apart = (high - low) / float(np.sqrt((wide**2 + narrow**2) / 2))
    return (low, narrow, 1 - share), (high, wide, share), apart


def _density(values: FloatArray, mean: float, deviation: float, share: float) -> FloatArray:
    return np.asarray(share / deviation * np.exp(-0.5 * ((values - mean) / deviation) ** 2), np.float32)


def _mean_and_deviation(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    total = float(weights.sum()) + 1e-12
    mean = float((weights * values).sum()) / total
    return mean, max(float(np.sqrt((weights * (values - mean) ** 2).sum() / total)), _NARROWEST)


def descriptions_of(text: str) -> tuple[str, ...]:
    """How a picture that shows this would be described, in as many ways as the words stand for.

    >>> descriptions_of("a red car")
    ('a photo of a red car',)
    >>> len(descriptions_of("any people"))
    8
    """
    return tuple(f"a photo of {thing}" for thing in things_of(text))


#: How close to the best general descriptions the words must come, in standard deviations, to count as shown; and how
#: much closer when several descriptions try, because one of many comes close by chance.
_NEARNESS, _PER_DESCRIPTION = -0.6, 0.25
#: How much closer at most when the whole collection is close to it; and when a picture's own words pass over it.
_MOST_RAISED, _PASSED_OVER = 1.2, 1.0


class Exclusion:
    """Tells which pictures show something that is to be avoided."""

    def __init__(
        self,
        avoided: Sequence[str],
        encoder: Encoder,
        probes: FloatArray,
        calibration: Calibration,
        ordinary: ProbedSample | None = None,
    ) -> None:
        """Get ready.

        Args:
            avoided: What must not be shown.
            encoder: Encodes it.
            probes: The general descriptions, ``[p, d]``.
            calibration: What is ordinary in this collection.
            ordinary: A sample of the collection, where there is one.
        """
        self._things = [encoder.encode_texts(descriptions_of(text)) for text in avoided]
        self._mentions = Mentions(avoided)
        self._probes = probes
        self._calibration = calibration
        self._limits = np.array([_NEARNESS + _PER_DESCRIPTION * math.log(len(thing)) for thing in self._things])
        if ordinary is not None:
            self._raise_limits(ordinary)

    def shown(self, whole: FloatArray, regions: FloatArray, words: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Which pictures show any of it, ``[n]``; all at once, since the general descriptions are many.

        Args:
            whole: Their vectors, ``[n, d]``.
            regions: Those of their parts, ``[n, r, d]``.
            words: What is written about each.
        """
        if not len(whole):
            return np.zeros(0, bool)
        whole = whole[:, None]
        nearness = self._nearness(whole, regions, best_probes(whole, self._probes), best_probes(regions, self._probes))
        if words is None:
            return np.asarray((nearness > self._limits).any(axis=-1))
        said = self._mentions.read(words)
        limits = self._limits + np.where(said < 0, _PASSED_OVER, 0.0)
        return np.asarray(((nearness > limits) | (said > 0)).any(axis=-1))

    def _raise_limits(self, ordinary: ProbedSample) -> None:
        nearness = self._nearness(ordinary.whole, ordinary.regions, ordinary.whole_fit, ordinary.regions_fit)
        partings = np.array([parting(nearness[:, thing]) for thing in range(len(self._things))])
        self._limits = np.clip(partings, self._limits, self._limits + _MOST_RAISED)

    def _nearness(
        self, whole: FloatArray, regions: FloatArray, whole_fit: FloatArray, regions_fit: FloatArray
    ) -> FloatArray:
        """``[n, things]``: how much better each thing describes the picture's best part than general words do."""
        in_whole = self._best(whole, whole_fit) / self._calibration.whole_deviation
        in_parts = self._best(regions, regions_fit) / self._calibration.region_deviation
        return np.asarray(np.maximum(in_whole, in_parts), np.float32)

    def _best(self, vectors: FloatArray, fit: FloatArray) -> FloatArray:
        nearest = [(vectors @ thing.T - fit[..., None]).max(axis=(1, 2)) for thing in self._things]
        return np.stack(nearest, axis=-1, dtype=np.float32)


#: Pictures that are looked at: a standard deviation is then known to about 2 %. Ids are hashes of contents, so the
#: first ids in order are a fair sample, and the same one for everybody who looks at the same collection.
SAMPLE = 1000
#: Measured anew when the collection has grown, or shrunk, by this share since.
_GROWTH = 0.2
_LEAST = 1e-3


@dataclass(frozen=True)
class Calibration:
    """Means and standard deviations of cosines, over a sample of the collection and the general descriptions.

    Attributes:
        count: How many pictures the collection had.
        encoder: The fingerprint of the encoder.
        whole_mean: Of whole pictures with words.
        whole_deviation: Likewise.
        region_deviation: Of single regions with words.
        picture_deviation: Of whole pictures with each other.
    """

    count: int
    encoder: str
    whole_mean: float
    whole_deviation: float
    region_deviation: float
    picture_deviation: float

    def is_stale(self, count: int, encoder: str) -> bool:
        """Whether the collection has changed too much since."""
        return encoder != self.encoder or abs(count - self.count) > _GROWTH * self.count

    def as_json(self) -> dict[str, Any]:
        """As the catalogue keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Any) -> Calibration | None:
        """What the catalogue kept; None when there is nothing, or something older."""
        try:
            return cls(**kept)
        except TypeError:
            return None

    @classmethod
    def measure(cls, store: Store, probes: FloatArray, count: int, encoder: str) -> Calibration:
        """Measure it.

        Args:
            store: The collection's vectors.
            probes: The general descriptions, ``[p, d]``.
            count: How many pictures the collection has.
            encoder: The fingerprint of the encoder.
        """
        points = sampled_points(store, SAMPLE)
        if not points:
            return cls(count, encoder, 0.0, 0.1, 0.1, 0.1)
        whole = np.stack([point.whole for point in points])
        words = whole @ probes.T
        others = (whole @ whole.T)[np.triu_indices(len(whole), 1)]
        return cls(
            count,
            encoder,
            float(words.mean()),
            max(float(words.std()), _LEAST),
            max(float((_regions(points) @ probes.T).std()), _LEAST),
            max(float(others.std()) if len(others) > 10 else 0.0, _LEAST),
        )


def _regions(points: list[StoredPoint]) -> FloatArray:
    return np.concatenate([point.whole[None] if point.regions is None else point.regions for point in points])


@cache
def probe_texts() -> tuple[str, ...]:
    """The descriptions."""
    return tuple((files("visavis.search") / "probes.txt").read_text(encoding="utf-8").split("\n")[:-1])


def probe_vectors(encoder: Encoder, folder: Path) -> FloatArray:
    """Their vectors, ``[p, d]``; kept in a folder, because encoding them takes about a second.

    Args:
        encoder: Whose vectors.
        folder: Where they are kept; a folder that cannot be written only costs time.
    """
    name = re.sub(r"[^A-Za-z0-9._-]", "_", encoder.fingerprint)
    file = folder / f"probes-{name}.npy"
    with contextlib.suppress(*UNREADABLE):
        kept = np.load(file)
        if kept.shape == (len(probe_texts()), encoder.dimension):
            return np.asarray(kept, np.float32)
    vectors = encoder.encode_texts(probe_texts())
    with contextlib.suppress(OSError), replacing(file, parents=True, mode=PRIVATE_FILE) as stream:
        np.save(stream, vectors)
    return vectors


def best_probes(vectors: FloatArray, probes: FloatArray, count: int = 10) -> FloatArray:
    """How well the best general descriptions fit each vector: the mean of the highest cosines, ``[...]``."""
    scores = product(vectors.reshape(-1, vectors.shape[-1]), probes).reshape(*vectors.shape[:-1], len(probes))
    return np.asarray(np.partition(scores, -count, axis=-1)[..., -count:].mean(axis=-1), np.float32)
