"""Rotation by any angle: bilinear interpolation in integer arithmetic (``affine.wat``)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.editing.operations.machine import Machine, aligned

Pixels = NDArray[np.uint32]

#: The kernel's parameters of each row of the result: the source position of its first pixel, and which to compute.
ROW = np.dtype([("x", "<i8"), ("y", "<i8"), ("first", "<i4"), ("end", "<i4")])

_PHASES = 16
#: After the tables of weights.
_ROWS_AT = 1024
#: Rows of a strip and width of its columns: small enough for the cache,
#: large enough to hide the cost of a call.
_ROWS_AT_ONCE = 64
_TILE = 48


def fixed(place: NDArray[np.floating] | float) -> NDArray[np.int64]:
    """Convert coordinates to fixed point with 32 fractional bits."""
    return np.rint(np.multiply(place, 2.0**32)).astype(np.int64)


def transformed(
    source: tuple[int, int],
    fill: Callable[[Pixels], None],
    rows: NDArray[np.void],
    width: int,
    step: tuple[float, float],
) -> Pixels:
    """Return the result of an affine map, ``[rows, width]``, four bytes a pixel.

    Args:
        source: Height and width of the source.
        fill: Writes the source's pixels into an array of that shape, which is invalid afterwards.
        rows: A ``ROW`` for each row of the result; pixels outside of it are zero.
        width: The width of the result.
        step: The distance of two neighbours of such a row in the source, across and down.
    """
    strip_at = aligned(_ROWS_AT + rows.nbytes)
    source_at = aligned(strip_at + 4 * width * min(_ROWS_AT_ONCE, len(rows)))
    stride = 4 * _padded(source[1])
    machine = Machine("affine", source_at + stride * source[0])
    _write_weights(machine.memory)
    machine.memory[_ROWS_AT : _ROWS_AT + rows.nbytes] = rows.view(np.uint8)
    fill(_pixels(machine, source_at, (source[0], stride // 4))[:, : source[1]])
    result = np.empty((len(rows), width), np.uint32)
    across, down = (int(fixed(part)) for part in step)
    for top in range(0, len(rows), _ROWS_AT_ONCE):
        part = result[top : top + _ROWS_AT_ONCE]
        strip = _pixels(machine, strip_at, (len(part), width))
        strip.fill(0)
        start, end = (_ROWS_AT + ROW.itemsize * row for row in (top, top + len(part)))
        machine.run("rows", source_at, stride, across, down, start, end, strip_at, width, _TILE)
        part[:] = strip
    return result


def _pixels(machine: Machine, start: int, shape: tuple[int, int]) -> Pixels:
    return machine.memory[start : start + 4 * shape[0] * shape[1]].view(np.uint32).reshape(shape)


def _write_weights(memory: NDArray[np.uint8]) -> None:
    """Write the kernel's two tables: the weights of the near and the far pixel for each sixteenth of a pixel."""
    far = np.arange(_PHASES, dtype=np.uint16)
    pairs = np.stack([_PHASES - far, far], axis=1)
    across, down = np.repeat(pairs, 4, axis=1), np.repeat(pairs, 8, axis=1)
    memory[: across.nbytes] = across.reshape(-1).view(np.uint8)
    memory[across.nbytes : across.nbytes + down.nbytes] = down.reshape(-1).view(np.uint8)


def _padded(width: int) -> int:
    """Return the padded length of a source row, so that the starts of rows spread over the whole cache.

    The cache is indexed by the offset within a page of 4096 bytes. Rows that start one line further each do not evict
    one another where a steep path crosses many of them: a rotation by 100 degrees takes six tenths of the time.
    """
    page, line = 1024, 16
    return width if width < page else width + (line - width) % page


#: The inverse map from the result to the picture, as Pillow's AFFINE has it: x = a x' + b y' + c, y = d x' + e y' + f.
Back = tuple[float, float, float, float, float, float]

