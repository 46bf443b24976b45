"""What lies behind a thing: a studio wall, or boards."""

from __future__ import annotations

from random import Random

import numpy as np
from PIL import Image

from visavis.demo.canvas import Plane, Planes
from visavis.demo.items import BACKGROUND_COLOURS


def backdrop(name: str, width: int, height: int, random: Random, *, floor: bool = False) -> Planes:
    """Pixels in 0..1 of a background, softly lit; with a floor it darkens gently towards the bottom."""
    base = np.array(BACKGROUND_COLOURS[name], np.float32)[:, None, None] / np.float32(255)
    x = ((np.arange(width, dtype=np.float32) + 0.5) / width)[None, :] - np.float32(random.uniform(0.3, 0.5))
    y = ((np.arange(height, dtype=np.float32) + 0.5) / height)[:, None] - np.float32(random.uniform(0.25, 0.45))
    light = 1.03 - 0.13 * (x * x + y * y)
    if floor:
        light = light - np.float32(0.05) / (1 + np.exp(-(y - np.float32(0.28)) * 30))
    if name == "wooden":
        light = light * _boards(width, height, random)
    else:
        # Without a trace of noise, wide gradients show bands.
        noise = np.random.default_rng(random.randrange(2**31)).random((height, width), np.float32)
        light = light + (noise - np.float32(0.5)) * np.float32(0.012)
    return np.asarray(np.minimum(base * light.astype(np.float32), 1), np.float32)


def _boards(width: int, height: int, random: Random) -> Plane:
    """Upright planks: each with its own tone and a long grain."""
    source = np.random.default_rng(random.randrange(2**31))
    count = 5
    grain = Image.fromarray(source.random((max(height // 40, 4), max(width // 2, 4)), np.float32))
    fine = np.asarray(grain.resize((width, height), Image.Resampling.BICUBIC), np.float32)
    x = np.arange(width, dtype=np.float32) * count / width
    tone = (1 + (source.random(count, np.float32) - 0.5) * 0.12)[np.minimum(x.astype(int), count - 1)]
    gap = 1 - 0.4 * np.exp(-(((x - np.round(x)) * width / count / 1.2) ** 2))
    return np.asarray((0.92 + 0.16 * fine) * (tone * gap)[None, :], np.float32)
