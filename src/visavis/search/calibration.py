"""What is ordinary in a collection: how scores with words and with pictures spread over it.

They are measured with a few hundred general descriptions (probes). What an encoder gives to descriptions that were not
asked for tells what is ordinary, and how well the best of many general descriptions fit one picture or one part of it.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from visavis.encoders.base import Encoder, FloatArray
from visavis.files import PRIVATE_FILE, replacing
from visavis.search.vectors import product
from visavis.stores.base import Store, StoredPoint
from visavis.types import UNREADABLE

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
        points = list(islice((point for points in store.scroll(SAMPLE) for point in points), SAMPLE))
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
