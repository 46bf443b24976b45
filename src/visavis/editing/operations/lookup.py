"""Apply lookup tables to pixels: fast and exact.

Alpha never changes here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from PIL import Image

IDENTITY = tuple(range(256))
Table = tuple[int, ...]


def table(function: Callable[[float], float]) -> Table:
    """Tabulate a function for 0..255, rounded and clipped to 0..255."""
    return tuple(max(0, min(255, int(function(value) + 0.5))) for value in range(256))


@lru_cache(maxsize=64)
def gain(factor: float, pivot: float = 0.0) -> Table:
    """Return a table that multiplies distances from a pivot by a factor."""
    return table(lambda value: pivot + (value - pivot) * factor)


def by_tables(image: Image.Image, tables: Sequence[Table]) -> Image.Image:
    """Apply one table to each of red, green and blue."""
    red, green, blue = tables
    alpha = IDENTITY if image.mode == "RGBA" else ()
    return image.point((*red, *green, *blue, *alpha))


def by_table(image: Image.Image, one: Table) -> Image.Image:
    """Apply the same table to red, green and blue."""
    return by_tables(image, (one, one, one))


def on_colours(image: Image.Image, function: Callable[[Image.Image], Image.Image]) -> Image.Image:
    """Apply a function of RGB, and keep the picture's alpha."""
    if image.mode != "RGBA":
        return function(image)
    result = function(image.convert("RGB"))
    result.putalpha(image.getchannel("A"))
    return result


def enlarged(small: Image.Image, size: tuple[int, int], factor: int) -> Image.Image:
    """Enlarge a reduced picture to its old size; its last row and column may cover less than ``factor`` pixels."""
    return small.resize(size, Image.Resampling.BILINEAR, box=(0, 0, size[0] / factor, size[1] / factor))
