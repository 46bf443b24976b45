"""What every cutter does: a picture in, a soft mask of its main thing out."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FloatArray = NDArray[np.float32]


class Cutter(ABC):
    """Finds the main thing of a picture, or the thing that a hint points at.

    A cutter need not be exact at edges: ``refine`` follows them afterwards in full resolution.
    """

    #: Stable name, stored with each edit that used it.
    name: str

    @classmethod
    @abstractmethod
    def missing(cls) -> str | None:
        """What has to be done before this cutter works, as one sentence; None when it works."""

    @abstractmethod
    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """How much each place belongs to the thing, 0..1, in whatever resolution the cutter works.

        Args:
            image: An RGB picture of any size.
            hint: A coarse map of any resolution, 0..1, of how much each place belongs to the thing meant;
                without it, the main thing of the picture is meant.
        """
