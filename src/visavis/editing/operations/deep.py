"""Edits that keep the 16 bits of a grey picture. Every other edit works in 8 bits.

Pillow has no colours of 16 bits a channel, neither in its decoders nor in memory, so this is for grey alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

from visavis.editing.operations import geometry
from visavis.language.commands import edits as e
from visavis.language.commands import effects as f
from visavis.language.commands.edits import Edit
from visavis.pictures.colour import to_plain_mode

DEEP = "I;16"
_WHITE = 65_535

DeepEdit = Callable[[Image.Image, Any], Image.Image]


def is_deep(image: Image.Image) -> bool:
    """Return whether a picture has 16 bits of grey."""
    return image.mode == DEEP


def shallow(image: Image.Image) -> Image.Image:
    """Convert a 16-bit picture to 8 bits, as RGB; return any other unchanged."""
    return to_plain_mode(image).convert("RGB") if is_deep(image) else image


def deep_edit(command: Edit) -> DeepEdit | None:
    """Return the 16-bit implementation of a command, or None where there is none."""
    if command.target is not None:
        return None
    if isinstance(command, e.Rotate) and command.degrees % 90:
        return None
    if isinstance(command, e.AdjustAttr):
        return {"brightness": _brightness, "contrast": _contrast, "saturation": _same}.get(command.name)
    return _EDITS.get(type(command))


def _same(image: Image.Image, _: Edit) -> Image.Image:
    return image.copy()


def _brightness(image: Image.Image, command: e.AdjustAttr) -> Image.Image:
    return _gain(image, 1 + command.amount / 100, 0.0)


def _contrast(image: Image.Image, command: e.AdjustAttr) -> Image.Image:
    return _gain(image, 1 + command.amount / 100, float(np.asarray(image).mean()))


def _gain(image: Image.Image, factor: float, pivot: float) -> Image.Image:
    values = np.asarray(image).astype(np.float32)
    changed = (values - np.float32(pivot)) * np.float32(factor) + np.float32(pivot + 0.5)
    return Image.fromarray(np.clip(changed, 0, _WHITE).astype(np.uint16))


def _invert(image: Image.Image, _: Edit) -> Image.Image:
    return Image.fromarray(_WHITE - np.asarray(image))


def _crop(image: Image.Image, command: e.Crop) -> Image.Image:
    if command.box is not None:
        return geometry.crop(image, command.box)
    assert command.aspect is not None, "without a target there is a box or an aspect"
    return geometry.crop_to_aspect(image, command.aspect)


def _resize(image: Image.Image, command: e.Resize) -> Image.Image:
    if command.percent is not None:
        return geometry.scale(image, command.percent)
    return geometry.resize(image, command.width, command.height)


_EDITS: dict[type[Edit], DeepEdit] = {
    e.Rotate: lambda image, command: geometry.rotate(image, command.degrees),
    e.Flip: lambda image, command: geometry.flip(image, command.axis),
    e.Crop: _crop,
    e.Resize: _resize,
    f.Grayscale: _same,
    f.Invert: _invert,
}
