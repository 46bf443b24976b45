"""Whether a picture is black and white, measured on its pixels: an attribute that words and filters can name."""

from __future__ import annotations

import numpy as np
from PIL import Image

from visavis.pictures.picture import AttributeValue

#: The attribute of a black and white picture; pictures in colour do not have it.
TONES = "tones"
BLACK_AND_WHITE = "black and white"
#: The longer side that a picture is measured at.
_SIZE = 96
#: Nearly all pixels of one tint: so far from the usual one, and so far from grey (a brownish old print).
_NEAR, _TINTED, _NEARLY_ALL = 4.0, 30.0, 95
#: Between the darkest and the lightest tones of a photo there is at least this much; a plain area has less.
_RANGE = 60.0
#: A thing before a white ground is a product: its colour may be black, the picture is in colour.
_WHITE, _GROUND = 240, 0.5


def is_black_and_white(image: Image.Image) -> bool:
    """Whether a picture has shades of one tint only; plain areas and things on a white ground do not count."""
    small = image.convert("RGB")
    small.thumbnail((_SIZE, _SIZE))
    light, *colours = np.moveaxis(np.asarray(small.convert("YCbCr"), np.float32), 2, 0)
    blue, red = colours
    apart = np.hypot(blue - np.median(blue), red - np.median(red))
    tint = np.hypot(blue - 128, red - 128)
    if np.percentile(apart, _NEARLY_ALL) >= _NEAR or np.percentile(tint, _NEARLY_ALL) >= _TINTED:
        return False
    edge = np.concatenate([light[0], light[-1], light[:, 0], light[:, -1]])
    low, high = np.percentile(light, (5, 95))
    return bool(high - low >= _RANGE and (edge >= _WHITE).mean() < _GROUND)


def tones_of(image: Image.Image) -> dict[str, AttributeValue]:
    """The attribute of a black and white picture; nothing for others."""
    return {TONES: BLACK_AND_WHITE} if is_black_and_white(image) else {}
