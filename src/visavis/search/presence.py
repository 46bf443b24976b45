"""Whether anything in a collection fits a text, and from where on a picture does: a small network on its numbers.

Its numbers are those of the text's best pictures, how the text stands to reference pictures and nouns
(:mod:`visavis.search.reference`), and how far its highest cosines are from what is usual for such a text: a linear map
of the text's vector tells them for texts that fit something, and for texts that fit nothing. The line from which on a
picture matches is a linear function of the same numbers, fitted so that as many pictures match as are true.

That function knows things, which are rare. What is true of many pictures ("outside", "people") stands out from none of
them: its scores are two groups, and the line lies between the groups (:func:`groups_of`). A logistic regression on all
numbers and on how the groups lie tells whether a text is one of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from visavis.types import UNREADABLE, FloatArray

#: The file that ships with the package.
PACKAGE = "presence.npz"
#: Numbers further from their mean than so many deviations say no more.
_FAR = 3.0
#: Log-odds from which on a picture matches: no further from one half than this.
_LEAST_CUT, _MOST_CUT = -3.5, 2.5

#: How decidedly, and from which log-odds on, a text is taken for one that is true of many pictures: by itself, and
#: where it is added to a topic, of which people say what many have.
_DECIDED, _DOUBT, _ADDED = 3.0, 0.5, -0.5
#: From these log-odds on it speaks for its being there that a text is true of many pictures, and how much. Fitted on
#: properties of half of the photos.
_THERE, _SPEAKS = 0.6, 1.5
#: Below this no groups make it one; seven of ten texts are, and a millisecond is saved.
_HOPELESS = -2.5
#: Fewer pictures than this form no groups; so many points stand for all of them.
_FEWEST, _POINTS = 100, 128
_ROUNDS, _NARROWEST = 25, 0.1

Floats = NDArray[np.floating[Any]]

#: How the scores of a text fall into two groups: by their log-odds and by looks with groups of one width, by their
#: log-odds with groups of any width; and how far the best stand out.
GROUPS = ("share", "apart", "share by looks", "apart by looks", "share of any width", "apart of any width", "best")


class MatchLines(NamedTuple):
    """The log-odds from which on a picture matches a text.

    Attributes:
        alone: Where the text is all that is wanted.
        added: Where it is added to a topic.
        usual: If it is the name of a thing, which is rare.
    """

    alone: float = 0.0
    added: float = 0.0
    usual: float = 0.0

    def lower(self, by: float) -> MatchLines:
        """The lines of a text that is true of more pictures than it was fitted on, where it is all that is wanted."""
        return self._replace(alone=self.alone - by, added=min(self.added, self.alone))


@dataclass(frozen=True)
class ScoreGroups:
    """How the scores of a text fall into two groups.

    Attributes:
        numbers: What :data:`GROUPS` names.
        line: The log-odds that part as many pictures from the others as are in the higher group by looks.
    """

    numbers: FloatArray
    line: float


def groups_of(logits: FloatArray, looks: FloatArray, best: float) -> ScoreGroups | None:
    """How the scores of a text fall into two groups; None where there are too few.

    Args:
        logits: The log-odds of each picture, ``[n]``.
        looks: How far each stands out, without what is squared in the log-odds, ``[n]``.
        best: How far the best stand out.
    """
    if len(logits) < _FEWEST:
        return None
    points = (np.arange(_POINTS) + 0.5) / _POINTS
    by_odds, by_looks = np.quantile(logits, points), np.quantile(looks, points)
    share, apart = _two_groups(np.stack([by_odds, by_looks, by_odds]), np.array([True, True, False]))
    told = [number for pair in zip(np.log(share), apart, strict=True) for number in pair]
    line = float(np.quantile(logits, 1 - share[1]))
    return ScoreGroups(np.array([*told, best], np.float32), line)


def _two_groups(values: Floats, alike: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Two normal distributions in each row of values ``[m, n]``: the share of the higher, how many widths apart.

    Args:
        values: Sorted in each row.
        alike: In which rows both have the same width.
    """
    number = values.shape[1]
    low, high = values[:, number // 5 : number // 5 + 1], values[:, number * 9 // 10 : number * 9 // 10 + 1]
    narrow = wide = np.maximum(values.std(axis=1, keepdims=True) / 2, _NARROWEST)
    share, alike = np.full((len(values), 1), 0.5), alike[:, None]
    for _ in range(_ROUNDS):
        ours = share / wide * np.exp(-0.5 * ((values - high) / wide) ** 2)
        theirs = (1 - share) / narrow * np.exp(-0.5 * ((values - low) / narrow) ** 2)
        belongs = ours / (ours + theirs + 1e-30)
        total = belongs.sum(axis=1, keepdims=True) + 1e-9
        rest = number - total + 2e-9
        share = np.clip(total / number, 0.01, 0.99)
        high, low = ((part * values).sum(axis=1, keepdims=True) for part in (belongs / total, (1 - belongs) / rest))
        upper, lower = belongs * (values - high) ** 2, (1 - belongs) * (values - low) ** 2
        upper, lower = upper.sum(axis=1, keepdims=True), lower.sum(axis=1, keepdims=True)
        both = (upper + lower) / number
        wide = np.sqrt(np.maximum(np.where(alike, both, upper / total), _NARROWEST**2))
        narrow = np.sqrt(np.maximum(np.where(alike, both, lower / rest), _NARROWEST**2))
    return share[:, 0], ((high - low) / np.sqrt((wide**2 + narrow**2) / 2))[:, 0]


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
        common: From the numbers and what :data:`GROUPS` names to the log-odds that a text is true of many pictures,
            ``[k + g + 1]``.
        common_scale: The means of the latter and their deviations, ``[2, g]``.
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
    common: Floats
    common_scale: Floats

    def decide(
        self, numbers: FloatArray, vector: FloatArray, groups: Callable[[], ScoreGroups | None] | None = None
    ) -> tuple[float, MatchLines]:
        """The log-odds that anything fits, and those from which on a picture does.

        Args:
            numbers: What :data:`visavis.search.probability.REFERENCED` names.
            vector: The text.
            groups: Tells how its scores fall into two groups; asked only where that can change anything.
        """
        row = np.append(self._row(numbers[None], vector[None])[0], np.float32(1))
        hidden = np.tanh(np.einsum("k,mkh->mh", row, self.inner))
        logit = float(((hidden * self.outer).sum(axis=1) + self.direct @ row).mean())
        usual = float(np.clip(self.cut @ row, _LEAST_CUT, _MOST_CUT))
        many = float(self.common[: len(row) - 1] @ row[:-1] + self.common[-1])
        found = groups() if groups is not None and many > _HOPELESS else None
        if found is None or found.line >= usual:
            return logit, MatchLines(usual, usual, usual)
        many += float(self.common[len(row) - 1 : -1] @ standardised(found.numbers, *self.common_scale))
        lower = [(usual - found.line) / (1 + math.exp(-_DECIDED * (many - doubt))) for doubt in (_DOUBT, _ADDED)]
        # What is true of many pictures is there, though the best of them do not stand out.
        there = logit + _SPEAKS * max(0.0, many - _THERE)
        return there, MatchLines(usual - lower[0], usual - lower[1], usual)

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
