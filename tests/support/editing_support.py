"""For the tests of editing: an encoder that sees colours, a cutter with a fixed mask, tiny pictures."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.demo import describe
from visavis.demo.painter import paint_look
from visavis.editing.cutout.cutters import Cutter, FloatArray
from visavis.encoders.base import Encoded, Encoder

#: Each word means a colour: an encoder for tests that truly sees where something is.
MEANINGS = {
    "dog": (200, 60, 40),
    "sky": (60, 110, 220),
    "grass": (40, 160, 50),
    "person": (230, 200, 60),
}


class ColourEncoder(Encoder):
    """Patches are mean colours, words are the colours they stand for; unknown words are like nothing."""

    name = "colours"
    dimension = 64

    def encode_pictures(self, images: Sequence[Image.Image]) -> Encoded:
        raise NotImplementedError

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        rows = []
        for text in texts:
            known = [colour for word, colour in MEANINGS.items() if word in text.split()]
            rows.append(_vector(np.array(known[0], np.float32)) if known else _nothing(text))
        return np.stack(rows)

    def encode_patches(self, images: Sequence[Image.Image]) -> FloatArray:
        grids = [
            np.asarray(image.convert("RGB").resize((16, 16), Image.Resampling.BOX), np.float32) for image in images
        ]
        return np.stack([np.stack([np.stack([_vector(pixel) for pixel in row]) for row in grid]) for grid in grids])


def _vector(colour: FloatArray) -> FloatArray:
    """Near colours are near vectors, far ones are at right angles: random waves over the colours."""
    random = np.random.default_rng(7)
    directions = random.normal(0, 1 / 45, (3, 32)).astype(np.float32)
    waves = colour @ directions
    vector = np.concatenate([np.cos(waves), np.sin(waves)]).astype(np.float32)
    return vector / np.linalg.norm(vector)


def _nothing(text: str) -> FloatArray:
    vector = np.random.default_rng(sum(text.encode())).normal(size=64).astype(np.float32)
    return vector / np.linalg.norm(vector)


class FixedCutter(Cutter):
    """Always answers with the same mask, or with the hint when there is one."""

    name = "fixed"

    def __init__(self, mask: FloatArray) -> None:
        self._mask = mask

    @classmethod
    def missing(cls) -> str | None:
        return None

    def mask(self, image: Image.Image, hint: FloatArray | None = None) -> FloatArray:
        return self._mask if hint is None else hint


def picture(values: Sequence[Sequence[tuple[int, ...]]]) -> Image.Image:
    """A tiny picture from rows of colours."""
    return Image.fromarray(np.array(values, np.uint8))


def values(image: Image.Image) -> list[list[tuple[int, ...]]]:
    """The colours of a tiny picture, row by row."""
    return [[tuple(int(v) for v in pixel) for pixel in row] for row in np.asarray(image)]


def drawn_garment(seed: int, number: int, size: tuple[int, int], chance: int) -> Image.Image:
    """A garment of the demo on nothing: its alpha channel is its exact mask."""
    canvas = paint_look(describe(seed, number).look, size, Random(chance))
    cover = np.clip(canvas.cover, 0, 1)
    colours = np.clip(canvas.colour / np.maximum(cover, 1e-3), 0, 1).transpose(1, 2, 0)
    return Image.fromarray((np.dstack([colours, cover]) * 255 + 0.5).astype(np.uint8))


def overlap(one: Image.Image | NDArray[Any], other: Image.Image | NDArray[Any]) -> float:
    """Intersection over union of two masks, each of 0..255."""
    first, second = np.asarray(one) >= 128, np.asarray(other) >= 128
    return float((first & second).sum() / max((first | second).sum(), 1))