#: Rows copied from Pillow at a time: they stay in the cache through two copies.
_STRIP_ROWS = 16
#: Half of the sixteenth of a pixel that coordinates are rounded to.
_HALF = 1 / 32
_OPAQUE = np.frombuffer(bytes((0, 0, 0, 255)), np.uint32)[0]


def turned(image: Image.Image, size: tuple[int, int], back: Back, *, endless: bool = False) -> Image.Image:
    """Transform an RGB or RGBA picture by an affine map, to RGBA.

    Args:
        image: The picture.
        size: Width and height of the result.
        back: The inverse map, from the result to the picture.
        endless: Repeat the border pixels outside the picture, instead of a soft edge to transparency.
    """
    clear = image.mode == "RGBA"
    # With premultiplied alpha, invisible colours do not show at the border of visible ones.
    source = image.convert("RGBa") if clear else image

    def fill(framed: Pixels) -> None:
        _copy(source, framed[1:-2, 1:-2])
        _frame(framed, endless=endless, clear=clear)

    framed = image.height + 3, image.width + 3
    pixels = transformed(framed, fill, _rows(image.size, size, back), size[0], (back[0], back[3]))
    if clear:
        return Image.frombuffer("RGBa", size, pixels, "raw", "RGBa", 0, 1).convert("RGBA")
    return Image.frombuffer("RGBA", size, pixels, "raw", "RGBA", 0, 1)


def _rows(source: tuple[int, int], size: tuple[int, int], back: Back) -> NDArray[np.void]:
    """Return where each row of the result starts in the padded picture, and which of its pixels touch the picture."""
    a, b, c, d, e, f = back
    middles = np.arange(size[1]) + 0.5
    across, down = middles * b + (a * 0.5 + c + 0.5), middles * e + (d * 0.5 + f + 0.5)
    rows = np.empty(size[1], ROW)
    rows["x"], rows["y"] = fixed(across + _HALF), fixed(down + _HALF)
    first, last = np.zeros(size[1]), np.full(size[1], size[0] - 1.0)
    for starts, step, length in ((across, a, source[0]), (down, d, source[1])):
        # Nearer than half a sixteenth to the padding's outer side, a pixel is padding only.
        ends = np.stack([_HALF - starts, length + 1 - _HALF - starts])
        # Without a step, all of a row touches the picture or none of it does.
        ends = ends / step if fixed(step) else np.where(ends <= 0, -np.inf, np.inf)
        first, last = np.maximum(first, ends.min(axis=0)), np.minimum(last, ends.max(axis=0))
    rows["first"] = np.ceil(np.minimum(first, size[0]))
    rows["end"] = np.floor(np.maximum(last, -1)) + 1
    return rows


def _copy(image: Image.Image, pixels: Pixels) -> None:
    for top in range(0, image.height, _STRIP_ROWS):
        strip = image.crop((0, top, image.width, min(image.height, top + _STRIP_ROWS)))
        raw = strip.tobytes("raw", "RGBX" if image.mode == "RGB" else image.mode)
        values = np.frombuffer(raw, np.uint32).reshape(strip.height, strip.width)
        # Pillow's fourth byte of an RGB pixel is undefined, and not always 255.
        pixels[top : top + strip.height] = values | _OPAQUE if image.mode == "RGB" else values


def _frame(framed: Pixels, *, endless: bool, clear: bool) -> None:
    """Repeat the border pixels once before the picture and twice after it.

    They are transparent there, unless they are endless; those of an opaque picture keep their colour, so that its soft
    edge fades from that and not to black.
    """
    kept = ~np.uint32(0) if endless else np.uint32(0) if clear else ~_OPAQUE
    framed[1:-2, 0] = framed[1:-2, 1] & kept
    framed[1:-2, -2:] = framed[1:-2, -3:-2] & kept
    framed[0] = framed[1] & kept
    framed[-2:] = framed[-3] & kept
