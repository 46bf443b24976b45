"""Leaving out what must not be shown.

Taking a vector away from the query only makes such pictures a little less likely. Here each picture is asked whether
it shows the thing: a part of it must be described by the words nearly as well as by the best of many general
descriptions, and better than most pictures of the collection are, since in a shop for clothes everything is a little
like a belt. What is written about the pictures counts as well: one whose words speak of the thing shows it, and one
whose words do not, where others' do, must look very much like it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.collections.searching.calibration import Calibration
from visavis.collections.searching.collectives import descriptions_of
from visavis.collections.searching.mentions import Mentions
from visavis.collections.searching.ordinary import Ordinary, parting
from visavis.collections.searching.probes import best_probes
from visavis.encoders.base import Encoder, FloatArray

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
        ordinary: Ordinary | None = None,
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

    def _raise_limits(self, ordinary: Ordinary) -> None:
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
