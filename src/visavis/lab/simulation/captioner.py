"""A simulated user who says how pictures differ by the trained relative captioner; it answers by the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from visavis.errors import NotFoundError
from visavis.lab.datasets.product_attributes import TOP
from visavis.lab.evaluation.gallery import Gallery
from visavis.lab.networks.attributes import top_attributes
from visavis.lab.networks.captioner import SOURCES, Pair
from visavis.lab.simulation.attributes import AttributeUser
from visavis.lab.simulation.base import Strength
from visavis.lab.training.attributes import load_predictor
from visavis.lab.training.captioner import load_captioner


class TrainedUser(AttributeUser):
    """Sees two pictures and the attributes that were predicted of them, never the catalogue's."""

    name = "captioner"

    def __init__(
        self,
        gallery: Gallery,
        attributes: Mapping[str, Mapping[str, Any]],
        captioner: Path,
        predictor: Path,
        strength: Strength | None = None,
        *,
        beam: int = 0,
    ) -> None:
        """Open the networks.

        Args:
            gallery: The pictures.
            attributes: What the catalogue says of each, for descriptions and answers.
            captioner: The run of ``visavis train captioner``.
            predictor: The run of ``visavis train attributes``.
            strength: How good the user is.
            beam: The width of the beam; 0 decodes greedily.
        """
        super().__init__(attributes, strength)
        for folder in (captioner, predictor):
            if not (folder / "best.pt").is_file():
                raise NotFoundError(f"There is no trained network in {folder}.", "Train it with visavis train.")
        self._gallery = gallery
        self._captioner, self._vocabulary, names = load_captioner(captioner)
        self._predictor, _ = load_predictor(predictor)
        self._rows = attributes
        self._words = torch.tensor(self._vocabulary.attribute_rows(names, len(names)))
        self._beam = beam

    def compare(self, shown: Sequence[str], target: str) -> str:
        """Return what the captioner says of the first picture shown and the target."""
        with torch.no_grad():
            return self._said([self._gallery.places[id] for id in (shown[0], target)])

    def _said(self, places: Sequence[int]) -> str:
        whole = torch.from_numpy(np.asarray(self._gallery.whole[places], np.float32))
        regions = torch.from_numpy(np.asarray(self._gallery.regions[places], np.float32))
        rows = self._words[top_attributes(self._predictor(whole, regions), TOP)]
        source = torch.tensor([SOURCES.index("products")])
        pair = Pair(source, whole[:1] - whole[1:], torch.ones(1), rows[:1], rows[1:])
        numbers = self._captioner.beam(pair, self._beam) if self._beam else self._captioner.greedy(pair)
        return self._vocabulary.text(numbers[0].tolist()) or "is similar"
