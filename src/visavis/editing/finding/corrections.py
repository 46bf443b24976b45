"""Correct a mask by hand: clicks add or take away what is seen at a place, strokes what a brush went over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw
from scipy import ndimage

from visavis.editing.cutout.cutters import Cutter
from visavis.editing.cutout.cutters import cutter as default_cutter
from visavis.editing.cutout.masks import FloatArray, within
from visavis.editing.finding.locate import outline
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError
from visavis.language.commands.base import WHOLE, Mark

#: Patches belong to what was clicked from this share of the way between the picture's middle likeness and its own on.
_ALIKE = 0.45
#: ... and surely from this share on.
_SURELY = 0.8
#: What a click means where no outline can be traced around it: a disc with this radius, in thousandths.
_DISC = 25
#: A click takes a separate part of the mask away as a whole up to this share of it.
_STRAY = 0.25
#: A click that would take away nearly everything means the place alone.
_LEAST_LEFT = 0.1
_BELONGS = 128
#: A thing at the place of a click that takes this share of the picture may be what lies around a smaller one.
_VAST = 0.3
#: How far colours of one surface lie apart (Lab, as 8 bits), and the side of the copy on which they are compared.
_ONE_COLOUR, _COLOUR_SIDE = 22.0, 256
#: The side of the copy on which parts of a mask are told from one another.
_PARTS_SIDE = 512


def corrected(
    image: Image.Image,
    mask: Image.Image,
    marks: Sequence[Mark],
    encoder: Encoder | None = None,
    cutter: Cutter | None = None,
) -> Image.Image:
    """The mask with marks applied in their order.

    Args:
        image: The picture.
        mask: An ``L`` picture of the same size: 255 belongs to the thing.
        marks: The corrections.
        encoder: Tells what is seen at the place of a click.
        cutter: Traces it; the default one when not given.

    Raises:
        BadInputError: There is a click, but no encoder.
    """
    clicks = _Clicks(image, encoder, cutter or default_cutter())
    for mark in marks:
        if mark.radius is not None:
            mask = _changed(mask, brushed(image.size, mark), adds=mark.adds)
        elif mark.adds:
            mask = _changed(mask, clicks.thing_at(mark), adds=True)
        else:
            mask = _taken_away(mask, mark, clicks)
    return mask


def brushed(size: tuple[int, int], mark: Mark) -> Image.Image:
    """What a brush went over, with a soft rim of a pixel."""
    longest = max(size)
    fine = 2 if longest <= 2048 else 1
    area = Image.new("L", (size[0] * fine, size[1] * fine), 0)
    radius = max(1.0, (mark.radius or _DISC) * longest * fine / WHOLE)
    draw = ImageDraw.Draw(area)
    points = [(x * area.width / WHOLE, y * area.height / WHOLE) for x, y in mark.points]
    if len(points) > 1:
        draw.line(points, fill=255, width=max(1, round(2 * radius)), joint="curve")
    for x, y in points:
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)
    return area if fine == 1 else area.resize(size, Image.Resampling.BOX)


def _changed(mask: Image.Image, area: Image.Image, *, adds: bool) -> Image.Image:
    return ImageChops.lighter(mask, area) if adds else ImageChops.darker(mask, ImageChops.invert(area))


def _taken_away(mask: Image.Image, mark: Mark, clicks: _Clicks) -> Image.Image:
    """The mask without what was clicked: a part that lies apart goes as a whole, else the thing that is seen there."""
    part, share = _part_at(mask, mark)
    if part is not None and share <= _STRAY:
        return _changed(mask, part, adds=False)
    whole = _area(mask)
    # The larger of the two: of what fills most of a picture, the patches that are most alike are only a few.
    lefts = (_changed(mask, area, adds=False) for area in (clicks.thing_at(mark), clicks.surface_at(mark)))
    for left in sorted(lefts, key=_area):
        if _area(left) >= _LEAST_LEFT * whole:
            return left
    return _changed(mask, brushed(mask.size, mark), adds=False)


class _Clicks:
    """What is seen at places of one picture; its patches are encoded once, and only where there is a click."""

    def __init__(self, image: Image.Image, encoder: Encoder | None, cutter: Cutter) -> None:
        self._image = image.convert("RGB")
        self._encoder = encoder
        self._cutter = cutter

    @cached_property
    def _patches(self) -> FloatArray:
        if self._encoder is None:
            raise BadInputError("A click needs an encoder, and there is none here.", "Use strokes of a brush instead.")
        patches = self._encoder.encode_patches([self._image])[0]
        length = np.maximum(np.linalg.norm(patches, axis=-1, keepdims=True), 1e-9)
        return np.asarray(patches / length, np.float32)

    def thing_at(self, mark: Mark) -> Image.Image:
        """A mask of the thing at the place of a click: patches like the one there, and connected with it, traced."""
        (x, y) = mark.points[0]
        rows, columns = self._patches.shape[:2]
        place = min(rows - 1, y * rows // WHOLE), min(columns - 1, x * columns // WHOLE)
        likeness = self._patches @ self._patches[place]
        middle = float(np.median(likeness))
        hint = np.clip((likeness - middle) / max(_SURELY * (1 - middle), 1e-6), 0, 1)
        hint[place] = 1
        labels, _ = ndimage.label(hint >= _ALIKE, np.ones((3, 3)))
        hint = np.where(labels == labels[place], hint, 0).astype(np.float32)
        part, _ = _part_at(outline(self._image, hint, self._cutter).mask, mark)
        surface = self.surface_at(mark)
        if part is None:
            return surface if _area(surface) < _VAST * self._whole else brushed(self._image.size, mark)
        # A patch is larger than a small thing: its likeness is that of the ground which the thing lies on.
        is_ground = _area(part) > _VAST * self._whole and _area(surface) < _VAST * _area(part)
        return surface if is_ground else part

    def surface_at(self, mark: Mark) -> Image.Image:
        """A mask of what has the colour of the place of a click, and is connected with it."""
        small = self._image.resize(within(self._image.size, _COLOUR_SIDE), Image.Resampling.BOX).convert("LAB")
        colours = ndimage.gaussian_filter(np.asarray(small, np.float32), (1, 1, 0))
        rows, columns = colours.shape[:2]
        (x, y) = mark.points[0]
        place = min(rows - 1, y * rows // WHOLE), min(columns - 1, x * columns // WHOLE)
        alike = np.linalg.norm(colours - colours[place], axis=-1) <= _ONE_COLOUR
        labels, _ = ndimage.label(alike)
        region = ndimage.binary_fill_holes(ndimage.binary_dilation(labels == labels[place]))
        area = _picture(region).resize(self._image.size, Image.Resampling.BICUBIC)
        return ImageChops.lighter(area, brushed(self._image.size, mark))

    @property
    def _whole(self) -> int:
        return 255 * self._image.width * self._image.height


def _part_at(mask: Image.Image, mark: Mark) -> tuple[Image.Image | None, float]:
    """The connected part of a mask at a place, and its share of the mask; None where the place is outside of it."""
    small = np.asarray(mask.resize(within(mask.size, _PARTS_SIDE), Image.Resampling.BOX))
    inside = small >= _BELONGS
    (x, y) = mark.points[0]
    place = min(small.shape[0] - 1, y * small.shape[0] // WHOLE), min(small.shape[1] - 1, x * small.shape[1] // WHOLE)
    labels, _ = ndimage.label(inside)
    if not labels[place]:
        return None, 0.0
    part = labels == labels[place]
    share = float(part.sum() / inside.sum())
    rim = ndimage.binary_dilation(part, np.ones((3, 3)), 2) & (part | ~inside)  # its soft edge belongs to it
    return ImageChops.darker(mask, _picture(rim).resize(mask.size, Image.Resampling.NEAREST)), share


def _picture(inside: NDArray[np.bool_]) -> Image.Image:
    return Image.fromarray(inside.astype(np.uint8) * np.uint8(255))


def _area(mask: Image.Image) -> int:
    return int(np.asarray(mask).astype(np.int64).sum())
