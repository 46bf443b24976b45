"""Turning by a free angle: every new pixel is the bilinear mean of the four old ones around it, in whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.editing.operations.affine import ROW, Pixels, fixed, see_through

#: From a place of the result back to the picture, as Pillow's AFFINE has it: x = a x' + b y' + c, y = d x' + e y' + f.
Back = tuple[float, float, float, float, float, float]

#: Rows that are taken over from Pillow at a time: they stay in the cache on their way through two copies.
_STRIP = 16
#: Half of the sixteenth of a pixel that places are rounded to.
_HALF = 1 / 32
_OPAQUE = np.frombuffer(bytes((0, 0, 0, 255)), np.uint32)[0]


def turned(image: Image.Image, size: tuple[int, int], back: Back, *, endless: bool = False) -> Image.Image:
    """An RGB or RGBA picture seen through an affine map, as RGBA.

    Args:
        image: The picture.
        size: Width and height of the result.
        back: From the result to the picture.
        endless: The outermost pixels go on for ever beside the picture, instead of a soft edge to nothing.
    """
    clear = image.mode == "RGBA"
    # Where colours are multiplied with their alpha, invisible ones do not shine through at the rim of visible ones.
    source = image.convert("RGBa") if clear else image

    def fill(framed: Pixels) -> None:
        _copy(source, framed[1:-2, 1:-2])
        _frame(framed, endless=endless, clear=clear)

    framed = image.height + 3, image.width + 3
    pixels = see_through(framed, fill, _rows(image.size, size, back), size[0], (back[0], back[3]))
    if clear:
        return Image.frombuffer("RGBa", size, pixels, "raw", "RGBa", 0, 1).convert("RGBA")
    return Image.frombuffer("RGBA", size, pixels, "raw", "RGBA", 0, 1)


def _rows(source: tuple[int, int], size: tuple[int, int], back: Back) -> NDArray[np.void]:
    """Where each row of the result begins in the framed picture, and which of its pixels touch the picture."""
    a, b, c, d, e, f = back
    middles = np.arange(size[1]) + 0.5
    across, down = middles * b + (a * 0.5 + c + 0.5), middles * e + (d * 0.5 + f + 0.5)
    rows = np.empty(size[1], ROW)
    rows["x"], rows["y"] = fixed(across + _HALF), fixed(down + _HALF)
    first, last = np.zeros(size[1]), np.full(size[1], size[0] - 1.0)
    for starts, step, length in ((across, a, source[0]), (down, d, source[1])):
        # Nearer than half a sixteenth to the frame's outer side, a pixel is nothing but frame.
        ends = np.stack([_HALF - starts, length + 1 - _HALF - starts])
        # Without a step, all of a row touches the picture or none of it does.
        ends = ends / step if fixed(step) else np.where(ends <= 0, -np.inf, np.inf)
        first, last = np.maximum(first, ends.min(axis=0)), np.minimum(last, ends.max(axis=0))
    rows["first"] = np.ceil(np.minimum(first, size[0]))
    rows["end"] = np.floor(np.maximum(last, -1)) + 1
    return rows


def _copy(image: Image.Image, pixels: Pixels) -> None:
    for top in range(0, image.height, _STRIP):
        strip = image.crop((0, top, image.width, min(image.height, top + _STRIP)))
        raw = strip.tobytes("raw", "RGBX" if image.mode == "RGB" else image.mode)
        values = np.frombuffer(raw, np.uint32).reshape(strip.height, strip.width)
        # Pillow's fourth byte of an RGB pixel means nothing, and is not always 255.
        pixels[top : top + strip.height] = values | _OPAQUE if image.mode == "RGB" else values


def _frame(framed: Pixels, *, endless: bool, clear: bool) -> None:
    """Repeat the outermost pixels once before the picture and twice behind it.

    They are invisible there, unless they shall go on for ever; an opaque picture's keep their colour, so that its soft
    edge fades from that and not to black.
    """
    kept = ~np.uint32(0) if endless else np.uint32(0) if clear else ~_OPAQUE
    framed[1:-2, 0] = framed[1:-2, 1] & kept
    framed[1:-2, -2:] = framed[1:-2, -3:-2] & kept
    framed[0] = framed[1] & kept
    framed[-2:] = framed[-3] & kept
