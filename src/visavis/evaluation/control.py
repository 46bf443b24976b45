"""What mere movement finds: the same changes of score that answers made, dealt out to the wrong pictures.

ChatIR's rule counts a target that comes among the first ten in any round. A ranking that only shakes its first pictures
gains by that rule, too. This control moves exactly as much as the answers did, and knows nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np


class Reordering:
    """The first ranking of a conversation, shaken in every round as much as the answers moved the real one."""

    def __init__(self, opening: Mapping[str, float], seed: str) -> None:
        """Start from the scores of the first pictures after the opening; the seed deals the changes out."""
        self._ids = list(opening)
        self._real = np.array([opening[id] for id in self._ids])
        self._shaken = self._real.copy()
        digest = hashlib.blake2b(seed.encode(), digest_size=8).digest()
        self._rng = np.random.default_rng(int.from_bytes(digest, "big"))

    def move(self, scores: Mapping[str, float]) -> None:
        """Take the real ranking's scores after a round.

        A picture that is no longer among them has fallen below all that are.
        """
        if not scores or not self._ids:
            return
        lowest = min(scores.values())
        after = np.array([scores.get(id, lowest) for id in self._ids])
        self._shaken = self._shaken + self._rng.permutation(after - self._real)
        self._real = after

    def rank_of(self, id: str, otherwise: int) -> int:
        """The place of a picture; what it was at the opening, where it was not among the first."""
        if id not in self._ids:
            return otherwise
        return 1 + int((self._shaken > self._shaken[self._ids.index(id)]).sum())
