"""Choosing among candidates by weighed features: what is learned from the annotators' habits, run by NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.arrays import UNREADABLE
from visavis.errors import BadInputError, NotFoundError

Features = Mapping[str, float]
FloatArray = NDArray[np.float64]

#: The file beside the network's weights.
CHOICES = "choices.npz"


@dataclass(frozen=True)
class Choice:
    """A log-linear choice: each candidate has features, each feature a weight, the likeliest candidate wins."""

    weights: Mapping[str, float]

    def log_probabilities(self, candidates: Sequence[Features]) -> FloatArray:
        """How likely each candidate is, as logarithms; empty where there is none."""
        scores = np.array([sum(self.weights.get(n, 0.0) * v for n, v in one.items()) for one in candidates])
        if not len(scores):
            return scores
        scores -= scores.max()
        return np.asarray(scores - np.log(np.exp(scores).sum()))


@dataclass(frozen=True)
class Choices:
    """What was learned to fill the holes of drafts with.

    Attributes:
        colour: Which colour a thing has.
        thing: Which thing "the object" is.
        centre: The mean of the text vectors that training saw; similarities are measured from there.
    """

    colour: Choice
    thing: Choice
    centre: NDArray[np.float32]

    def save(self, folder: Path) -> None:
        """Write them beside the network's weights."""
        folder.mkdir(parents=True, exist_ok=True)
        parts: dict[str, NDArray[np.generic]] = {"centre": self.centre}
        for name, choice in (("colour", self.colour), ("thing", self.thing)):
            parts[f"{name}_names"] = np.array(list(choice.weights), dtype=np.str_)
            parts[f"{name}_weights"] = np.array(list(choice.weights.values()), dtype=np.float32)
        np.savez_compressed(folder / CHOICES, **parts)  # type: ignore[arg-type]  # numpy's stub wants plain Any

    @classmethod
    def load(cls, folder: Path) -> Choices:
        """Read what ``save`` wrote."""
        path = folder / CHOICES
        remedy = "Train them with: visavis train commands --data DIR --out FOLDER"
        try:
            with np.load(path, allow_pickle=False) as stored:
                read = {
                    name: Choice(
                        dict(
                            zip(stored[f"{name}_names"].tolist(), stored[f"{name}_weights"].tolist(), strict=True),
                        )
                    )
                    for name in ("colour", "thing")
                }
                return cls(read["colour"], read["thing"], stored["centre"].astype(np.float32))
        except FileNotFoundError:
            raise NotFoundError(f"{path} does not exist.", remedy) from None
        except UNREADABLE as error:
            raise BadInputError(f"{path} cannot be read: {error}.", remedy) from error
