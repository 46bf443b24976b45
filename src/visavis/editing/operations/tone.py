"""Brightness, contrast, shadows, saturation, warmth and tints by exact lookup tables, in 8 bits and grey in 16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageStat

from visavis.editing.operations import geometry
from visavis.editing.operations.effects import Table, by_table, by_tables, gain, on_colours, sharpened, table
from visavis.language.commands import edits as e
from visavis.language.commands import effects as f
from visavis.language.commands.edits import Edit
from visavis.pictures.decoder import to_plain_mode

#: Luma weights of red, green and blue (ITU-R 601, as in Pillow).
LUMA = (0.299, 0.587, 0.114)
#: How far full warmth moves red up and blue down.
_WARMEST = 0.3
#: Statistics are computed on a copy of about this many pixels a side: they are the same, and cheap.
_SAMPLE_SIDE = 512
#: How far the end of the tones moves for each point of highlights and shadows; more would turn tones around.
_DEEPEST = 0.56
#: Fine detail is what a blur over this many pixels removes.
_DETAIL = 1.0


def brightness(image: Image.Image, amount: float) -> Image.Image:
    """Multiply the values: -100 is black, 100 is twice as bright."""
    return by_table(image, gain(1 + amount / 100))


def contrast(image: Image.Image, amount: float) -> Image.Image:
    """Scale the tones around the picture's mean: -100 is one flat grey, 100 doubles every distance."""
    return by_table(image, gain(1 + amount / 100, _mean_light(image)))


def highlights(image: Image.Image, amount: float) -> Image.Image:
    """Brighten or darken the bright half of the tones, the brightest most; the dark half stays."""
    return by_table(image, table(lambda value: value + amount * _DEEPEST * max(0.0, value / 127.5 - 1) ** 2))


def shadows(image: Image.Image, amount: float) -> Image.Image:
    """Brighten or darken the dark half of the tones, the darkest most; the bright half stays."""
    return by_table(image, table(lambda value: value + amount * _DEEPEST * max(0.0, 1 - value / 127.5) ** 2))


def saturation(image: Image.Image, amount: float) -> Image.Image:
    """Move colours away from their grey or towards it: -100 is grey, 100 doubles their strength."""
    if amount == 0:
        return image.copy()
    keep, red, green, blue = 1 + amount / 100, *(-amount / 100 * part for part in LUMA)
    matrix = (
        red + keep, green, blue, 0.0,
        red, green + keep, blue, 0.0,
        red, green, blue + keep, 0.0,
    )  # fmt: skip
    return on_colours(image, lambda colours: colours.convert("RGB", matrix))


def warmth(image: Image.Image, amount: float) -> Image.Image:
    """Make the light warmer (more red, less blue) or cooler."""
    turn = _WARMEST * amount / 100
    return by_tables(image, (gain(1 + turn), gain(1 + turn / 6), gain(1 - turn)))


def sharpness(image: Image.Image, amount: float) -> Image.Image:
    """Strengthen or weaken fine detail: -100 removes it, 100 doubles it."""
    if amount == 0:
        return image.copy()
    return on_colours(image, lambda colours: sharpened(colours, _DETAIL, amount))


def enhance(image: Image.Image) -> Image.Image:
    """Stretch the tones to the full range, remove half of a colour cast, strengthen pale colours a little."""
    sample = _sample(image).convert("RGB")
    lows, highs = zip(*(_ends(channel.histogram()) for channel in sample.split()), strict=True)
    low, high = min(lows), max(highs)
    tables = []
    for channel_low, channel_high in zip(lows, highs, strict=True):
        start, end = (low + channel_low) / 2, (high + channel_high) / 2
        # A nearly flat picture has no tones to stretch: more than threefold would only amplify noise.
        factor = min(3.0, 255 / max(1.0, end - start))
        middle = (start + end) / 2
        target = middle if factor == 3.0 else 127.5
        tables.append(_stretched(factor, middle, target))
    return saturation(by_tables(image, tables), 8)


def _stretched(factor: float, middle: float, target: float) -> Table:
    return table(lambda value: target + (value - middle) * factor)


def _sample(image: Image.Image) -> Image.Image:
    return image.reduce(max(1, min(image.size) // _SAMPLE_SIDE))


def _mean_light(image: Image.Image) -> float:
    sample = _sample(image)
    visible = sample.getchannel("A").point(lambda a: 255 * (a > 0)) if sample.mode == "RGBA" else None
    statistics = ImageStat.Stat(sample.convert("L"), visible)
    return round(statistics.mean[0], 2) if statistics.count[0] else 127.5


def _ends(histogram: list[int], cut: float = 0.005) -> tuple[int, int]:
    """Return the darkest and the brightest value, without outliers."""
    allowed = sum(histogram) * cut

    def first(values: list[int]) -> int:
        seen = 0
        for place, count in enumerate(values):
            seen += count
            if seen > allowed:
                return place
        return 0

    return first(histogram), 255 - first(histogram[::-1])


_SEPIA = (
    0.393, 0.769, 0.189, 0.0,
    0.349, 0.686, 0.168, 0.0,
    0.272, 0.534, 0.131, 0.0,
)  # fmt: skip
_SAME = (
    1.0, 0.0, 0.0, 0.0,
    0.0, 1.0, 0.0, 0.0,
    0.0, 0.0, 1.0, 0.0,
)  # fmt: skip


def tint(image: Image.Image, colour: tuple[int, int, int], strength: float) -> Image.Image:
    """Blend with a colour at a strength of 0..1: 0 changes nothing, 1 leaves only the colour."""
    return by_tables(image, [gain(1 - strength, part) for part in colour])  # the distances to the colour shrink


def grayscale(image: Image.Image) -> Image.Image:
    """Convert to grey by luma."""
    return on_colours(image, lambda colours: colours.convert("L").convert("RGB"))


def sepia(image: Image.Image, amount: float) -> Image.Image:
    """Blend with the brown of old photographs, at 0..100 percent."""
    share = amount / 100
    matrix = tuple(same + (brown - same) * share for same, brown in zip(_SAME, _SEPIA, strict=True))
    return on_colours(image, lambda colours: colours.convert("RGB", matrix))


def invert(image: Image.Image) -> Image.Image:
    """Invert the colours."""
    return by_table(image, table(lambda value: 255 - value))


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


_EDITS: dict[type[Edit], DeepEdit] = {
    e.Rotate: lambda image, command: geometry.rotate(image, command.degrees),
    e.Flip: lambda image, command: geometry.flip(image, command.axis),
    e.Crop: geometry.cropped,
    e.Resize: geometry.resized,
    f.Grayscale: _same,
    f.Invert: _invert,
}
