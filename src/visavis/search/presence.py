"""Whether anything in a collection fits a text, and from where on a picture does: a small network on its numbers.

Its numbers are those of the text's best pictures, how the text stands to reference pictures and nouns
(:mod:`visavis.search.reference`), and how far its highest cosines are from what is usual for such a text: a linear map
of the text's vector tells them for texts that fit something, and for texts that fit nothing. The line from which on a
picture matches is a linear function of the same numbers, fitted so that as many pictures match as are true.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.types import UNREADABLE, FloatArray

#: The file that ships with the package.
PACKAGE = "presence.npz"
#: Numbers further from their mean than so many deviations say no more.
_FAR = 3.0
#: Log-odds from which on a picture matches: no further from one half than this.
_LEAST_CUT, _MOST_CUT = -3.5, 2.5

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class PresenceModel:
    """The fitted network.

    Attributes:
        middle: The mean vector of texts, ``[d]``.
        usual: From a text's vector to its usual scores, if it fits something and if it fits nothing, ``[d + 1, 2 s]``.
        scores: The places of those scores among the numbers, ``[s]``.
        means: What is subtracted from each number, and from its scores' distance to the usual, ``[k]``.
        deviations: What each is divided by then, ``[k]``.
        inner: One layer for each network, ``[m, k + 1, h]``; the last row is added.
        outer: What follows it, ``[m, h]``.
        direct: Straight from the numbers, ``[m, k + 1]``.
        line: The log-odds from which on something is there, ``[]``.
        cut: From the numbers to the log-odds from which on a picture matches, ``[k + 1]``.
    """

    middle: Floats
    usual: Floats
    scores: NDArray[np.int64]
    means: Floats
    deviations: Floats
    inner: Floats
    outer: Floats
    direct: Floats
    line: Floats
    cut: Floats

    def decide(self, numbers: FloatArray, vector: FloatArray) -> tuple[float, float]:
        """The log-odds that anything fits, and those from which on a picture does.

        Args:
            numbers: What :data:`visavis.search.probability.REFERENCED` names.
            vector: The text.
        """
        row = np.append(self._row(numbers[None], vector[None])[0], np.float32(1))
        hidden = np.tanh(np.einsum("k,mkh->mh", row, self.inner))
        logit = float(((hidden * self.outer).sum(axis=1) + self.direct @ row).mean())
        return logit, float(np.clip(self.cut @ row, _LEAST_CUT, _MOST_CUT))

    def _row(self, numbers: Floats, vectors: Floats) -> Floats:
        usual = (vectors - self.middle) @ self.usual[:-1] + self.usual[-1]
        return standardised(with_distances(numbers, usual, self.scores), self.means, self.deviations)

    def save(self, file: Path) -> None:
        """Write it."""
        with file.open("wb") as stream:
            np.savez_compressed(stream, **{field.name: getattr(self, field.name) for field in fields(self)})


def with_distances(numbers: Floats, usual: Floats, scores: NDArray[np.int64]) -> Floats:
    """Numbers ``[n, k]`` with how far their scores are from the usual ones, ``[n, 2 s]``, and these from each other."""
    there, nothing = np.split(usual, 2, axis=1)
    said = numbers[:, scores]
    return np.hstack([numbers, said - there, said - nothing, there - nothing])


def standardised(numbers: Floats, means: Floats, deviations: Floats) -> Floats:
    """Numbers in deviations from their means; what is very far is no further."""
    return np.asarray(np.clip((numbers - means) / deviations, -_FAR, _FAR), np.float32)


def read_presence(file: Path) -> PresenceModel:
    """Read one that was saved."""
    with file.open("rb") as stream, np.load(stream) as kept:
        return PresenceModel(**{field.name: kept[field.name] for field in fields(PresenceModel)})


@lru_cache(maxsize=1)
def shipped_presence() -> PresenceModel | None:
    """The one that ships with the package."""
    try:
        return read_presence(Path(str(files("visavis.search") / PACKAGE)))
    except UNREADABLE:
        return None
