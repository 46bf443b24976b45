"""What the person has passed over several times sinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from visavis.encoders.base import FloatArray

#: Being passed over once means little: the person may still be comparing.
_FORGIVEN = 1
#: Spreads that a picture sinks for each further time, and how far at most.
_STEP, _DEEPEST = 0.5, 3.0


def sinking(ids: Sequence[str], passed_over: Mapping[str, int]) -> FloatArray:
    """How many spreads each picture sinks."""
    times = np.array([passed_over.get(id, 0) for id in ids], np.float32)
    return np.asarray(np.clip(_STEP * (times - _FORGIVEN), 0.0, _DEEPEST), np.float32)
