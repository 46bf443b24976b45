from __future__ import annotations

import numpy as np
import pytest
from editing_support import MEANINGS, ColourEncoder, FixedCutter
from PIL import Image


@pytest.fixture
def encoder() -> ColourEncoder:
    return ColourEncoder()


@pytest.fixture
def scene() -> Image.Image:
    """Sky above, grass below, a dog on the left and a larger one on the right."""
    image = Image.new("RGB", (320, 320), MEANINGS["sky"])
    image.paste(MEANINGS["grass"], (0, 160, 320, 320))
    image.paste(MEANINGS["dog"], (40, 180, 100, 240))
    image.paste(MEANINGS["dog"], (180, 180, 300, 300))
    return image


@pytest.fixture
def left_half() -> FixedCutter:
    mask = np.zeros((64, 64), np.float32)
    mask[:, :32] = 1
    return FixedCutter(mask)
