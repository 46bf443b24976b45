"""Cutters from the package ``rembg``, by the names of its models: ``rembg:isnet-general-use``, ``rembg:u2net`` ...

The models are not part of visavis. ``rembg`` fetches one when it is first used and keeps it in a folder of its own, or
in the one that ``U2NET_HOME`` names; each has a licence of its own.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from visavis.editing.cutout.arrays import FloatArray, resized
from visavis.editing.cutout.base import Cutter
from visavis.errors import MissingExtraError, NotFoundError, VisavisError

PREFIX = "rembg"
DEFAULT_MODEL = "isnet-general-use"
#: Those that work on this machine by their name alone: none that wants a prompt or sends pictures elsewhere, and none
#: whose licence forbids commerce.
MODELS = (
    DEFAULT_MODEL, "isnet-anime", "u2net", "u2netp", "u2net_human_seg", "silueta", "birefnet-general",
    "birefnet-general-lite", "birefnet-portrait", "birefnet-dis", "birefnet-hrsod", "birefnet-massive",
)  # fmt: skip


class RembgCutter(Cutter):
    """One of rembg's models; it takes no hint, so what lies outside of one is dropped afterwards."""

    name = PREFIX

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        """Choose a model by rembg's name for it; it is loaded when first used."""
        if model not in MODELS:
            raise NotFoundError(f"There is no cutter '{PREFIX}:{model}'.", f"Use one of {', '.join(MODELS)}.")
        if self.missing() is not None:
            raise MissingExtraError(f"The cutter '{PREFIX}:{model}'", PREFIX)
        self.name = f"{PREFIX}:{model}"
        self._model = model

    @classmethod
    def missing(cls) -> str | None:
        """The extra to install, unless the package is there."""
        if importlib.util.find_spec("rembg") is not None:
            return None
        return f"Install it with: pip install 'visavis[{PREFIX}]'"

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """The model's mask in the size of the picture."""
        found: FloatArray = np.asarray(_session(self._model).predict(image.convert("RGB"))[0], np.float32) / np.float32(
            255
        )
        if hint is not None:
            found = found * np.clip(resized(hint, image.size) * 2, 0, 1).astype(np.float32)
        return found


@cache
def _session(model: str) -> Any:
    from rembg import new_session

    try:
        return new_session(model, providers=["CPUExecutionProvider"])
    except (OSError, ValueError) as error:  # no network, a refused download, a file with another checksum
        raise VisavisError(
            f"rembg could not get its model '{model}': {error}",
            "Check the network, or put the model's file into a folder and name that in U2NET_HOME.",
        ) from error
