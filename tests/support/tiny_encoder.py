"""An encoder small enough to read: colours of pictures, colour words of texts. Same input, same vectors, everywhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from PIL import Image

from visavis.encoders.base import Encoded, Encoder, FloatArray

COLOURS = {
    "black": (0, 0, 0), "white": (255, 255, 255), "grey": (128, 128, 128), "red": (220, 20, 20),
    "green": (20, 180, 40), "blue": (30, 60, 220), "yellow": (240, 230, 30), "orange": (250, 140, 20),
    "purple": (130, 30, 160), "pink": (250, 150, 190), "brown": (120, 70, 30), "cyan": (30, 220, 220),
}  # fmt: skip
_GRID = 3
_BINS = 6


class TinyEncoder(Encoder):
    """Soft colour histograms; a word that is no colour adds a little noise of its own."""

    name = "tiny-test"
    dimension = _BINS**3

    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        boxes = np.array(
            [(x / _GRID, y / _GRID, (x + 1) / _GRID, (y + 1) / _GRID) for y in range(_GRID) for x in range(_GRID)],
            dtype=np.float32,
        )
        if not images:
            empty = np.zeros((0, self.dimension), np.float32)
            return Encoded(empty, np.zeros((0, len(boxes), self.dimension), np.float32), boxes)
        side = 8 * _GRID
        pixels = np.stack([np.asarray(image.convert("RGB").resize((side, side))) for image in images])
        cells = pixels.reshape(len(images), _GRID, 8, _GRID, 8, 3).swapaxes(2, 3).reshape(len(images), -1, 64, 3)
        regions = _histogram(cells)
        return Encoded(_unit(regions.mean(axis=1)), _unit(regions), boxes)

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        return np.array([_text(text) for text in texts], np.float32).reshape(len(texts), self.dimension)

    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        regions = self.encode_pictures(images).regions
        return regions.reshape(len(images), _GRID, _GRID, self.dimension)


def _histogram(pixels: np.ndarray) -> FloatArray:
    """Shares of colours, each pixel spread over the bins around it."""
    centres = (np.arange(_BINS) + 0.5) * 256 / _BINS
    near = np.exp(-0.5 * ((pixels[..., None] - centres) / 30.0) ** 2)
    joint = np.einsum("...pa,...pb,...pc->...abc", near[..., 0, :], near[..., 1, :], near[..., 2, :])
    flat = joint.reshape(*joint.shape[:-3], -1)
    return np.sqrt(flat / flat.sum(-1, keepdims=True)).astype(np.float32)


def _text(text: str) -> FloatArray:
    vector = np.zeros(_BINS**3, np.float32)
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in COLOURS:
            vector += _unit(_histogram(np.array(COLOURS[word], np.float32).reshape(1, 3)))
        else:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "big")
            noise = np.random.default_rng(seed).normal(size=_BINS**3).astype(np.float32)
            vector += 0.1 * _unit(noise)
    return _unit(vector if vector.any() else np.ones_like(vector))


def _unit(vectors: FloatArray) -> FloatArray:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
