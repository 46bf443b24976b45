"""What lies behind a thing: a studio wall, or boards."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.demo.items import BACKGROUND_COLOURS


def backdrop(name: str, width: int, height: int, random: Random) -> NDArray[np.float32]:
    """Pixels in 0..1 of a background, softly lit from the upper left."""
    base = np.array(BACKGROUND_COLOURS[name], np.float32) / np.float32(255)
    across, down = random.uniform(0.3, 0.5), random.uniform(0.25, 0.45)
    light = _glow(width, height)(across, down)
    if name == "wooden":
        pixels = _boards(width, height, random) * base * (light * 0.9 + 0.1)[..., None]
        return np.asarray(np.clip(pixels, 0, 1), np.float32)
    noise = np.random.default_rng(random.randrange(2**31)).random((height, width), np.float32)
    pixels = base * (light + (noise - np.float32(0.5)) * np.float32(0.012))[..., None]
    return np.asarray(np.clip(pixels, 0, 1), np.float32)


class _Glow:
    """A soft pool of light; the grid is kept between pictures of one size."""

    def __init__(self, width: int, height: int) -> None:
        self.x = ((np.arange(width, dtype=np.float32) + 0.5) / width)[None, :]
        self.y = ((np.arange(height, dtype=np.float32) + 0.5) / height)[:, None]

    def __call__(self, across: float, down: float) -> NDArray[np.float32]:
        far = (self.x - np.float32(across)) ** 2 + (self.y - np.float32(down)) ** 2
        return np.asarray(1.03 - 0.13 * far, np.float32)


@lru_cache(maxsize=16)
def _glow(width: int, height: int) -> _Glow:
    return _Glow(width, height)


def _boards(width: int, height: int, random: Random) -> NDArray[np.float32]:
    """Upright planks: each with its own tone and a long grain."""
    source = np.random.default_rng(random.randrange(2**31))
    count = 5
    grain = Image.fromarray(source.random((max(height // 40, 4), max(width // 2, 4)), np.float32))
    fine = np.asarray(grain.resize((width, height), Image.Resampling.BICUBIC), np.float32)
    x = np.arange(width, dtype=np.float32) * count / width
    tone = (1 + (source.random(count, np.float32) - 0.5) * 0.14)[np.minimum(x.astype(int), count - 1)]
    gap = 1 - 0.45 * np.exp(-(((x - np.round(x)) * width / count / 1.2) ** 2))
    pixels = (0.9 + 0.2 * fine) * (tone * gap)[None, :]
    return np.repeat(pixels[..., None].astype(np.float32), 3, axis=2)
