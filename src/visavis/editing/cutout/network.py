"""The built-in cutter: a small head of this project on the built-in encoder's patches; both are in the package."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from visavis.editing.cutout.arrays import FloatArray, resized, within_reach
from visavis.editing.cutout.base import Cutter
from visavis.editing.cutout.colour import ColourCutter
from visavis.encoders import load_encoder
from visavis.encoders.builtin import WEIGHTS as ENCODER_WEIGHTS
from visavis.encoders.description import read_description
from visavis.errors import NotFoundError, StorageError

WEIGHTS = Path(__file__).parent / "weights"


class NetworkCutter(Cutter):
    """A head on the encoder's patches says roughly where the thing is, colour models say how far it reaches."""

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
        """How much each place belongs to the thing: patches tell what, colours tell how far it reaches."""
        rgb = image.convert("RGB")
        patches = load_encoder().encode_patches([rgb])
        grid = patches.shape[1]
        guess = np.zeros((grid, grid), np.float32) if hint is None else resized(hint, (grid, grid)) * 2 - 1
        logits = _session().run(None, {"patches": patches, "hint": guess[None, None]})[0][0, 0]
        coarse = np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), dtype=np.float32)
        if hint is None:
            return ColourCutter().mask(rgb, coarse)
        # The head alone does not let go of a second thing that stands out as much as the one that is meant.
        found = ColourCutter().mask(rgb, coarse * within_reach(hint, (grid, grid)))
        return found * within_reach(hint, found.shape[::-1])


@cache
def _session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # one thread is as fast for so small a network, and the same everywhere
    return onnxruntime.InferenceSession(str(WEIGHTS / "cutout.onnx"), options, providers=["CPUExecutionProvider"])
