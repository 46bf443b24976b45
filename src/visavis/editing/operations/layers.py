"""Layers on a picture: masks that limit an edit, cast shadows, frames and texts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageOps
from scipy import ndimage

from visavis.editing.operations.geometry import Box
from visavis.errors import BadInputError

RGB = tuple[int, int, int]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

#: Text height as a share of the picture's shorter side; smaller when a text would fill more than half of it.
_TEXT_SIZE, _SMALLEST_TEXT, _MOST_OF_HEIGHT, _MOST_OF_WIDTH = 1 / 12, 8, 0.5, 0.92
#: System fonts tried when the built-in font lacks a letter.
_WIDER_FONTS = ("NotoSans-Regular.ttf", "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", "arialuni.ttf", "Arial.ttf")
#: A character that no font has, to get the glyph for missing letters.
_MISSING = "\uffff"


def border(image: Image.Image, width: int, colour: RGB) -> Image.Image:
    """Add a frame around the picture, which grows by the width on each side."""
    return ImageOps.expand(image, width, (*colour, 255) if image.mode == "RGBA" else colour)


def caption(image: Image.Image, text: str, position: str) -> Image.Image:
    """Draw a text at the top, in the center or at the bottom: white with a dark outline, readable on anything."""
    result = image.copy()
    draw = ImageDraw.Draw(result)
    size = max(_SMALLEST_TEXT, int(min(image.size) * _TEXT_SIZE))
    while True:
        font = _font_for(text, size)
        lines = "\n".join(_wrapped(draw, text, font, image.width * _MOST_OF_WIDTH))
        rim = max(1, size // 14)
        left, top, right, bottom = draw.multiline_textbbox((0, 0), lines, font=font, align="center", stroke_width=rim)
        if size <= _SMALLEST_TEXT or bottom - top <= image.height * _MOST_OF_HEIGHT:
            break
        size = max(_SMALLEST_TEXT, int(size * 0.85))
    margin = max(2, int(min(image.size) * 0.03))
    x = (image.width - (right - left)) / 2 - left
    places = {
        "top": margin - top,
        "center": (image.height - (bottom - top)) / 2 - top,
        "bottom": image.height - margin - bottom,
    }
    draw.multiline_text(
        (x, places[position]), lines, fill="white", font=font, align="center", stroke_width=rim, stroke_fill="black"
    )
    return result


def _wrapped(draw: ImageDraw.ImageDraw, text: str, font: Font, width: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and draw.textlength(longer, font=font) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@lru_cache(maxsize=32)
def _font_for(text: str, size: int) -> Font:
    """Return the built-in font, or a system font when it lacks letters of the text."""
    built_in = ImageFont.load_default(size)
    if _covers(built_in, text):
        return built_in
    for name in _WIDER_FONTS:
        try:
            font = ImageFont.truetype(name, size)
        except OSError:
            continue
        if _covers(font, text):
            return font
    raise BadInputError(
        f"No font here has all the letters of '{text}'.", "Install a font that has them, such as Noto Sans."
    )


def _covers(font: Font, text: str) -> bool:
    missing = bytes(font.getmask(_MISSING))
    return not any(bytes(font.getmask(letter)) == missing for letter in set(text) - {" "})


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


Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

#: The longer side of the copy that is looked at, and how far around the thing, in shares of its longer side.
_SIDE, _AROUND = 128, 0.7
#: Shadows lie beside the thing from this share of its height downwards.
_FROM = 0.4
#: The lit ground is this quantile of the lightness around; a shadow has at least and at most these shares of its light.
_LIT, _DARKEST, _LIGHTEST = 75, 0.08, 0.8
#: How far the colour of a shadow (shares of red and green in its light) may be from that of the ground.
_OTHER = 0.045
#: A shadow has at most this share of the thing's area, at least the other; its rim hardly leaves what is looked at.
_LARGEST, _SMALLEST, _OPEN = 0.6, 0.01, 0.12
#: How much darker (in logarithms) it is than what is beside it, along this share of its rim.
_EDGE, _EDGES = 0.2, 0.7


def with_shadow(image: Image.Image, mask: Image.Image, belongs: int) -> Image.Image:
    """The mask of a thing with its shadow, where it seems to cast one.

    Args:
        image: The picture.
        mask: Where the thing is; an ``L`` picture of the same size.
        belongs: From this value on a pixel belongs to the thing.
    """
    box = mask.point(lambda value: 255 * (value >= belongs)).getbbox()
    if box is None:
        return mask
    around = round(_AROUND * max(box[2] - box[0], box[3] - box[1]))
    seen = (
        max(0, box[0] - around), max(0, box[1] - around),
        min(mask.width, box[2] + around), min(mask.height, box[3] + around),
    )  # fmt: skip
    factor = min(1.0, _SIDE / max(seen[2] - seen[0], seen[3] - seen[1]))
    size = (max(1, round((seen[2] - seen[0]) * factor)), max(1, round((seen[3] - seen[1]) * factor)))
    if min(size) < 8:
        return mask
    colours = np.asarray(image.convert("RGB").resize(size, Image.Resampling.BOX, box=seen), np.float32) / np.float32(
        255
    )
    thing = np.asarray(mask.resize(size, Image.Resampling.BOX, box=seen)) >= belongs // 2
    if not thing.any() or thing.all():
        return mask
    found = _shadow(colours ** np.float32(2.2), thing)
    if not found.any():
        return mask
    area = Image.fromarray(found.astype(np.uint8) * np.uint8(255))
    larger = area.resize((seen[2] - seen[0], seen[3] - seen[1]), Image.Resampling.BILINEAR)
    result = mask.copy()
    result.paste(255, (seen[0], seen[1]), larger.point(lambda value: 255 * (value >= 96)))
    return result


def _shadow(light: Floats, thing: Mask) -> Mask:
    """Where the shadow is, from linear colours ``[height, width, 3]``."""
    rows = np.nonzero(thing.any(axis=1))[0]
    beside = ndimage.binary_dilation(thing, np.ones((3, 3)), 2) & ~thing
    ground = ~ndimage.binary_dilation(thing, np.ones((3, 3)))
    ground[: round(rows[0] + _FROM * (rows[-1] - rows[0]))] = False
    if ground.sum() < 30:
        return np.zeros(thing.shape, bool)
    total = light.sum(axis=-1)
    shares = light[..., :2] / np.maximum(total, 1e-3)[..., None]
    # The ground is uneven, so it is measured around each pixel; what is not ground has no say in it.
    reach = max(5, round(0.35 * max(thing.shape)))
    lit = _quantile_around(total, ground, reach)
    bright = (ground & (total > _LIGHTEST * lit)).astype(np.float32)
    weight = np.maximum(ndimage.uniform_filter(bright, reach), 1e-3)
    usual = np.stack([ndimage.uniform_filter(shares[..., at] * bright, reach) / weight for at in range(2)], axis=-1)
    same = np.abs(shares - usual).max(axis=-1) < _OTHER
    dark = ground & same & (total < _LIGHTEST * lit) & (total > _DARKEST * lit)
    dark = ndimage.binary_opening(dark, np.ones((2, 2)))
    labels, count = ndimage.label(dark | beside & ground, np.ones((3, 3)))
    result = np.zeros(thing.shape, bool)
    edge = np.zeros(thing.shape, bool)
    edge[-1] = edge[:, 0] = edge[:, -1] = True
    for number in range(1, count + 1):
        part = (labels == number) & dark
        area = int(part.sum())
        touching = ndimage.binary_dilation(part, np.ones((3, 3)), 2) & thing
        if not touching.any() or not _SMALLEST * thing.sum() < area < _LARGEST * thing.sum():
            continue
        rim = ndimage.binary_dilation(part, np.ones((3, 3))) & ~part & ~thing
        if (part & edge).sum() > _OPEN * max(1, int(rim.sum())) or not _ends(part, total, ground):
            continue
        result |= part
    return ndimage.binary_dilation(result, np.ones((3, 3))) & ~thing if result.any() else result


def _ends(part: Mask, total: Floats, ground: Mask) -> bool:
    """Whether a dark part has an end all around, where lit ground begins; else it is no shadow of this thing."""
    light = np.log(np.maximum(total, 1e-3))
    means = []
    for side in (part, ground & ~part):
        weight = ndimage.gaussian_filter(side.astype(np.float32), 1.5)
        means.append(ndimage.gaussian_filter(light * side, 1.5) / np.maximum(weight, 1e-3))
    rim = ndimage.binary_dilation(part, np.ones((3, 3))) & ~part & ground
    return bool(rim.any() and (means[1] - means[0] > _EDGE)[rim].mean() > _EDGES)


def _quantile_around(values: Floats, counted: Mask, reach: int) -> Floats:
    """The lightness of the lit ground around each pixel."""
    step = max(1, reach // 8)
    known = np.where(counted, values, np.nan)[::step, ::step]
    high, wide = known.shape
    around = max(2, reach // step)
    small = np.zeros(known.shape, np.float32)
    whole = float(np.nanpercentile(known, _LIT)) if np.isfinite(known).any() else 1.0
    for row in range(high):
        for column in range(wide):
            part = known[max(0, row - around) : row + around + 1, max(0, column - around) : column + around + 1]
            small[row, column] = np.nanpercentile(part, _LIT) if np.isfinite(part).sum() > 8 else whole
    full = Image.fromarray(small).resize(values.shape[::-1], Image.Resampling.BILINEAR)
    return np.asarray(full, np.float32)
