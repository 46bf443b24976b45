"""The encoder that ships, loaded once; tests that need its weights are skipped where they are absent."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from visavis.encoders.base import DESCRIPTION
from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder


@pytest.fixture(scope="session")
def builtin() -> BuiltinEncoder:
    if not (WEIGHTS / DESCRIPTION).is_file():
        pytest.skip("the weights of the built-in encoder are not in this checkout")
    return BuiltinEncoder()


@pytest.fixture(scope="session")
def pictures() -> list[Image.Image]:
    """Pictures that differ: gradients, noise, wide and tall, large and small."""
    random = np.random.default_rng(5)
    sizes = [(320, 240), (64, 200), (700, 90), (168, 168), (1, 1), (31, 57)]
    return [Image.fromarray(random.integers(0, 256, (high, wide, 3), np.uint8)) for wide, high in sizes]
