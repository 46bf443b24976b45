"""Whether a text fits anything at all, by pictures and nouns that are the same everywhere.

Of a collection's own scores one cannot tell whether its best picture shows a thing or only comes nearest to it. So each
text is also compared with a fixed set of photos and products, as their vectors: how high its scores are there, and how
far the best stand out. And the text's best pictures here, and their best regions, are compared with many nouns, each
in spreads above its own middle over the same set: what shows a sofa fits "sofa" better than it fits "bed". Nouns that
mean nearly the same as the text are no rivals of it.

The vectors belong to one encoder and ship with it; ``visavis bench match --fit`` makes them. Collections of other
encoders are judged without.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from visavis.search.byte_matrix import ByteMatrix
from visavis.search.vectors import product
from visavis.stores.region_file import quantised
from visavis.types import UNREADABLE, FloatArray

#: The file of vectors that ships with the package.
PACKAGE = "reference.npz"
#: Nouns closer to the text than this are no rivals of it: strictly, and leniently.
STRICT, LENIENT = 0.6, 0.8
#: A text's best reference pictures: the few best, and the good ones.
_FEW, _GOOD = 5, 45
#: Ordinary middle and spread of a text's cosines, by which they become numbers near one.
_MIDDLE, _SPREAD = -0.1, 0.06
_LEAST_SPREAD = 1e-3

#: A text's highest cosines in a collection; its vector tells what is usual (:mod:`visavis.search.presence`).
SCORES = ("highest whole", "highest regions", "five whole", "five regions", "best region")
#: What else is told of its cosines, of its best pictures and of the nouns nearest to it.
_CIRCUMSTANCES = (
    "mean whole",
    "deviation whole",
    "mean regions",
    "deviation regions",
    "best regions",
    "likeness of the best",
    "nearest to the reference",
    "likeness to the reference",
    "reference five",
    "above the reference",
    "nearest noun",
    "second noun",
    "fifth noun",
    "twentieth noun",
)
#: Places of the nouns that are named there, nearest first.
_NEAR = (0, 1, 4, 19)
#: How a text's best pictures stand to it and to its rivals, as whole pictures or by their best regions.
_STANDING = ("height", "over strict rivals", "over lenient rivals", "nouns above")
#: What is told of a text.
NUMBERS = (
    "reference best",
    "reference good",
    "reference spread",
    "reference middle",
    *(f"whole {name}" for name in _STANDING),
    *(f"region {name}" for name in _STANDING),
    "first whole over lenient rivals",
    "first region over lenient rivals",
    *SCORES,
    *_CIRCUMSTANCES,
)


@dataclass(frozen=True)
class NormalScores:
    """Mean and covariance of vectors, which give the mean and the deviation of a text's cosines with them."""

    mean: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, vectors: FloatArray) -> NormalScores:
        """Measure them, ``[n, d]``."""
        centred = vectors - vectors.mean(axis=0)
        return cls(vectors.mean(axis=0), np.asarray(centred.T @ centred / max(len(vectors), 1), np.float32))

    def scales(self, texts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and deviation of the cosines of texts ``[t, d]``, ``[t]`` each."""
        variance = np.einsum("td,td->t", product(texts, self.covariance), texts)
        return product(texts, self.mean), np.sqrt(np.maximum(variance, _LEAST_SPREAD**2)).astype(np.float32)


class Reference:
    """The reference pictures and the nouns, as vectors."""

    def __init__(self, pictures: FloatArray, regions: NormalScores, nouns: FloatArray, encoder: str = "") -> None:
        """Get ready.

        Args:
            pictures: The vectors of the pictures, ``[n, d]``.
            regions: Their regions.
            nouns: The vectors of the nouns, ``[v, d]``.
            encoder: The fingerprint of the encoder that made them.
        """
        self.encoder = encoder
        self._pictures, self._nouns = pictures, nouns
        self._both = ByteMatrix(np.concatenate([pictures, nouns]))
        self._whole, self._regions = NormalScores.of(pictures), regions
        self._whole_scales, self._region_scales = self._whole.scales(nouns), regions.scales(nouns)

    def numbers(
        self, vector: FloatArray, whole: FloatArray, regions: FloatArray, scores: tuple[FloatArray, FloatArray]
    ) -> FloatArray:
        """How a text stands; see :data:`NUMBERS`.

        Args:
            vector: The text, ``[d]``.
            whole: Its best pictures in a collection, best first, ``[n, d]``; one at least.
            regions: The region of each that fits the text best, ``[n, d]``.
            scores: Its cosines with the collection's pictures, and the mean ones with their best regions, ``[m]`` each.
        """
        cosines = self._both.products(np.concatenate([vector[None], whole, regions]))
        pictures, nouns = np.split(cosines, [len(self._pictures)], axis=1)
        here, near = pictures[0], nouns[0]
        of_whole, of_regions = nouns[1 : 1 + len(whole)], nouns[1 + len(whole) :]
        middle, spread = float(here.mean()), max(float(here.std()), _LEAST_SPREAD)
        good, few = _highest(here, _GOOD), _highest(here, _FEW)
        best, usual = ((float(part.mean()) - middle) / spread for part in (few, good))
        fits = product(regions, vector)
        scale = self._whole.scales(vector[None])
        seen = _standing(product(whole, vector), of_whole, near, scale, self._whole_scales)
        parts = _standing(fits, of_regions, near, self._regions.scales(vector[None]), self._region_scales)
        told = [best, usual, spread / _SPREAD, (middle - _MIDDLE) / _SPREAD]
        for standing in (seen, parts):
            told += [*standing[:, :3].max(axis=0), standing[:, 3].min()]
        told += [seen[0, 2], parts[0, 2]]
        high = [_highest(part, _FEW) for part in scores]
        told += [*(part.max() for part in high), *(part.mean() for part in high), fits.max()]
        told += [number for part in scores for number in (part.mean(), part.std())]
        alike = product(whole, whole)
        others = max(1, len(whole) * (len(whole) - 1))
        known = pictures[1 : 1 + len(whole), np.argpartition(-here, min(_FEW, len(here)) - 1)[:_FEW]]
        told += [fits.mean(), (alike.sum() - np.trace(alike)) / others, known.max(), known.mean()]
        told += [few.mean(), (scores[0] > few.mean()).mean()]
        nearest = -np.sort(-_highest(near, _NEAR[-1] + 1))
        return np.array([*told, *(nearest[min(at, len(nearest) - 1)] for at in _NEAR)], np.float32)

    def save(self, file: Path) -> None:
        """Write it, the vectors as bytes."""
        pictures, nouns = quantised(self._pictures), quantised(self._nouns)
        with file.open("wb") as stream:
            np.savez_compressed(
                stream,
                encoder=self.encoder,
                pictures=pictures[0],
                pictures_scale=pictures[1],
                nouns=nouns[0],
                nouns_scale=nouns[1],
                regions_mean=self._regions.mean,
                regions_covariance=self._regions.covariance.astype(np.float16),
            )


def _standing(
    fits: FloatArray,
    nouns: FloatArray,
    near: FloatArray,
    scale: tuple[FloatArray, FloatArray],
    noun_scales: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """What :data:`_STANDING` names, of each picture, ``[n, 4]``.

    Args:
        fits: The cosines of the pictures with the text, ``[n]``.
        nouns: Those with the nouns, ``[n, v]``.
        near: The cosines of the nouns with the text, ``[v]``.
        scale: Middle and spread of the text's cosines.
        noun_scales: The same of each noun.
    """
    height = (fits - scale[0]) / scale[1]
    above = (nouns - noun_scales[0]) / noun_scales[1]
    rivals = [np.where(near < line, above, -9.0).max(axis=1) for line in (STRICT, LENIENT)]
    better = np.log1p((above > height[:, None]).sum(axis=1))
    return np.stack([height, *(height - rival for rival in rivals), better], axis=1, dtype=np.float32)


def read_reference(file: Path) -> Reference:
    """Read one that was saved."""
    with file.open("rb") as stream, np.load(stream) as kept:
        pictures = kept["pictures"].astype(np.float32) * kept["pictures_scale"]
        nouns = kept["nouns"].astype(np.float32) * kept["nouns_scale"]
        regions = NormalScores(kept["regions_mean"], kept["regions_covariance"].astype(np.float32))
        return Reference(pictures, regions, nouns, str(kept["encoder"]))


def _highest(values: FloatArray, number: int) -> FloatArray:
    return np.partition(values, -number)[-number:] if len(values) > number else values


@lru_cache(maxsize=1)
def _shipped() -> Reference | None:
    try:
        return read_reference(Path(str(files("visavis.search") / PACKAGE)))
    except UNREADABLE:
        return None


def reference_for(encoder: str) -> Reference | None:
    """The one that ships with the package, where it belongs to this encoder."""
    shipped = _shipped()
    return shipped if shipped is not None and shipped.encoder == encoder else None
