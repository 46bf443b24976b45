"""Every operation in one table: which command it carries out, on the whole picture or on a part of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from PIL import Image, ImageColor

from visavis.editing.finding.locate import SURE
from visavis.editing.finding.phrases import area_of, everything_but
from visavis.editing.finding.places import box_beside
from visavis.editing.operations import effects, geometry, layers, recolour, removal, tone
from visavis.editing.operations import tone as colour
from visavis.editing.operations.geometry import tilt
from visavis.errors import BadInputError
from visavis.language.commands import edits as e
from visavis.language.commands import effects as f
from visavis.language.commands.edits import Edit

RGB = tuple[int, int, int]

#: The paper's colours, spelled as in its data; "brown" and "green" as people mean them rather than as CSS has them.
PAPER_COLOURS: dict[str, RGB] = {
    "red": (255, 0, 0),
    "orange": (255, 165, 0),
    "green": (0, 160, 0),
    "blue": (0, 0, 255),
    "skyblue": (135, 206, 235),
    "purple": (128, 0, 128),
    "brown": (139, 69, 19),
    "yellow": (255, 255, 0),
    "pink": (255, 192, 203),
}
#: Names of clothes and paints that CSS lacks, or has as something else than people mean.
_PEOPLES_COLOURS: dict[str, RGB] = {
    "beige": (222, 203, 164),
    "burgundy": (128, 0, 32),
    "camel": (193, 154, 107),
    "charcoal": (54, 69, 79),
    "cream": (255, 246, 220),
    "emerald": (15, 140, 85),
    "lilac": (200, 162, 200),
    "mint": (170, 235, 200),
    "mustard": (214, 165, 28),
    "peach": (255, 203, 164),
    "rose": (235, 120, 145),
    "rust": (172, 74, 32),
    "sand": (212, 190, 150),
    "wine": (114, 20, 45),
}
#: What is taken out or painted needs a better outline than what is brightened.
_SURE_OF_OUTLINE = 0.6

Whole = Callable[[Image.Image, Any], Image.Image]
Part = Callable[[Image.Image, Any, Image.Image], Image.Image]


def colour_of(name: str) -> RGB:
    """The colour that a name or a code such as ``#ff8800`` stands for."""
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if (known := PAPER_COLOURS.get(plain) or _PEOPLES_COLOURS.get(plain)) is not None:
        return known
    try:
        red, green, blue, *_ = ImageColor.getrgb(plain)
    except ValueError as error:
        near = get_close_matches(plain, {**PAPER_COLOURS, **_PEOPLES_COLOURS, **ImageColor.colormap}, 3, 0.6)
        raise BadInputError(
            f"'{name}' is no colour that is known here.",
            f"Did you mean {' or '.join(near)}?" if near else "Use a name such as skyblue, or a code such as #87ceeb.",
        ) from error
    return red, green, blue


@dataclass(frozen=True)
class Operation:
    """What carries out one kind of command.

    Attributes:
        kind: The command; it checks its own parameters.
        parameters: Their ranges, in words.
        whole: Changes the whole picture; None when the operation is always about a thing in it.
        part: Changes what a mask covers; None when it makes no sense for a part.
        inverse: Whether "background" means the thing in front of it: who cuts out the background keeps the subject.
        sure: How sure it must be that the thing was found; more where its outline matters as much as its place.
    """

    kind: type[Edit]
    parameters: str
    whole: Whole | None = None
    part: Part | None = None
    inverse: bool = False
    sure: float = SURE

    @property
    def name(self) -> str:
        """The first word of the command's text form."""
        return self.kind.verb


def _tonal(kind: type[Edit], parameters: str, whole: Whole) -> Operation:
    """An operation that keeps every pixel in its place, so that it can be limited to a part."""
    return Operation(kind, parameters, whole, lambda i, c, mask: layers.limited(i, whole(i, c), mask))


