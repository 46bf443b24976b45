"""Another colour for a thing: hue, chroma and lightness change in Oklab, light and shade on it stay.

What the change makes of a colour depends on that colour alone, once the thing's own colour is known. So it is worked
out on a grid of colours, and Pillow looks every pixel up in between: twelve megapixels cost as much as a photo filter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageFilter

from visavis.editing.operations import layers
from visavis.editing.operations.body import Mask, find_body
from visavis.editing.operations.rims import mend_rim
from visavis.errors import BadInputError

Floats = NDArray[np.float32]

#: Points of the grid to each side, and the side of the copy that the thing's own colour is measured on.
_GRID, _SAMPLE_SIDE = 25, 256
#: Lightness to which the middle tone of a thing is moved, at least and at most: light and shade need room.
_DARKEST, _LIGHTEST = 0.24, 0.90
#: How much distances in lightness may grow or shrink below and above the middle tone.
_STEEPEST, _FLATTEST = 1.8, 0.45
#: The percentiles of lightness that are the darkest and lightest tone, how far below and above the middle they are at
#: most (of what there is, and outright), and the share that has the middle colour where there is but one.
_TONES, _DARK_TONE, _LIGHT_TONE, _LIGHTER, _MOSTLY = (2, 98), 0.45, 0.7, 0.28, 0.85
#: What is paler than this share of the middle colour is painted as if it had it: it is painted, whatever it is.
_FADED = 0.4
#: Below this chroma (Oklab) a thing has no colour of its own.
_COLOURLESS = 0.045
#: Hues this far (radians) from the thing's own begin to count as something else on it, and are something else.
_OTHER_HUE = (0.8, 1.4)
#: On a coloured thing, what has less than this share of its chroma is a print or a buckle, not its cloth.
_PLAIN_SHARE = (0.12, 0.4)
#: On a colourless thing, what has more chroma than this is something else, such as skin.
_COLOURED = (0.075, 0.13)
#: On a pale thing without colour, what has less than this share of its lightness is glass or a tyre, not its shade.
_GLASS, _PALE = (0.33, 0.55), 0.55
#: Between these lightnesses it begins to be told whether something has a colour.
_DEEP_SHADE = (0.12, 0.22)
#: A colourless thing with tones this far apart has two, and the brighter is its own where it has this share of it.
_APART, _LEAST_BRIGHT = 0.35, 0.35
#: Which share of a thing must be coloured for it to have a colour: a red bus is red, however large its windows are.
_LEAST_COLOURED = 0.35
#: Colours this near to an even ground are ground, and this far from it are not; what counts as even, and as outside.
_GROUND, _EVEN, _OUTSIDE, _LEAST_GROUND, _LEAST_OWN = (0.02, 0.06), 0.8, 8, 0.05, 0.08
#: The hue of skin and how far it varies (radians), its chroma, and the lightness from which it is told.
_SKIN_HUE, _SKIN_CHROMA, _SKIN_LIGHT = (0.9, 0.45), (0.035, 0.135), (0.3, 0.45)
#: With such a share of skin in its outline a thing is worn by somebody; with more, it may be of wood.
_WORN = (0.1, 0.5)
#: Colours of things are not as strong as those of lamps.
_STRONGEST = 0.2
#: Where nothing of an outline is at least this much (of 255) of the thing's own, all of it is painted.
_LEAST_PAINTED = 128
#: A thing of at most so many pixels has its rim mended: on a larger one it is too thin to be seen. How far it reaches.
_RIM_PIXELS, _RIM = 400_000, 4
#: How far chroma is reduced, step by step, where a colour does not exist on screens.
_GAMUT_STEP, _GAMUT_STEPS = 0.82, 8

_TO_LMS = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]], np.float32)  # fmt: skip
_TO_LAB = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.8086757660]], np.float32)  # fmt: skip
_FROM_LMS, _FROM_LAB = np.linalg.inv(_TO_LMS).astype(np.float32), np.linalg.inv(_TO_LAB).astype(np.float32)


def oklab(colours: Floats) -> Floats:
    """Colours (sRGB, 0..1, the last axis) in Oklab: lightness, and two axes of colour."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T, np.float32)


