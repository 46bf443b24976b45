"""The built-in cutter: a small decoder of this project on the built-in encoder's patches; both are in the package."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from visavis.editing.cutout.arrays import FloatArray, pixels, resized
from visavis.editing.cutout.base import Cutter
from visavis.encoders import load_encoder
from visavis.encoders.builtin import WEIGHTS as ENCODER_WEIGHTS
from visavis.encoders.description import read_description
from visavis.errors import NotFoundError, StorageError

WEIGHTS = Path(__file__).parent / "weights"


class NetworkCutter(Cutter):
    """The encoder's patches say what is where, the decoder draws it along the picture's edges."""

    name: ClassVar[str] = "network"

    @classmethod
    def missing(cls) -> str | None:
        """Nothing, unless the package lacks its weights or they belong to another encoder."""
        try:
            encoder = read_description(ENCODER_WEIGHTS).name
            trained_for = json.loads((WEIGHTS / "cutout.json").read_text("utf-8"))["encoder"]
        except (NotFoundError, StorageError, OSError, ValueError, KeyError):
            return "This installation lacks the weights for cut-outs: install visavis again."
        if encoder != trained_for:
            return f"The cut-out weights belong to the encoder '{trained_for}', not to '{encoder}': train them anew."
        return None

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """How much each place belongs to the thing."""
        session = _session()
        side = int(session.get_inputs()[0].shape[-1])
        rgb = image.convert("RGB")
        guess = np.zeros((side, side), np.float32) if hint is None else resized(hint, (side, side)) * 2 - 1
        feeds = {
            "picture": np.ascontiguousarray(pixels(rgb, (side, side)).transpose(2, 0, 1)[None]),
            "patches": load_encoder().encode_patches([rgb]),
            "hint": guess[None, None],
        }
        logits = session.run(None, feeds)[0][0, 0]
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), dtype=np.float32)


@cache
def _session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # one thread is as fast for so small a network, and the same everywhere
    return onnxruntime.InferenceSession(str(WEIGHTS / "cutout.onnx"), options, providers=["CPUExecutionProvider"])
