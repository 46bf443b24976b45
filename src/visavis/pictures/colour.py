"""Convert pixels of any mode (16 bits, palettes, CMYK, wide gamuts) to the 8-bit sRGB that encoders read."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

#: Modes that can be resized, and to which a colour profile can be applied, without conversion.
_PLAIN_MODES = frozenset({"L", "RGB", "RGBA", "CMYK", "LAB"})


def to_plain_mode(image: Image.Image) -> Image.Image:
    """Convert a picture to 8 bits a channel without palette, which can be resized without harm."""
    if image.mode in {"I", "F"} or image.mode.startswith("I;16"):
        return Image.fromarray(_to_8_bits(np.asarray(image)))
    if image.has_transparency_data:
        return image if image.mode == "RGBA" else image.convert("RGBA")
    if image.mode in _PLAIN_MODES:
        return image
    return image.convert("L" if image.mode == "1" else "RGB")


def to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """Convert a picture of a plain mode to RGB or RGBA in sRGB; a profile that does not fit the pixels is ignored."""
    target = "RGBA" if image.mode == "RGBA" else "RGB"
    if image.mode == "LAB" or profile:
        transform = _transform_to_srgb(profile if image.mode != "LAB" else None, image.mode, target)
        if transform is not None:
            return transform.apply(image)
    return image if image.mode == target else image.convert(target)


def flatten(image: Image.Image) -> Image.Image:
    """Composite an RGBA picture on white; return an RGB one unchanged."""
    if image.mode != "RGBA":
        return image
    paper = Image.new("RGB", image.size, "white")
    paper.paste(image, mask=image.getchannel("A"))
    return paper


def _to_8_bits(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Scale grey values of more than 8 bits by the range that their type or content implies."""
    numbers = np.nan_to_num(values.astype(np.float32), copy=False)
    low, high = float(numbers.min()), float(numbers.max())
    if values.dtype == np.uint16 or (low >= 0 and 255 < high <= 65535):
        low, high = 0.0, 65535.0
    elif low >= 0 and high <= 1 and values.dtype.kind == "f":
        low, high = 0.0, 1.0
    elif low >= 0 and high <= 255:
        low, high = 0.0, 255.0
    span = (high - low) or 1.0
    numbers -= low  # in place: a large picture takes its memory once
    numbers *= 255.0 / span
    return np.round(numbers, out=numbers).astype(np.uint8)


# Building a transform takes milliseconds and a camera puts the same profile into every file, so they are cached.
# Without lcms' one-pixel cache a transform holds no state, and threads may share it.
@lru_cache(maxsize=64)
def _transform_to_srgb(profile: bytes | None, mode: str, target: str) -> ImageCms.ImageCmsTransform | None:
    """Return the transform from a profile to sRGB, or None where none is needed or the profile is unusable."""
    try:
        source = ImageCms.createProfile("LAB") if profile is None else ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if profile is not None and "srgb" in ImageCms.getProfileDescription(source).lower():
            return None
        return ImageCms.buildTransform(
            source, ImageCms.createProfile("sRGB"), mode, target, flags=ImageCms.Flags.NOCACHE
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None
