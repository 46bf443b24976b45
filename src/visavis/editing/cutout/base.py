"""The interface of a cutter: from a picture to a soft mask of its main object."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FloatArray = NDArray[np.float32]


class Cutter(ABC):
    """Segments the main object of a picture, or the one that a hint marks.

    A cutter need not be exact at edges: ``refine`` aligns the mask with them in full resolution.
    """

    #: Stable name, stored with each edit that used it.
    name: str

    @classmethod
    @abstractmethod
    def missing(cls) -> str | None:
        """Return what has to be installed before this cutter works, as one sentence; None when it works."""

    @abstractmethod
    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return a mask, 0..1, in the cutter's own resolution.

        Args:
            image: An RGB picture of any size.
            hint: A coarse map of any resolution, 0..1, of the object meant;
                without it, the main object of the picture is meant.
        """
