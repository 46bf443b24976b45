"""What operations work on: upright RGB or RGBA pixels in sRGB, or 16 bits of grey, whatever came in."""

from __future__ import annotations

from PIL import Image, ImageOps

from visavis.editing.operations.deep import is_deep
from visavis.errors import BadInputError
from visavis.pictures.colour import to_plain_mode, to_srgb


def working_copy(image: Image.Image) -> Image.Image:
    """A picture of any mode as upright 8-bit RGB (RGBA where it has transparency) in sRGB, without tags.

    Palettes, print colours and colour profiles are converted, 16 bits of grey are kept; the picture given is not
    changed.
    """
    if not image.width or not image.height:
        raise BadInputError("The picture has no pixels.", "Give one of at least 1 x 1.")
    profile = image.info.get("icc_profile")
    upright = ImageOps.exif_transpose(image)
    result = upright if is_deep(upright) else to_srgb(to_plain_mode(upright), profile)
    if result is image or result is upright:
        result = result.copy()
    result.info = {}
    return result
