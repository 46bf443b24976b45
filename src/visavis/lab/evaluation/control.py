"""A control for ChatIR's rule: the same changes of scores as by the answers, assigned to random pictures.

The rule counts a target that is among the first ten in any round, so a ranking that only shuffles its first pictures
gains as well. This control changes as much as the answers did, without information.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np


class Reordering:
    """The first ranking of a conversation, perturbed in every round as much as the answers changed the real one."""

    def __init__(self, opening: Mapping[str, float], seed: str) -> None:
        """Start from the scores of the first pictures after the opening; the seed assigns the changes."""
        self._ids = list(opening)
        self._real = np.array([opening[id] for id in self._ids])
        self._shaken = self._real.copy()
        digest = hashlib.blake2b(seed.encode(), digest_size=8).digest()
        self._rng = np.random.default_rng(int.from_bytes(digest, "big"))

    def move(self, scores: Mapping[str, float]) -> None:
        """Apply the changes of the real ranking's scores after a round.

        A picture that is no longer among them ranks below all that are.
        """
        if not scores or not self._ids:
            return
        lowest = min(scores.values())
        after = np.array([scores.get(id, lowest) for id in self._ids])
        self._shaken = self._shaken + self._rng.permutation(after - self._real)
        self._real = after

    def rank_of(self, id: str, otherwise: int) -> int:
        """Return the rank of a picture; its rank at the opening, where it was not among the first."""
        if id not in self._ids:
            return otherwise
        return 1 + int((self._shaken > self._shaken[self._ids.index(id)]).sum())
