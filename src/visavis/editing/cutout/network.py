"""The built-in cutter: the encoder's patches locate the object, an outline network finds its border."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from visavis.editing.cutout.base import Cutter
from visavis.editing.cutout.masks import FloatArray, averaged, pixels, resized, within_reach
from visavis.encoders.builtin import WEIGHTS as ENCODER_WEIGHTS
from visavis.encoders.description import read_description
from visavis.encoders.tower import open_model
from visavis.errors import NotFoundError, StorageError

WEIGHTS = Path(__file__).parent / "weights"
#: Side of the network's input: finer outlines than at 256, and still a tenth of a second.
SIDE = 320
#: Grid of the first mask that becomes the hint of the second pass.
_GRID = 12
#: The patches' weight where they overlap the first mask by more than this; below, they mean another object.
_TRUST = ((0.5, 0.75), (0.3, 0.5))
#: Sharpens the logits: a half-transparent object looks like a ghost in the cut-out.
_DECIDED = 2.5


class NetworkCutter(Cutter):
    """Two passes: the first mask, combined with the encoder's patches, is the hint of the second.

    The patches see whole objects, of which the outline network may see a part; but they prefer familiar objects,
    which need not be the main one. So they count only where both mean the same object. Measured on 45 pictures of
    each set not trained on (IoU of pets, people, drawn garments): the first mask as the hint .922 .872 .945, its mean
    with the patches .949 .881 .920, this method .957 .886 .933.
    """

    name = "network"

    @classmethod
    def missing(cls) -> str | None:
        """Return None, unless the package lacks its weights."""
        if not (WEIGHTS / "outline.onnx").is_file():
            return "This installation lacks the weights for cut-outs: install visavis again."
        return None

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return the mask of the object, at 320 x 320."""
        rgb = image.convert("RGB")
        seen = pixels(rgb, (SIDE, SIDE)).transpose(2, 0, 1)[None]
        if hint is None:
            own, known = averaged(_outline(seen, None), (_GRID, _GRID)), _patches(rgb)
            return _decided(seen, own if known is None else _joined(own, resized(known, (_GRID, _GRID))))
        # The network alone does not drop a second object that is as salient as the one meant.
        return _decided(seen, hint) * within_reach(hint, (SIDE, SIDE))


def _joined(own: FloatArray, known: FloatArray) -> FloatArray:
    """Combine two masks by their overlap; the first alone if they mark different objects."""
    shared = float(np.minimum(own, known).sum() / max(float(np.maximum(own, known).sum()), 1e-6))
    trust = next((trust for least, trust in _TRUST if shared > least), 0.0)
    return np.asarray(own * (1 - trust) + known * trust, dtype=np.float32)


def _outline(seen: FloatArray, hint: FloatArray | None) -> FloatArray:
    return _chances(_logits(seen, hint))


def _decided(seen: FloatArray, hint: FloatArray) -> FloatArray:
    return _chances(_logits(seen, hint) * _DECIDED)


def _logits(seen: FloatArray, hint: FloatArray | None) -> FloatArray:
    guide = np.zeros((SIDE, SIDE), np.float32) if hint is None else resized(hint, (SIDE, SIDE)) * 2 - 1
    found: FloatArray = _session("outline.onnx").run(None, {"picture": seen, "hint": guide[None, None]})[0][0, 0]
    return found


def _patches(rgb: Image.Image) -> FloatArray | None:
    """Return how much of each of the encoder's patches the main object covers; None for an unknown encoder."""
    if not _has_head():
        return None
    from visavis.encoders import load_encoder

    patches = load_encoder().encode_patches([rgb])
    nothing = np.zeros((1, 1, *patches.shape[1:3]), np.float32)
    return _chances(_session("cutout.onnx").run(None, {"patches": patches, "hint": nothing})[0][0, 0])


@cache
def _has_head() -> bool:
    try:
        encoder = read_description(ENCODER_WEIGHTS).name
        return bool(json.loads((WEIGHTS / "cutout.json").read_text("utf-8"))["encoder"] == encoder)
    except (NotFoundError, StorageError, OSError, ValueError, KeyError):
        return False


def _chances(logits: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), dtype=np.float32)


@cache
def _session(name: str) -> Any:
    # One thread: the same result everywhere, and a server uses its other cores for other pictures.
    return open_model(WEIGHTS / name)
