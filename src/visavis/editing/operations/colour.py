"""Tinting, grey, sepia, negative."""

from __future__ import annotations

from PIL import Image

from visavis.editing.operations.lookup import by_table, by_tables, gain, on_colours, table

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
    """Paint over with a colour at a strength of 0..1: 0 changes nothing, 1 leaves only the colour."""
    return by_tables(image, [gain(1 - strength, part) for part in colour])  # the distances to the colour shrink


def grayscale(image: Image.Image) -> Image.Image:
    """Shades of grey, by how bright the eye sees each colour."""
    return on_colours(image, lambda colours: colours.convert("L").convert("RGB"))


def sepia(image: Image.Image, amount: float) -> Image.Image:
    """The brown of old photographs, at 0..100 percent."""
    share = amount / 100
    matrix = tuple(same + (brown - same) * share for same, brown in zip(_SAME, _SEPIA, strict=True))
    return on_colours(image, lambda colours: colours.convert("RGB", matrix))


def invert(image: Image.Image) -> Image.Image:
    """The negative."""
    return by_table(image, table(lambda value: 255 - value))
