"""Brightness, contrast, saturation, warmth, sharpness: amounts of -100..100 percent, where 0 changes nothing."""

from __future__ import annotations

from PIL import Image, ImageStat

from visavis.editing.operations.detail import sharpened
from visavis.editing.operations.lookup import Table, by_table, by_tables, gain, on_colours, table

#: How much of red, green and blue the eye counts as light (ITU-R 601, as Pillow's own grey has it).
LUMA = (0.299, 0.587, 0.114)
#: How far full warmth moves red up and blue down.
_WARMEST = 0.3
#: Statistics are taken from a copy reduced to about this many pixels a side: they are the same, and free.
_SAMPLE_SIDE = 512
#: Fine detail is what a blur over this many pixels takes away.
_DETAIL = 1.0


def brightness(image: Image.Image, amount: float) -> Image.Image:
    """Multiply the light: -100 is black, 100 is twice as bright."""
    return by_table(image, gain(1 + amount / 100))


def contrast(image: Image.Image, amount: float) -> Image.Image:
    """Spread the tones around the picture's mean light: -100 is one flat grey, 100 doubles every distance."""
    return by_table(image, gain(1 + amount / 100, _mean_light(image)))


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
    """Strengthen or weaken fine detail: -100 leaves the picture without it, 100 doubles it."""
    if amount == 0:
        return image.copy()
    return on_colours(image, lambda colours: sharpened(colours, _DETAIL, amount))


def enhance(image: Image.Image) -> Image.Image:
    """Stretch the tones to the full range, take half of a colour cast away, strengthen pale colours a little."""
    sample = _sample(image).convert("RGB")
    lows, highs = zip(*(_ends(channel.histogram()) for channel in sample.split()), strict=True)
    low, high = min(lows), max(highs)
    tables = []
    for channel_low, channel_high in zip(lows, highs, strict=True):
        start, end = (low + channel_low) / 2, (high + channel_high) / 2
        # A picture that is nearly flat has no tones to stretch: more than threefold would only show noise.
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
    """The darkest and the brightest value that are not among the outermost pixels."""
    allowed = sum(histogram) * cut

    def first(values: list[int]) -> int:
        seen = 0
        for place, count in enumerate(values):
            seen += count
            if seen > allowed:
                return place
        return 0

    return first(histogram), 255 - first(histogram[::-1])
