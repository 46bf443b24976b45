"""The built-in cutter: a small network of this project, whose weights are part of the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from visavis.editing.cutout.arrays import FloatArray, pixels, resized
from visavis.editing.cutout.base import Cutter

WEIGHTS = Path(__file__).parent / "weights" / "cutout.onnx"
#: The network sees every picture as a square of this side.
SIDE = 320


class NetworkCutter(Cutter):
    """Picture and hint in, mask out; about a tenth of a second on one core."""

    name: ClassVar[str] = "network"

    @classmethod
    def missing(cls) -> str | None:
        """Nothing, unless the package was built without its weights."""
        return None if WEIGHTS.is_file() else "This installation lacks the cut-out weights: install visavis again."

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """How much each place belongs to the thing."""
        picture = pixels(image, (SIDE, SIDE)).transpose(2, 0, 1)[None]
        guess = np.zeros((SIDE, SIDE), np.float32) if hint is None else resized(hint, (SIDE, SIDE)) * 2 - 1
        logits = _session().run(None, {"picture": np.ascontiguousarray(picture), "hint": guess[None, None]})[0][0, 0]
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), dtype=np.float32)


@cache
def _session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(WEIGHTS.read_bytes(), options, providers=["CPUExecutionProvider"])
