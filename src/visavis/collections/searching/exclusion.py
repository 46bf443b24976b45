"""Leaving out what must not be shown.

Taking a vector away from the query only makes such pictures a little less likely. Here each picture is asked whether
it shows the thing: a part of it must be described by the words nearly as well as by the best of many general
descriptions. Measured on pictures with labelled objects (docs/collections.md), that finds nine of ten that show it
clearly and wrongly leaves out one of fourteen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.collections.searching.calibration import Calibration
from visavis.collections.searching.collectives import descriptions_of
from visavis.collections.searching.probes import best_probes
from visavis.encoders.base import Encoder, FloatArray

#: How close to the best general descriptions the words must come, in standard deviations, to count as shown; and how
#: much closer when several descriptions try, because one of many comes close by chance.
_NEARNESS, _PER_DESCRIPTION = -0.6, 0.25


class Exclusion:
    """Tells which pictures show something that is to be avoided."""

    def __init__(self, avoided: Sequence[str], encoder: Encoder, probes: FloatArray, calibration: Calibration) -> None:
        """Get ready.

        Args:
            avoided: What must not be shown.
            encoder: Encodes it.
            probes: The general descriptions, ``[p, d]``.
            calibration: What is ordinary in this collection.
        """
        self._things = [encoder.encode_texts(descriptions_of(text)) for text in avoided]
        self._probes = probes
        self._calibration = calibration

    def shown(self, whole: FloatArray, regions: FloatArray) -> NDArray[np.bool_]:
        """Which pictures show any of it, ``[n]``; all at once, since the general descriptions are many.

        Args:
            whole: Their vectors, ``[n, d]``.
            regions: Those of their parts, ``[n, r, d]``.
        """
        if not len(whole):
            return np.zeros(0, bool)
        in_parts = self._nearness(regions) / self._calibration.region_deviation
        in_whole = self._nearness(whole[:, None]) / self._calibration.whole_deviation
        limits = [_NEARNESS + _PER_DESCRIPTION * math.log(len(thing)) for thing in self._things]
        return np.asarray((np.maximum(in_parts, in_whole) > np.array(limits)).any(axis=-1))

    def _nearness(self, vectors: FloatArray) -> FloatArray:
        """For each picture and thing, how much better it describes its best vector than general descriptions do."""
        ordinary = best_probes(vectors, self._probes)[..., None]
        nearest = [(vectors @ thing.T - ordinary).max(axis=(1, 2)) for thing in self._things]
        return np.stack(nearest, axis=-1, dtype=np.float32)