def from_oklab(lab: Floats) -> Floats:
    """The inverse; values below 0 or above 1 are colours that screens do not have."""
    linear = (lab @ _FROM_LAB.T) ** 3 @ _FROM_LMS.T
    positive = np.maximum(linear, 0.0)
    encoded = np.where(positive <= 0.0031308, 12.92 * positive, 1.055 * positive ** (1 / 2.4) - 0.055)
    return np.asarray(np.where(linear < 0, 12.92 * linear, encoded), np.float32)


def recolour(image: Image.Image, colour: tuple[int, int, int], mask: Image.Image, name: str = "it") -> Image.Image:
    """The picture with all that a mask covers in another colour.

    Args:
        image: RGB or RGBA.
        colour: The new colour.
        mask: What is painted (see :func:`painted_part`); an ``L`` picture of the same size.
        name: What the thing is called, for the error.

    Raises:
        BadInputError: The mask is empty.
    """
    box, lab, inside = _looked_at(image, mask, name)
    tones = _Tones.of(lab[inside])
    lookup = _table(lambda colours: _changed(colours, tones, oklab(np.asarray(colour, np.float32) / np.float32(255))))
    alpha = image.getchannel("A") if image.mode == "RGBA" else None
    flat = image.convert("RGB")
    part = flat.crop(box)
    flat.paste(layers.limited(part, part.filter(lookup), mask.crop(box)), box)
    if part.width * part.height <= _RIM_PIXELS:
        flat = _with_rim(image.convert("RGB"), flat, mask, box)
    if alpha is not None:
        flat.putalpha(alpha)
    return flat


def painted_part(image: Image.Image, mask: Image.Image, name: str = "it", *, whole: bool = False) -> Image.Image:
    """What of a thing gets another colour, as a mask.

    Args:
        image: RGB or RGBA.
        mask: Where the thing is; an ``L`` picture of the same size.
        name: What the thing is called, for the error.
        whole: All of it, whatever its colours: a piebald dog. Else its body, without glass, tyres, skin and hair.

    Raises:
        BadInputError: The mask is empty.
    """
    box, lab, inside = _looked_at(image, mask, name)
    ground = _plain_ground(image, mask)
    if whole and ground is None:
        return mask
    skin = inside & (_skin_likeness(lab, np.hypot(lab[..., 1], lab[..., 2])) > 0.5)
    worn = not whole and _WORN[0] < skin.sum() / inside.sum() < _WORN[1]
    own_part = inside & ~skin if worn else _without_ground(lab, inside, ground)
    body = None if whole else find_body(lab, own_part, glassy=not worn and ground is None, worn=worn)
    own = _own_colour(lab[own_part]) if body is None else np.median(lab[body.where], axis=0)

    def belongs(colours: Floats) -> Floats:
        seen = oklab(colours)
        share = _away_from(ground, seen, own)
        if not whole:
            chroma, own_chroma = np.hypot(seen[:, 1], seen[:, 2]), float(np.hypot(own[1], own[2]))
            share = share * _belonging(seen, chroma, own, own_chroma) * (1 - _skin(seen, chroma, own, own_chroma))
        if body is not None:
            share = share * body.belonging(seen)
        return np.repeat(share[:, None], 3, axis=1)

    part = image.crop(box).convert("RGB").filter(_table(belongs)).getchannel(0)
    if body is not None and not body.around.all():
        near = Image.fromarray(body.around.astype(np.uint8) * np.uint8(255))
        part = ImageChops.multiply(part, near.resize(part.size, Image.Resampling.BILINEAR))
    painted = Image.new("L", mask.size, 0)
    painted.paste(ImageChops.multiply(part, mask.crop(box)), box)
    return painted if np.asarray(painted).max() >= _LEAST_PAINTED else mask


