"""The gallery that is searched for a target, as vectors, and as a model-based user sees it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from visavis.encoders.base import Encoder, FloatArray
from visavis.errors import BadInputError, NotFoundError
from visavis.lab.simulation.model import other_view
from visavis.types import UNREADABLE


@dataclass(frozen=True, eq=False)
class Gallery:
    """Pictures as vectors.

    Attributes:
        ids: The pictures' ids.
        whole: ``[n, d]``, unit length.
        regions: ``[n, r, d]``, unit length.
        attributes: The catalogue's attributes of each; empty where there is none.
    """

    ids: tuple[str, ...]
    whole: FloatArray
    regions: FloatArray
    attributes: tuple[Mapping[str, Any], ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each picture."""
        return {id: place for place, id in enumerate(self.ids)}

    def with_attributes(self, attributes: Mapping[str, Mapping[str, Any]]) -> Gallery:
        """Return the same pictures with attributes; those without any are dropped."""
        kept = [place for place, id in enumerate(self.ids) if id in attributes]
        part = self._only(kept)
        return Gallery(part.ids, part.whole, part.regions, tuple(attributes[id] for id in part.ids))

    def of_category(self, field: str, value: str) -> Gallery:
        """Return the pictures whose attribute has this value."""
        return self._only([place for place, own in enumerate(self.attributes) if str(own.get(field) or "") == value])

    def of_size(self, size: int | None, targets: Collection[str], seed: int = 0) -> Gallery:
        """Return a sample of pictures: all targets, and others drawn by a seed; samples are nested."""
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
    """Read what ``visavis bench embed`` wrote into a folder, or ``ids``, ``whole`` and ``regions`` in one ``.npz``."""
    try:
        if file.is_dir():
            ids = read_ids(file)
            content = {name: np.load(file / f"{name}.npy", mmap_mode="r") for name in ("whole", "regions")}
        else:
            with np.load(file) as opened:
                content = {name: opened[name] for name in ("ids", "whole", "regions")}
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


def read_ids(folder: Path) -> tuple[str, ...]:
    """Read the ids of a folder of vectors: ``ids.npy``, or a list in ``ids.json``."""
    listed = folder / "ids.json"
    found = json.loads(listed.read_text("utf-8")) if listed.is_file() else np.load(folder / "ids.npy")
    return tuple(str(id) for id in found)


def other_views(ids: Iterable[str], folder: Path, encoder: Encoder) -> dict[str, FloatArray]:
    """Return the vector of the other view of each picture that is in the folder."""
    views: dict[str, FloatArray] = {}
    for id in ids:
        file = next((f for name in (id, id.zfill(12)) if (f := folder / f"{name}.jpg").is_file()), None)
        if file is None:
            continue
        try:
            with Image.open(file) as image:
                views[id] = encoder.encode_images([other_view(image)])[0]
        except (OSError, UnidentifiedImageError):
            continue
    return views
