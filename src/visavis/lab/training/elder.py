"""An earlier encoder as a teacher of names: what it knew of single things is not to be forgotten."""

from __future__ import annotations

import torch
from torch import Tensor

from visavis.lab.networks.shipped import fill
from visavis.lab.networks.towers import ImageTower, TextTower
from visavis.lab.training import feed as feeding
from visavis.lab.training.library import Library


class Elder:
    """Vectors of an earlier encoder for the pictures that have names, and for the names, made once."""

    def __init__(self, image: dict[str, Tensor], text: dict[str, Tensor], scale: float, library: Library) -> None:
        self._library, self._scale, self._device = library, scale, library.device
        self._image, self._text = ImageTower(), TextTower()
        fill(self._image, image)
        fill(self._text, text)
        for tower in (self._image, self._text):
            tower.to(self._device).eval().requires_grad_(False)
        self._seen = 0
        self._pictures = self._names = torch.zeros((0, self._image.shape.dimension), device=self._device)

    @torch.no_grad()
    def look(self) -> None:
        """See the pictures with names that have come since the last look, and read every name."""
        library, width = self._library, self._image.shape.dimension
        new, self._seen = library.named[self._seen :], len(library.named)
        if not len(new):
            return
        kept = self._pictures
        self._pictures = torch.zeros((library.count, width), dtype=torch.half, device=self._device)
        self._pictures[: len(kept)] = kept
        self._names = torch.zeros((len(library.texts.rows), width), dtype=torch.half, device=self._device)
        with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self._device.type == "cuda"):
            for some in new.split(512):
                pixels = feeding.resize(library.pixels[some], self._image.shape.image_size)
                self._pictures[some] = self._image(pixels)[0].half()
            for some in library.names.split(2048):
                rows = library.texts.rows[some].long()
                self._names[some] = self._text(rows, (rows > 0).long()).half()

    def logits(self, pictures: Tensor, texts: Tensor) -> Tensor:
        """How well it finds that the names fit, ``[pictures, texts]``, scaled."""
        return self._scale * self._pictures[pictures].float() @ self._names[texts].float().T
