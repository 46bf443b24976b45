"""Pictures seen through an affine map, at the speed of machine code without a compiler on the user's machine.

The inner loop (``affine.wat``) is WebAssembly: a few lines for the processor's vector instructions, compiled when first
used, in a memory of their own that they cannot leave. NumPy takes twice the time, because each of its steps passes all
pixels through the cache once more, and Pillow, pixel by pixel in floating point, three times.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import sys
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import wasmtime

Pixels = NDArray[np.uint32]

#: What the kernel is told of each row of the result: where its first pixel lies in the source, and which to compute.
ROW = np.dtype([("x", "<i8"), ("y", "<i8"), ("first", "<i4"), ("end", "<i4")])

_PHASES = 16
_ROWS_AT = 1024
_PAGE = 65_536
#: Rows that are computed at a time, and how wide the columns are that they are computed in: small enough for the cache,
#: large enough for calls to cost nothing.
_STRIP = 64
_TILE = 48
_MADV_HUGEPAGE = 14


def fixed(place: NDArray[np.floating] | float) -> NDArray[np.int64]:
    """Places or steps as the kernel counts them, with 32 binary digits after the point."""
    return np.rint(np.multiply(place, 2.0**32)).astype(np.int64)


def see_through(
    source: tuple[int, int],
    fill: Callable[[Pixels], None],
    rows: NDArray[np.void],
    width: int,
    step: tuple[float, float],
) -> Pixels:
    """The result of an affine map, ``[rows, width]``, four bytes a pixel.

    Args:
        source: Height and width of what is read.
        fill: Writes the source's pixels into an array of that shape, which is gone afterwards.
        rows: A ``ROW`` for each row of the result; pixels that it does not ask for are zero.
        width: How many pixels a row of the result has.
        step: How far apart two neighbours of such a row lie in the source, across and down.
    """
    kernel = _Kernel(source, (len(rows), width))
    fill(kernel.source)
    result = np.empty((len(rows), width), np.uint32)
    kernel.run(rows, step, result)
    return result


class _Kernel:
    """A memory with room for a source and a few rows of the result, and the code that works on it."""

    def __init__(self, source: tuple[int, int], result: tuple[int, int]) -> None:
        import wasmtime

        engine, module = _compiled()
        self._store = wasmtime.Store(engine)
        exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._code = cast("wasmtime.Func", exports["rows"])
        self._strip_at = _aligned(_ROWS_AT + ROW.itemsize * result[0])
        self._source_at = _aligned(self._strip_at + 4 * result[1] * min(_STRIP, result[0]))
        padded = source[0], _padded(source[1])
        size = self._source_at + 4 * padded[0] * padded[1]
        self._bytes = self._room(cast("wasmtime.Memory", exports["memory"]), size)
        self._write_weights()
        #: The pixels to read. They lie in the kernel's memory and go with it.
        self.source = self._part(self._source_at, padded)[:, : source[1]]

    def run(self, rows: NDArray[np.void], step: tuple[float, float], result: Pixels) -> None:
        """Compute the result, a few rows at a time."""
        self._bytes[_ROWS_AT : _ROWS_AT + rows.nbytes].view(ROW)[:] = rows
        across, down = (int(fixed(part)) for part in step)
        height, width = result.shape
        stride = self.source.strides[0]
        for top in range(0, height, _STRIP):
            count = min(_STRIP, height - top)
            strip = self._part(self._strip_at, (count, width))
            strip.fill(0)
            start, end = (_ROWS_AT + ROW.itemsize * row for row in (top, top + count))
            self._code(self._store, self._source_at, stride, across, down, start, end, self._strip_at, width, _TILE)
            result[top : top + count] = strip

    def _room(self, memory: wasmtime.Memory, size: int) -> NDArray[np.uint8]:
        import wasmtime

        try:
            memory.grow(self._store, -(-size // _PAGE))
        except wasmtime.WasmtimeError as error:
            raise MemoryError(f"No room for {size} bytes of pixels.") from error
        room = memory.get_buffer_ptr(self._store)
        _ask_for_large_pages(ctypes.addressof(room), len(room))
        return np.frombuffer(memoryview(room), np.uint8)

    def _part(self, start: int, shape: tuple[int, int]) -> Pixels:
        return self._bytes[start : start + 4 * shape[0] * shape[1]].view(np.uint32).reshape(shape)

    def _write_weights(self) -> None:
        """The kernel's two tables: for each sixteenth of a pixel what the near and the far one count."""
        far = np.arange(_PHASES, dtype=np.uint16)
        pairs = np.stack([_PHASES - far, far], axis=1)
        across, down = np.repeat(pairs, 4, axis=1), np.repeat(pairs, 8, axis=1)
        self._bytes[: across.nbytes] = across.reshape(-1).view(np.uint8)
        self._bytes[across.nbytes : across.nbytes + down.nbytes] = down.reshape(-1).view(np.uint8)


@cache
def _compiled() -> tuple[wasmtime.Engine, wasmtime.Module]:
    import wasmtime

    engine = wasmtime.Engine()
    atexit.register(_compiled.cache_clear)  # later, in an interpreter half taken down, freeing them would complain
    return engine, wasmtime.Module(engine, resources.files(__package__).joinpath("affine.wat").read_text("utf-8"))


def _aligned(place: int) -> int:
    """The next beginning of a line of the cache."""
    return -(-place // 64) * 64


def _padded(width: int) -> int:
    """How many pixels to keep for a row of the source, so that the rows' beginnings spread over the whole cache.

    The cache finds a line by its place within a page of 4096 bytes. Rows that begin one line further each do not push
    one another out where a steep run crosses many of them: a turn by 100 degrees takes six tenths of the time.
    """
    page, line = 1024, 16
    return width if width < page else width + (line - width) % page


def _ask_for_large_pages(address: int, size: int) -> None:
    """Let Linux give the memory in large pages, as NumPy does for its own arrays: it comes twice as fast."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # a wish: where it is not granted, all works as well
            ctypes.CDLL(None).madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), _MADV_HUGEPAGE)