def _adjust(image: Image.Image, command: e.AdjustAttr) -> Image.Image:
    functions = {
        "brightness": tone.brightness,
        "contrast": tone.contrast,
        "highlights": tone.highlights,
        "shadows": tone.shadows,
        "saturation": tone.saturation,
        "warmth": tone.warmth,
        "sharpness": tone.sharpness,
    }
    return functions[command.name](image, command.amount)


def _crop_to(image: Image.Image, command: e.Crop, mask: Image.Image) -> Image.Image:
    if command.target and (left_out := everything_but(command.target)):
        return image.crop(box_beside(mask, left_out))
    # A half or a corner is exact already; a thing gets a little room.
    part = area_of(command.target, image.size) if command.target else None
    box = part or layers.box_of(mask, command.target or "the subject")
    return geometry.crop_to_aspect(image, command.aspect, box) if command.aspect else image.crop(box)


def _straighten(image: Image.Image, command: f.Straighten) -> Image.Image:
    return geometry.straighten(image, tilt(image) if command.degrees is None else command.degrees)


_ALL = (
    _tonal(e.AdjustColor, "colour, strength 0..1", lambda i, c: colour.tint(i, colour_of(c.name), c.strength)),
    _tonal(
        e.AdjustAttr,
        "brightness | contrast | highlights | shadows | saturation | warmth | sharpness, amount -100..100",
        _adjust,
    ),
    Operation(e.Rotate, "degrees 0..360, counter-clockwise", lambda i, c: geometry.rotate(i, c.degrees)),
    Operation(e.ImageCutout, "none", part=lambda i, _, mask: layers.cut_out(i, mask), inverse=True),
    Operation(
        e.Crop,
        "left top right bottom in pixels, or a shape such as 16:9, or a thing",
        geometry.cropped,
        _crop_to,
        inverse=True,
    ),
    Operation(e.Flip, "horizontal | vertical", lambda i, c: geometry.flip(i, c.axis)),
    Operation(e.Resize, "WIDTHxHEIGHT in pixels 1..30000, one side may be missing; or 1..1000 %", geometry.resized),
    Operation(f.Straighten, "degrees -45..45, counter-clockwise; none finds the angle", _straighten),
    _tonal(f.Grayscale, "none", lambda i, _: colour.grayscale(i)),
    _tonal(f.Sepia, "amount 0..100", lambda i, c: colour.sepia(i, c.amount)),
    _tonal(f.Invert, "none", lambda i, _: colour.invert(i)),
    _tonal(f.Enhance, "none", lambda i, _: tone.enhance(i)),
    _tonal(f.Vignette, "amount 0..100", lambda i, c: effects.vignette(i, c.amount)),
    Operation(
        f.Blur,
        "amount 0..100; 50 blurs over a hundredth of the longer side",
        lambda i, c: effects.blur(i, c.amount),
        lambda i, c, mask: effects.blur_where(i, c.amount, mask),
    ),
    Operation(f.Border, "width 1..1000 pixels, colour", lambda i, c: layers.border(i, c.width, colour_of(c.colour))),
    Operation(f.Caption, '"text", top | center | bottom', lambda i, c: layers.caption(i, c.text, c.position)),
    Operation(
        e.Recolor,
        "a colour, and the thing",
        part=lambda i, c, mask: recolour.recolour(i, colour_of(c.name), mask, c.target),
        sure=_SURE_OF_OUTLINE,
    ),
    Operation(
        e.Remove,
        "the thing",
        part=lambda i, c, mask: removal.remove(i, mask, c.target, exact=bool(c.marks)),
        sure=_SURE_OF_OUTLINE,
    ),
    # replace_background with a picture needs that picture: see pipeline.py
    Operation(
        e.ReplaceBackground,
        "a colour, a shown picture (#3) or the path of a picture",
        part=lambda i, c, mask: layers.over_colour(i, mask, colour_of(c.background)),
        inverse=True,
    ),
)

#: The table: every operation by the kind of its command.
OPERATIONS: dict[type[Edit], Operation] = {operation.kind: operation for operation in _ALL}
