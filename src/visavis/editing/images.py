"""Images as operations take them and as screens show them: upright sRGB, reduced copies, previews of masks."""

from __future__ import annotations

from PIL import Image, ImageChops, ImageFilter

from visavis.editing.cutout.masks import within
from visavis.editing.operations.deep import is_deep, shallow
from visavis.editing.operations.tone import brightness
from visavis.errors import BadInputError
from visavis.pictures.colour import to_plain_mode, to_srgb
from visavis.pictures.exif import read_exif, transposition_of


def working_form(image: Image.Image) -> Image.Image:
    """A picture of any mode as upright 8-bit RGB (RGBA where it has transparency) in sRGB, without tags.

    Palettes, print colours and colour profiles are converted, 16 bits of grey are kept. The picture given is not
    changed; it is returned itself where it has this form already, for operations make new pictures, and a copy of
    twelve megapixels takes as long as many of them.
    """
    if not image.width or not image.height:
        raise BadInputError("The picture has no pixels.", "Give one of at least 1 x 1.")
    profile = image.info.get("icc_profile")
    transposition = transposition_of(read_exif(image))
    upright = image if transposition is None else image.transpose(transposition)
    result = upright if is_deep(upright) else to_srgb(to_plain_mode(upright), profile)
    if result is image:
        if not image.info:
            return image
        result = image.copy()
    result.info = {}
    return result


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
