"""What operations work on: upright RGB or RGBA pixels in sRGB, or 16 bits of grey, whatever came in."""

from __future__ import annotations

from PIL import Image

from visavis.editing.operations.deep import is_deep
from visavis.errors import BadInputError
from visavis.pictures.colour import to_plain_mode, to_srgb
from visavis.pictures.exif import read_exif, turn_of


def working_form(image: Image.Image) -> Image.Image:
    """A picture of any mode as upright 8-bit RGB (RGBA where it has transparency) in sRGB, without tags.

    Palettes, print colours and colour profiles are converted, 16 bits of grey are kept. The picture given is not
    changed; it is returned itself where it has this form already, for operations make new pictures, and a copy of
    twelve megapixels takes as long as many of them.
    """
    if not image.width or not image.height:
        raise BadInputError("The picture has no pixels.", "Give one of at least 1 x 1.")
    profile = image.info.get("icc_profile")
    turn = turn_of(read_exif(image))
    upright = image if turn is None else image.transpose(turn)
    result = upright if is_deep(upright) else to_srgb(to_plain_mode(upright), profile)
    if result is image:
        if not image.info:
            return image
        result = image.copy()
    result.info = {}
    return result
