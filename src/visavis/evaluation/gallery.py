"""The pictures among which a target is looked for, as vectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from visavis.arrays import UNREADABLE
from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, NotFoundError


@dataclass(frozen=True, eq=False)
class Gallery:
    """Pictures as vectors.

    Attributes:
        ids: What each is called.
        whole: ``[n, d]``, unit length.
        regions: ``[n, r, d]``, unit length.
        attributes: What the catalogue says of each; empty where there is none.
    """

    ids: tuple[str, ...]
    whole: FloatArray
    regions: FloatArray
    attributes: tuple[Mapping[str, Any], ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each picture stands."""
        return {id: place for place, id in enumerate(self.ids)}

    def with_attributes(self, attributes: Mapping[str, Mapping[str, Any]]) -> Gallery:
        """The same pictures, those that the catalogue knows."""
        kept = [place for place, id in enumerate(self.ids) if id in attributes]
        part = self._only(kept)
        return Gallery(part.ids, part.whole, part.regions, tuple(attributes[id] for id in part.ids))

    def of_size(self, size: int | None, targets: Collection[str], seed: int = 0) -> Gallery:
        """So many pictures: all targets, and others drawn by a seed; a smaller one is part of every larger one."""
        if size is None or size >= len(self):
            return self
        inside = [place for id, place in self.places.items() if id in set(targets)]
        if size < len(inside):
            raise BadInputError(f"A gallery of {size} does not hold {len(inside)} targets.", "Ask for a larger one.")
        others = np.setdiff1d(np.arange(len(self)), inside)
        drawn = np.random.default_rng(seed).permutation(others)[: size - len(inside)]
        return self._only(sorted([*inside, *drawn.tolist()]))

    def _only(self, places: Sequence[int]) -> Gallery:
        attributes = tuple(self.attributes[place] for place in places) if self.attributes else ()
        return Gallery(tuple(self.ids[p] for p in places), self.whole[places], self.regions[places], attributes)


def load_gallery(file: Path) -> Gallery:
    """Read a file of vectors: ``ids``, ``whole`` and ``regions`` in one ``.npz``."""
    try:
        with np.load(file) as content:
            ids = tuple(str(id) for id in content["ids"])
            whole = np.asarray(content["whole"], np.float32)
            regions = np.asarray(content["regions"])
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file of vectors {file}.", "Name it with --embeddings.") from error
    except UNREADABLE as error:
        raise BadInputError(f"{file} is no file of vectors: {error}.", "It needs ids, whole and regions.") from error
    if not len(ids) == len(whole) == len(regions) or whole.ndim != 2 or regions.ndim != 3:
        raise BadInputError(f"The vectors in {file} do not fit its ids.", "Make the file anew.")
    return Gallery(ids, whole, regions)
