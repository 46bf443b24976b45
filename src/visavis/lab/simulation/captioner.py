"""A simulated user who sees pictures: compares by the trained captioner, and answers by predicted attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visavis.errors import NotFoundError
from visavis.lab.datasets.product_attributes import TOP
from visavis.lab.evaluation.gallery import Gallery
from visavis.lab.networks.captioner import SOURCES, Pair
from visavis.lab.networks.fashioniq import top_attributes
from visavis.lab.simulation.base import DONT_KNOW, NO, YES, Asked, Strength, read_question
from visavis.lab.simulation.captions import AttributeUser
from visavis.lab.training.attributes import load_predictor
from visavis.lab.training.captioner import load_captioner

#: Attributes that are named to a question that is open.
_NAMED = 2


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
            attributes: The pictures that the catalogue has; what it says of them is not read.
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
        self._predictor, table = load_predictor(predictor)
        self._names = table.names
        self._words = torch.tensor(self._vocabulary.attribute_rows(names, len(names)))
        self._beam = beam
        self._known: dict[tuple[int, int], str] = {}

    def describe(self, target: str) -> str:
        """Return how the target differs from any other picture."""
        drawn = int(self.strength.rng("describe", target).integers(len(self._gallery)))
        return self.compare([self._gallery.ids[drawn]], target)

    def compare(self, shown: Sequence[str], target: str) -> str:
        """Return what the captioner says of the first picture shown and the target."""
        places = self._gallery.places[shown[0]], self._gallery.places[target]
        if places not in self._known:  # a captioner says the same of the same pictures
            with torch.no_grad():
                self._known[places] = self._said(places)
        return self._known[places]

    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:
        """Name attributes that were not yet said, or judge by them; it cannot tell where no option is one of them."""
        if read_question(question.text, question.options, bool(question.pictures)).form == "open":
            named = [str(name) for name in self._of(target).values() if str(name) not in " ".join(said)]
            return ", ".join(named[:_NAMED]) or DONT_KNOW
        reply = super()._reply(question, target, said)
        return reply if reply in (YES, NO, *question.options) else DONT_KNOW

    def _of(self, target: str) -> Mapping[str, Any]:
        """The attributes that were predicted of a picture; those of the catalogue are not seen."""
        super()._of(target)
        with torch.no_grad():
            numbers = self._attributes([self._gallery.places[target]])[2][0].tolist()
        return {str(place): self._names[number] for place, number in enumerate(numbers)}

    def _attributes(self, places: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """Whole vectors, regions, and the numbers of the attributes that are predicted of them."""
        whole = torch.from_numpy(np.asarray(self._gallery.whole[list(places)], np.float32))
        regions = torch.from_numpy(np.asarray(self._gallery.regions[list(places)], np.float32))
        return whole, regions, top_attributes(self._predictor(whole, regions), TOP)

    def _said(self, places: Sequence[int]) -> str:
        whole, _, numbers = self._attributes(places)
        rows = self._words[numbers]
        source = torch.tensor([SOURCES.index("products")])
        pair = Pair(source, whole[:1] - whole[1:], torch.ones(1), rows[:1], rows[1:])
        numbers = self._captioner.beam(pair, self._beam) if self._beam else self._captioner.greedy(pair)
        return self._vocabulary.text(numbers[0].tolist()) or "is similar"
