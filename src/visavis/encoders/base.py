"""What every encoder does: pictures and words become vectors of one space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from visavis.types import FloatArray as FloatArray


@dataclass(frozen=True)
class Encoded:
    """Everything one pass over a batch of pictures gives.

    Attributes:
        whole: One vector a picture, ``[n, d]``.
        regions: Several vectors a picture, ``[n, r, d]``.
        boxes: Where each region lies, ``[r, 4]`` as left, top, right, bottom in 0..1 of the picture.
    """

    whole: FloatArray
    regions: FloatArray
    boxes: FloatArray


class Encoder(ABC):
    """Turns pictures and words into unit vectors of one space.

    Every vector that leaves an encoder has length one, so a dot product is a cosine. A batch gives the
    same vectors as its members one by one (within rounding), and an empty batch gives an empty array.
    """

    #: Stable name, stored with each collection; a collection is only searched with the encoder that built it.
    name: str
    #: Length of the vectors.
    dimension: int

    @property
    def fingerprint(self) -> str:
        """Changes when the weights do, even where the name stays; the key of cached vectors."""
        return self.name

    @abstractmethod
    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        """Whole and region vectors in one pass: what indexing uses."""

    @abstractmethod
    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """One vector a text, ``[n, d]``; texts longer than the model reads are cut at its end."""

    @abstractmethod
    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        """A fine grid of vectors ``[n, rows, columns, d]`` over each picture, for finding where a thing lies."""

    def encode_images(self, images: Sequence[Image.Image]) -> FloatArray:
        """One vector a picture, ``[n, d]``."""
        return self.encode_pictures(images).whole

    def encode_regions(self, images: Sequence[Image.Image]) -> tuple[FloatArray, FloatArray]:
        """Region vectors ``[n, r, d]`` and their boxes ``[r, 4]``."""
        encoded = self.encode_pictures(images)
        return encoded.regions, encoded.boxes

    def damage(self) -> list[str]:
        """The names of this encoder's files that are missing or altered; reads them whole, so not for every start."""
        return []

    def calibration(self) -> dict[str, float]:
        """Numbers that turn a cosine of this encoder into a probability; empty when it was never calibrated."""
        return {}