def _looked_at(image: Image.Image, mask: Image.Image, name: str) -> tuple[tuple[int, int, int, int], Floats, Mask]:
    """The box of a thing, a small copy of it in Oklab, and what surely belongs to it."""
    box = mask.getbbox()
    seen = None if box is None else _seen(image, mask, box)
    if box is None or seen is None:
        raise BadInputError(f"'{name}' was not found in the picture.", "Name something that can be seen in it.")
    return box, *seen


def _table(change: Callable[[Floats], Floats]) -> ImageFilter.Color3DLUT:
    """What a change makes of colours, for Pillow to look up."""
    axis = np.linspace(0, 1, _GRID, dtype=np.float32)
    blue, green, red = np.meshgrid(axis, axis, axis, indexing="ij")
    grid = np.stack([red, green, blue], axis=-1).reshape(-1, 3)
    return ImageFilter.Color3DLUT(_GRID, change(grid).astype(np.float32).ravel())


def _with_rim(
    before: Image.Image, after: Image.Image, mask: Image.Image, box: tuple[int, int, int, int]
) -> Image.Image:
    """The rim of what was painted, part of it and part of what is beside it."""
    left, top = max(0, box[0] - _RIM), max(0, box[1] - _RIM)
    wide = (left, top, min(before.width, box[2] + _RIM), min(before.height, box[3] + _RIM))
    old, new = (np.asarray(one.crop(wide), np.float32) for one in (before, after))
    painted = (np.asarray(mask.crop(wide)) > 127) & (np.abs(new - old).max(axis=-1) > 1)
    rim, colours = mend_rim(old, new, painted)
    new[rim] = colours
    after.paste(Image.fromarray(np.round(new).astype(np.uint8)), wide[:2])
    return after


