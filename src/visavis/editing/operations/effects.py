"""Blur and vignette."""

from __future__ import annotations

import math

from PIL import Image, ImageChops

from visavis.editing.operations.detail import softened
from visavis.editing.operations.lookup import enlarged, on_colours

#: The longer side divided by this is the blur's radius in pixels for an amount of one.
_BLUR_UNIT = 5000
#: Up to this radius, in pixels, weighing all neighbours is quicker than going by a reduced copy.
_NARROW = 3.0


def blur(image: Image.Image, amount: float) -> Image.Image:
    """Blur by 0..100, relative to the picture: 50 blurs over one hundredth of the longer side."""
    radius = blur_radius(image.size, amount)
    if radius == 0:
        return image.copy()
    if image.mode == "RGBA":  # colours weighted by alpha, or what cannot be seen would bleed into what can
        return _blurred(image.convert("RGBa"), radius).convert("RGBA")
    return _blurred(image, radius)


def blur_where(image: Image.Image, amount: float, mask: Image.Image) -> Image.Image:
    """Blur only what the mask covers, without the colours of the rest bleeding into it."""
    radius = blur_radius(image.size, amount)
    if radius == 0:
        return image.copy()
    part = image.convert("RGB")
    # A trace of weight everywhere gives places far from the mask a colour too, so no hole can open at soft edges.
    weight = mask.point(lambda value: max(2, value))
    part.putalpha(weight)
    soft = _blurred(part.convert("RGBa"), radius).convert("RGBA").convert("RGB")
    return on_colours(image, lambda colours: Image.composite(soft, colours, mask))


def blur_radius(size: tuple[int, int], amount: float) -> float:
    """The radius in pixels that an amount means for a picture of this size."""
    return amount * max(size) / _BLUR_UNIT


def vignette(image: Image.Image, amount: float) -> Image.Image:
    """Darken towards the corners by 0..100; the middle stays as it is."""
    # Pillow's radial gradient is 0 in the middle and 255 from the edges' middles on, in a square of 256.
    dark = Image.radial_gradient("L").point(lambda far: int(255 * (max(0, far - 70) / 185) ** 1.6 * amount / 100))
    shade = ImageChops.invert(dark).resize(image.size, Image.Resampling.BILINEAR)
    return on_colours(image, lambda colours: ImageChops.multiply(colours, Image.merge("RGB", (shade, shade, shade))))


def _blurred(image: Image.Image, radius: float) -> Image.Image:
    """A Gaussian blur; a wide one is computed on a reduced copy: nobody can tell, and it takes a tenth of the time."""
    if radius <= _NARROW:
        return softened(image, radius)
    factor = min(16, max(2, int(radius / 2.5)))
    # Reducing and enlarging blur as well: by a box, and by a roof twice as wide, whose squared widths add up.
    own = (factor**2 - 1) / 12 + factor**2 / 6
    small = softened(image.reduce(factor), math.sqrt(radius**2 - own) / factor)
    return enlarged(small, image.size, factor)
