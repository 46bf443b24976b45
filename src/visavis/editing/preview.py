"""Small copies for the screen, and pictures with a thing marked in them."""

from __future__ import annotations

from PIL import Image, ImageChops, ImageFilter

from visavis.editing.cutout.arrays import within
from visavis.editing.operations.deep import shallow
from visavis.editing.operations.tone import brightness

#: The outline of what is marked: seen on anything.
_MARK = (255, 0, 200)


def reduced(image: Image.Image, longest: int) -> Image.Image:
    """A copy whose longer side is at most ``longest``; a smaller picture is copied as it is."""
    size = within(image.size, longest)
    image = shallow(image)  # a screen has no more than 8 bits
    return image.copy() if size == image.size else image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


def mask_preview(image: Image.Image, mask: Image.Image) -> Image.Image:
    """The picture with everything but the thing darkened, and an outline around it."""
    fitted = mask.resize(image.size, Image.Resampling.BILINEAR)
    colours = image.convert("RGB")
    shown = Image.composite(colours, brightness(colours, -65), fitted)
    solid = fitted.point(lambda value: 255 * (value >= 128))
    width = max(3, max(image.size) // 256 * 2 + 1)
    outline = ImageChops.subtract(solid.filter(ImageFilter.MaxFilter(width)), solid)
    shown.paste(_MARK, mask=outline)
    return shown
