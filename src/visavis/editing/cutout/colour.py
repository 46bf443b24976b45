"""The cutter without weights: the object is what differs in colour from the picture's border."""

from __future__ import annotations

import numpy as np
from PIL import Image

from visavis.editing.cutout.base import Cutter
from visavis.editing.cutout.masks import FloatArray, box_mean, pixels, resized

_SIDE = 160
_LEVELS = 12
_ROUNDS = 6
#: Weight of the distance from the centre against colour.
_PLACE_WEIGHT = 1.2


class ColourCutter(Cutter):
    """Colour models of object and background, fitted to the picture itself in a few iterations.

    It works on plain backgrounds, such as product photos; elsewhere a learned cutter
    is far better. It is the fallback when no weights are installed.
    """

    name = "colour"

    @classmethod
    def missing(cls) -> str | None:
        """Return None: it needs no weights."""
        return None

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        """Return how much each pixel resembles the object rather than the border."""
        colours = pixels(image, (_SIDE, _SIDE))
        codes = _codes(colours)
        place = _middle() if hint is None else np.clip(resized(hint, (_SIDE, _SIDE)), 0.02, 0.98)
        belief = place.copy()
        if hint is None:
            belief *= 1 - _rim_likeness(codes)
        for _ in range(_ROUNDS):
            thing, ground = _histogram(codes, belief), _histogram(codes, 1 - belief)
            evidence = np.log(thing[codes] + 1e-5) - np.log(ground[codes] + 1e-5)
            evidence += _PLACE_WEIGHT * np.log(place / (1 - place))
            belief = box_mean((1 / (1 + np.exp(-np.clip(evidence, -12, 12)))).astype(np.float32), 2)
        return belief


def _codes(colours: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Quantise each colour to one number."""
    steps = np.minimum((colours * _LEVELS).astype(np.int64), _LEVELS - 1)
    return np.asarray((steps[..., 0] * _LEVELS + steps[..., 1]) * _LEVELS + steps[..., 2])


def _histogram(codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]], weights: FloatArray) -> FloatArray:
    """Return a histogram of colours, smoothed over neighbours so that a small change of shade counts the same."""
    counts = np.bincount(codes.ravel(), weights.ravel(), _LEVELS**3).reshape(_LEVELS, _LEVELS, _LEVELS)
    for axis in range(3):
        padded = np.pad(counts, [(1, 1) if a == axis else (0, 0) for a in range(3)], mode="edge")
        before, after = np.take(padded, range(_LEVELS), axis), np.take(padded, range(2, _LEVELS + 2), axis)
        counts = 0.5 * counts + 0.25 * (before + after)
    return np.asarray((counts / max(counts.sum(), 1e-9)).ravel(), dtype=np.float32)


def _rim_likeness(codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> FloatArray:
    """Return how typical each pixel's colour is of the border, which the background nearly always touches."""
    rim = np.zeros(codes.shape, np.float32)
    edge = _SIDE // 16
    rim[:edge] = rim[-edge:] = 1
    rim[:, :edge] = rim[:, -edge:] = 1
    of_rim, of_all = _histogram(codes, rim), _histogram(codes, np.ones_like(rim))
    share = of_rim[codes] / (of_rim[codes] + of_all[codes] + 1e-9)
    return np.clip(share * 1.6, 0, 0.98).astype(np.float32)


def _middle() -> FloatArray:
    line = np.linspace(-1, 1, _SIDE, dtype=np.float32)
    far = np.maximum(np.abs(line)[:, None], np.abs(line)[None, :])
    round_far = np.hypot(line[:, None], line[None, :]) / np.float32(np.sqrt(2))
    return np.clip(0.85 - 0.75 * (0.5 * far + 0.5 * round_far) ** 1.5, 0.03, 0.97).astype(np.float32)
