"""Optimised operations give the same result as the plain ones."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageChops, ImageFilter

from visavis.editing.operations import effects, geometry, tone


@pytest.fixture(scope="module")
def photograph() -> Image.Image:
    """Soft shapes, hard edges and a little noise."""
    random = np.random.default_rng(3)
    soft = Image.fromarray(random.integers(0, 256, (9, 12, 3), np.uint8)).resize((803, 601), Image.Resampling.BICUBIC)
    soft.paste((240, 30, 20), (200, 150, 420, 380))
    soft = soft.filter(ImageFilter.GaussianBlur(0.7))  # no lens draws an edge within one pixel
    noise = Image.fromarray(random.integers(0, 8, (601, 803, 3), np.uint8))
    return ImageChops.add(soft, noise)


def likeness(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """The peak signal-to-noise ratio in decibels; beyond about 40 nobody sees a difference."""
    difference = np.asarray(one, np.float64) - np.asarray(other, np.float64)
    mean = float((difference**2).mean())
    return math.inf if mean == 0 else 10 * math.log10(255**2 / mean)


@pytest.mark.parametrize("amount", [20, -40, 60])
def test_sharpness_is_an_unsharp_mask(photograph: Image.Image, amount: float):
    exact = Image.blend(photograph.filter(ImageFilter.GaussianBlur(1.0)), photograph, 1 + amount / 100)
    assert likeness(tone.sharpness(photograph, amount), exact) > 46


def gaussian(image: Image.Image, radius: float) -> npt.NDArray[np.float64]:
    """The blur by its definition, in floating point."""
    reach = math.ceil(4 * radius)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / radius) ** 2)
    pixels = np.asarray(image, np.float64)
    for axis in (0, 1):
        wide = np.pad(pixels, [(reach, reach) if axis == other else (0, 0) for other in range(3)], "edge")
        pixels = np.apply_along_axis(np.convolve, axis, wide, bell / bell.sum(), "valid")
    return pixels


@pytest.mark.parametrize("radius", [0.3, 0.8, 1.6, 3, 3.1, 5, 13])
def test_a_blur_is_a_gaussian(photograph: Image.Image, radius: float):
    part = photograph.crop((100, 60, 360, 250))
    assert likeness(effects._blurred(part, radius), gaussian(part, radius)) > 46


@pytest.mark.parametrize("degrees", [3, -7.5, 30])
def test_straightening_is_turning_and_cropping(photograph: Image.Image, degrees: float):
    width, height = geometry.inscribed_size(photograph.size, degrees)
    left, top = (photograph.width - width) // 2, (photograph.height - height) // 2
    turned = photograph.rotate(degrees, Image.Resampling.BILINEAR)
    exact = turned.crop((left, top, left + width, top + height))
    # Pillow cuts where this rounds, which is half a level; a sixteenth of a pixel is a few levels at the hardest edge.
    assert likeness(geometry.straighten(photograph, degrees), exact) > 46


@pytest.mark.parametrize("percent", [3, 10, 24, 50, 75, 99, 130, 300])
def test_resizing_is_like_the_best_filter(photograph: Image.Image, percent: float):
    quick = geometry.scale(photograph, percent)
    exact = photograph.resize(quick.size, Image.Resampling.LANCZOS)
    # Below half the size, blocks are averaged first.
    assert likeness(quick, exact) > (65 if percent >= 50 else 40)
