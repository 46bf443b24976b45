"""Pictures that the tests draw themselves."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image


@pytest.fixture(scope="session")
def scene() -> Image.Image:
    """64 x 48 pixels without any symmetry: a different colour in each quarter, over a gradient."""
    pixels = np.zeros((48, 64, 3), np.uint8)
    pixels[:24, :32] = (220, 40, 40)
    pixels[:24, 32:] = (40, 200, 60)
    pixels[24:, :32] = (50, 60, 210)
    pixels[24:, 32:] = (230, 210, 50)
    pixels[..., :] -= np.linspace(0, 30, 64).astype(np.uint8)[None, :, None]
    return Image.fromarray(pixels)


@pytest.fixture(scope="session")
def encode() -> Callable[..., bytes]:
    """An image as the bytes of a file of some format."""

    def encode_image(image: Image.Image, kind: str, **options: object) -> bytes:
        if kind == "HEIF":
            pytest.importorskip("pillow_heif").register_heif_opener()
        file = io.BytesIO()
        image.save(file, kind, **options)
        return file.getvalue()

    return encode_image


@pytest.fixture(scope="session")
def distance() -> Callable[[Image.Image, Image.Image], float]:
    """The mean difference of two images of the same size and mode, in grey levels of 255."""

    def mean_difference(one: Image.Image, other: Image.Image) -> float:
        assert one.size == other.size
        assert one.mode == other.mode
        return float(np.abs(np.asarray(one, np.int16) - np.asarray(other, np.int16)).mean())

    return mean_difference
