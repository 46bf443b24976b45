"""A few hundred ordinary descriptions of anything, to compare a question with.

A cosine means nothing by itself; 0.3 may be much for one encoder and little for another. What an encoder gives to
descriptions that were not asked for tells what is ordinary: how scores spread over a collection, and how well the
best of many general descriptions fit one picture or one part of it.
"""

from __future__ import annotations

import contextlib
import os
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from visavis.arrays import UNREADABLE
from visavis.encoders.base import Encoder, FloatArray


@cache
def probe_texts() -> tuple[str, ...]:
    """The descriptions."""
    return tuple((files("visavis.collections.searching") / "probes.txt").read_text(encoding="utf-8").split("\n")[:-1])


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
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}")
        with draft.open("wb") as stream:
            np.save(stream, vectors)
        draft.replace(file)
    return vectors


def best_probes(vectors: FloatArray, probes: FloatArray, count: int = 10) -> FloatArray:
    """How well the best general descriptions fit each vector: the mean of the highest cosines, ``[...]``."""
    scores = vectors @ probes.T
    return np.asarray(np.partition(scores, -count, axis=-1)[..., -count:].mean(axis=-1), np.float32)
