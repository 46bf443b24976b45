"""Apply masks: limit a change to a part, cut an object out, replace the background.

A mask is an ``L`` picture of the same size: 255 belongs to the object, 0 does not, between is its soft edge.
"""

from __future__ import annotations

from PIL import Image, ImageChops, ImageOps

from visavis.editing.operations.geometry import Box
from visavis.errors import BadInputError

#: Margin around an object when cropping to it, as a share of its longer side.
_MARGIN = 0.06
_BELONGS = 128


def limited(before: Image.Image, after: Image.Image, mask: Image.Image) -> Image.Image:
    """Return the changed picture inside the mask, the old one elsewhere."""
    return Image.composite(after, before, mask)


def cut_out(image: Image.Image, mask: Image.Image) -> Image.Image:
    """Keep what the mask covers; the rest is transparent, and black where alpha is ignored."""
    alpha = ImageChops.multiply(mask, image.getchannel("A")) if image.mode == "RGBA" else mask
    # Black is pasted only where alpha is 0: under a soft edge it would show as a dark rim.
    result = image.convert("RGB")
    result.paste((0, 0, 0), mask=alpha.point(lambda value: 255 * (value == 0)))
    result.putalpha(alpha)
    return result


def over_colour(image: Image.Image, mask: Image.Image, colour: tuple[int, int, int]) -> Image.Image:
    """Composite the object on one colour."""
    return over_picture(image, mask, Image.new("RGB", image.size, colour))


def over_picture(image: Image.Image, mask: Image.Image, ground: Image.Image) -> Image.Image:
    """Composite the object on another picture, which is cropped and scaled to fill the frame."""
    behind = ImageOps.fit(ground.convert("RGB"), image.size, Image.Resampling.BICUBIC)
    alpha = ImageChops.multiply(mask, image.getchannel("A")) if image.mode == "RGBA" else mask
    return Image.composite(image.convert("RGB"), behind, alpha)


def box_of(mask: Image.Image, name: str) -> Box:
    """Return the bounding box of a mask, with a small margin, within the picture."""
    tight = mask.point(lambda value: 255 * (value >= _BELONGS)).getbbox()
    if tight is None:
        raise BadInputError(f"'{name}' was not found in the picture.", "Name something that can be seen in it.")
    margin = round(_MARGIN * max(tight[2] - tight[0], tight[3] - tight[1]))
    return (
        max(0, tight[0] - margin),
        max(0, tight[1] - margin),
        min(mask.width, tight[2] + margin),
        min(mask.height, tight[3] + margin),
    )