def _plain_ground(image: Image.Image, mask: Image.Image) -> Floats | None:
    """The colour of the ground around the thing in Oklab, where that is even; it shows through handles and at rims."""
    step = max(1, max(image.size) // _SAMPLE_SIDE)
    size = (max(1, image.width // step), max(1, image.height // step))
    near = Image.Resampling.NEAREST  # single pixels do: averages over twelve megapixels would take as long as the rest
    lab = oklab(np.asarray(image.resize(size, near).convert("RGB"), np.float32) / np.float32(255))
    inside = np.asarray(mask.resize(size, near))
    around = lab[inside < _OUTSIDE]
    if len(around) < _LEAST_GROUND * inside.size:
        return None
    middle = np.median(around, axis=0)
    even = np.linalg.norm(around - middle, axis=1) < _GROUND[0]
    return np.asarray(middle, np.float32) if even.mean() > _EVEN else None


def _seen(image: Image.Image, mask: Image.Image, box: tuple[int, int, int, int]) -> tuple[Floats, Mask] | None:
    """A small copy of the thing in Oklab, and what surely belongs to it."""
    step = max(1, max(box[2] - box[0], box[3] - box[1]) // _SAMPLE_SIDE)
    size = (max(1, (box[2] - box[0]) // step), max(1, (box[3] - box[1]) // step))
    small = np.asarray(image.crop(box).convert("RGB").resize(size, Image.Resampling.BOX), np.float32) / np.float32(255)
    within = np.asarray(mask.resize(size, Image.Resampling.BOX, box=box))
    inside = within >= max(64, int(within.max()) * 3 // 4)
    return (oklab(small), inside) if inside.any() else None


def _without_ground(lab: Floats, inside: Mask, ground: Floats | None) -> Mask:
    """What is inside without the ground that shows through."""
    if ground is None:
        return inside
    apart = inside & (
        np.linalg.norm(lab - ground, axis=-1) > 1.5 * _GROUND[0]
    )  # white cloth has shades, the ground none
    return np.asarray(apart if apart.sum() > _LEAST_OWN * inside.sum() else inside, np.bool_)


def _own_colour(lab: Floats) -> Floats:
    """The middle colour of a thing without a body: the median, of its main hue where it has one."""
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    if float((chroma > 2 * _COLOURLESS).mean()) > _LEAST_COLOURED or float(np.median(chroma)) > _COLOURLESS:
        main = np.median(lab[chroma > min(2 * _COLOURLESS, float(np.percentile(chroma, 70)))], axis=0)
        near = np.hypot(lab[:, 1] - main[1], lab[:, 2] - main[2]) < max(0.06, 0.6 * float(np.hypot(main[1], main[2])))
        lab = lab[near] if near.sum() > len(lab) // 5 else lab
    else:
        lab = lab[chroma <= max(_COLOURED[0], float(np.median(chroma)))]
        low, high = np.percentile(lab[:, 0], (10, 90))
        bright = lab[:, 0] > (low + high) / 2
        if high - low > _APART and bright.mean() > _LEAST_BRIGHT:  # a white bus is white, however large its windows are
            lab = lab[bright]
    return np.asarray(np.median(lab, axis=0), np.float32)


@dataclass(frozen=True)
class _Tones:
    """The colours of what is painted: the middle one, the darkest and lightest, and whether there is but one."""

    own: Floats
    dark: float
    light: float
    plain: bool

    @classmethod
    def of(cls, lab: Floats) -> _Tones:
        """From colours in Oklab, ``[n, 3]``."""
        own = np.median(lab, axis=0)
        dark, light = np.percentile(lab[:, 0], _TONES)
        if light - dark > _APART:  # black patches on white: neither is the middle
            own[0] = (own[0] + lab[:, 0].mean()) / 2
        near = np.hypot(lab[:, 1] - own[1], lab[:, 2] - own[2]) < max(0.06, 0.6 * float(np.hypot(own[1], own[2])))
        return cls(np.asarray(own, np.float32), float(dark), float(light), bool(near.mean() > _MOSTLY))


def _changed(colours: Floats, tones: _Tones, wanted: Floats) -> Floats:
    """What becomes of colours on a thing that gets another one."""
    lab = oklab(colours)
    light, chroma = lab[:, 0], np.hypot(lab[:, 1], lab[:, 2])
    own_light, own_chroma = float(np.clip(tones.own[0], 0.05, 0.97)), float(np.hypot(*tones.own[1:]))
    middle = float(np.clip(wanted[0], _DARKEST, _LIGHTEST))
    lightness = _relit(light, own_light, middle, (tones.dark, tones.light))
    wanted_chroma = float(np.hypot(wanted[1], wanted[2]))
    hue = np.array([wanted[1], wanted[2]], np.float32) / max(wanted_chroma, 1e-6)
    wanted_chroma = min(wanted_chroma, _STRONGEST)
    # Shade dulls a colour as it darkens it, and a highlight takes the colour of the light.
    shade = (
        np.minimum(lightness / middle, 1.0) * np.clip((1.06 - lightness) / max(1.06 - middle, 0.08), 0.0, 1.0) ** 0.7
    )
    strength = shade
    if own_chroma > _COLOURLESS and tones.plain:  # where its colour is paler or stronger, so is the new one
        expected = own_chroma * np.clip(light / own_light, 0.25, 1.0)
        strength = shade * np.clip(chroma / expected, _FADED, 1.15) ** 0.7
    new = np.stack([lightness, *(hue[:, None] * (wanted_chroma * strength))], axis=1)
    return _shown(new.astype(np.float32))


def _away_from(ground: Floats | None, lab: Floats, own: Floats) -> Floats:
    """How far colours are not the ground's, 0..1, on a thing that is not of its colour."""
    if ground is None or float(np.linalg.norm(own - ground)) <= 2 * _GROUND[1]:
        return np.ones(len(lab), np.float32)
    return _step(np.linalg.norm(lab - ground, axis=1), *_GROUND)


def _relit(light: Floats, own: float, middle: float, ends: tuple[float, float]) -> Floats:
    """Lightness with the middle tone moved: shade stays shade, and highlights stay highlights.

    What is much darker or lighter than the middle, a patch rather than a shade, becomes a dark or a light tone of the
    new colour, and neither black nor white.
    """
    below = float(np.clip(middle / own, _FLATTEST, _STEEPEST))
    above = float(np.clip((1 - middle) / (1 - own), _FLATTEST, _STEEPEST))
    down, up = _DARK_TONE * middle, min(_LIGHT_TONE * (1 - middle), _LIGHTER)
    below = min(below, down / max(own - ends[0], 1e-3))
    above = min(above, up / max(ends[1] - own, 1e-3))
    moved = middle + np.where(light < own, below, above) * (light - own)
    knee = 0.92  # what would be brighter than white is pressed together below it
    pressed = knee + (1 - knee) * np.tanh(np.maximum(moved - knee, 0) / (1 - knee))
    foot = 0.10  # and what would be darker than black above it
    lifted = foot * np.exp(np.minimum(moved - foot, 0) / foot)
    return np.asarray(np.where(moved > knee, pressed, np.where(moved < foot, lifted, moved)), np.float32)


def _belonging(lab: Floats, chroma: Floats, own: Floats, own_chroma: float) -> Floats:
    """How far colours are the thing's own, 0..1: prints, buckles and skin on it or beside it keep theirs."""
    if own_chroma <= _COLOURLESS:
        light = float(own[0])
        dark = 1 - _step(lab[:, 0], _GLASS[0] * light, _GLASS[1] * light) if light > _PALE else np.float32(0)
        return np.asarray((1 - _step(chroma, *_COLOURED)) * (1 - dark), np.float32)
    cosine = (lab[:, 1] * own[1] + lab[:, 2] * own[2]) / np.maximum(chroma * own_chroma, 1e-6)
    apart = np.arccos(np.clip(cosine, -1, 1))
    other = _step(apart, *_OTHER_HUE) * _step(chroma, 0.03, 0.07)
    expected = own_chroma * np.clip(lab[:, 0] / max(float(own[0]), 0.05), 0.15, 1.0)
    lit = _step(lab[:, 0], *_DEEP_SHADE)  # in deep shade everything is pale
    plain = (1 - _step(chroma / expected, *_PLAIN_SHARE)) * lit
    return np.asarray((1 - other) * (1 - plain), np.float32)


def _skin(lab: Floats, chroma: Floats, own: Floats, own_chroma: float) -> Floats:
    """How far colours are those of skin, 0..1, on a thing that is not of such a colour: who wears it keeps theirs."""
    middle, reach = _SKIN_HUE
    own_hue = abs(float(np.arctan2(own[2], own[1])) - middle)
    if own_hue < reach and 0.6 * _COLOURLESS < own_chroma < _SKIN_CHROMA[1]:
        return np.zeros(len(lab), np.float32)
    return _skin_likeness(lab, chroma)


def _skin_likeness(lab: Floats, chroma: Floats) -> Floats:
    """How far colours could be those of skin, 0..1."""
    middle, reach = _SKIN_HUE
    low, high = _SKIN_CHROMA
    likely = 1 - _step(np.abs(np.arctan2(lab[..., 2], lab[..., 1]) - middle), 0.8 * reach, reach)
    likely = likely * _step(chroma, 0.8 * low, low) * (1 - _step(chroma, high, 1.15 * high))
    return np.asarray(likely * _step(lab[..., 0], *_SKIN_LIGHT), np.float32)


def _step(values: Floats, low: float, high: float) -> Floats:
    share = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(share * share * (3 - 2 * share), np.float32)


def _shown(lab: Floats) -> Floats:
    """As sRGB; colours that screens do not have become paler until they do."""
    lab = lab.copy()
    colours = from_oklab(lab)
    for _ in range(_GAMUT_STEPS):
        outside = ((colours < -0.002) | (colours > 1.002)).any(axis=1)
        if not outside.any():
            break
        lab[outside, 1:] *= _GAMUT_STEP
        colours[outside] = from_oklab(lab[outside])
    return np.clip(colours, 0, 1)
