"""WebAssembly kernels: inner loops at the speed of machine code, without a compiler on the user's machine.

They are written in WebAssembly's text format (``*.wat``, beside this file), a few lines each of SIMD
instructions, and compiled on first use. Their results are the same to the bit on every machine, and they run in a
sandboxed memory of their own.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import sys
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import wasmtime

_PAGE = 65_536
_LINE = 64
_MADV_HUGEPAGE = 14


class Machine:
    """A compiled module with shared memory.

    Attributes:
        memory: Its bytes; they live as long as the machine or any array that refers to them.
    """

    memory: NDArray[np.uint8]

    def __init__(self, name: str, size: int) -> None:
        """Instantiate ``name.wat`` with at least ``size`` bytes of memory, all zero."""
        import wasmtime

        try:
            self._start(name, size, reserved=True)
        except wasmtime.WasmtimeError:
            # With limited address space (`ulimit -v`) 4 GiB cannot be reserved; each access is checked instead.
            try:
                self._start(name, size, reserved=False)
            except wasmtime.WasmtimeError as error:
                raise MemoryError(f"There is no room for {size} bytes of pixels.") from error

    def _start(self, name: str, size: int, *, reserved: bool) -> None:
        import wasmtime

        engine, module = _compiled(name, reserved)
        self._store = wasmtime.Store(engine)
        self._exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        room = cast("wasmtime.Memory", self._exports["memory"])
        room.grow(self._store, max(0, -(-size // _PAGE) - room.size(self._store)))
        window = _Window(self._store, ctypes.addressof(room.data_ptr(self._store).contents), room.data_len(self._store))
        _ask_for_large_pages(window.address, window.size)
        self.memory = np.asarray(window)

    def run(self, function: str, *arguments: int) -> None:
        """Call one of the module's functions."""
        cast("wasmtime.Func", self._exports[function])(self._store, *arguments)


@dataclass(frozen=True)
class _Window:
    """The array interface of a memory, which also keeps that memory alive."""

    store: wasmtime.Store
    address: int
    size: int

    @property
    def __array_interface__(self) -> dict[str, object]:
        return {"version": 3, "shape": (self.size,), "typestr": "|u1", "data": (self.address, False)}


def aligned(place: int) -> int:
    """Round up to the next cache line."""
    return -(-place // _LINE) * _LINE


@cache
def _compiled(name: str, reserved: bool) -> tuple[wasmtime.Engine, wasmtime.Module]:
    import wasmtime

    atexit.register(_compiled.cache_clear)  # freeing them later, during interpreter shutdown, would print errors
    config = wasmtime.Config()
    config.parallel_compilation = False  # a page of code needs no threads, and a forked process would wait for them
    if not reserved:
        config.memory_reservation = config.memory_reservation_for_growth = config.memory_guard_size = 0
    engine = wasmtime.Engine(config)
    return engine, wasmtime.Module(engine, resources.files(__package__).joinpath(f"{name}.wat").read_text("utf-8"))


def _ask_for_large_pages(address: int, size: int) -> None:
    """Advise Linux to use huge pages, as NumPy does for its own arrays: allocation is twice as fast."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # only advice: everything works without it
            ctypes.CDLL(None).madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), _MADV_HUGEPAGE)
