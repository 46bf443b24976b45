"""Region vectors of the embedded store in two files of their own.

The engine exchanges vectors as lists of Python numbers: reading 36 regions of 200 pictures takes it half a second.
Here a picture's regions are one block of bytes, one byte a number and a scale a vector, at an offset that a second
file records, with a checksum. A rewritten picture keeps its block, and the block of a removed one is reused.
"""

from __future__ import annotations

import logging
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, compress, pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import FloatArray
from visavis.errors import StorageError
from visavis.stores.base import Precision

DATA, PLACES = "regions.dat", "regions.idx"
_ENTRY = np.dtype([("key", ">u8"), ("rest", ">u8"), ("offset", "<u8"), ("count", "<u4"), ("check", "<u4")])
#: Values of ``check`` that are no checksum: the entry is free, or a version wrote it that made no checksums.
_FREE, _UNCHECKED = 0, 1
_LARGEST = 127
#: Multiplications that BLAS does on the calling thread.
_MULTIPLICATIONS = 262_144
#: Pictures whose blocks stay in memory after they were scored: as many as the second stage looks at.
_REMEMBERED = 400
_log = logging.getLogger(__name__)

#: The index of the entry, the offset of the block, its number of vectors.
_Place = tuple[int, int, int]


def quantised(vectors: FloatArray) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise vectors ``[n, d]`` to bytes ``[n, d]`` and one scale each, ``[n, 1]``; idempotent."""
    scale = np.maximum(np.abs(vectors).max(axis=-1, keepdims=True), 1e-12).astype(np.float32) / np.float32(_LARGEST)
    return np.rint(vectors / scale).astype(np.int8), scale


class RegionFile:
    """Blocks of vectors by picture. Thread-safe."""

    def __init__(self, folder: Path, dimension: int, precision: Precision) -> None:
        """Open the files in a folder, or create them.

        Args:
            folder: Their folder; the caller holds a lock against other processes.
            dimension: The length of the vectors.
            precision: ``float32`` stores them unchanged, anything else quantised.
        """
        self._dimension = dimension
        self._bytes = precision != "float32"
        self._width = dimension + 4 if self._bytes else 4 * dimension
        self._lock = Lock()
        self._closed = False
        flags = os.O_RDWR | os.O_CREAT
        self._data = os.open(folder / DATA, flags, 0o600)
        self._places = os.open(folder / PLACES, flags, 0o600)
        self._end = os.fstat(self._data).st_size
        self._entries = self._load(folder / PLACES)
        self._order = np.argsort(self._entries["key"], kind="stable")
        self._keys = self._entries["key"][self._order].astype(np.uint64)
        self._number = len(self._entries)
        self._recent: dict[str, tuple[_Place, int]] = {}
        self._free: dict[int, list[_Place]] = {}
        self._writes = 0
        #: The blocks that were scored last: the best of them are read next.
        self._scored: dict[str, NDArray[np.uint8]] = {}
        for slot in np.flatnonzero((self._entries["check"] == _FREE) & (self._entries["count"] > 0)):
            self._release(self._place(int(slot)))

    def _load(self, path: Path) -> NDArray[np.void]:
        whole = os.fstat(self._places).st_size // _ENTRY.itemsize
        os.ftruncate(self._places, whole * _ENTRY.itemsize)  # a partial entry was never acknowledged
        entries = np.fromfile(path, _ENTRY)
        lost = entries["offset"] + entries["count"].astype(np.uint64) * self._width > self._end
        entries[lost] = np.zeros(1, _ENTRY)
        return entries

    def write(self, regions: Mapping[str, FloatArray]) -> None:
        """Store the regions ``[r, d]`` of pictures, replacing existing ones."""
        with self._changing():
            for id, vectors in regions.items():
                block = self._pack(vectors)
                place, _ = self._find(id) or (None, _FREE)
                if place is None or place[2] != len(vectors):
                    if place is not None:
                        self._drop(id, place)
                    place = self._room(len(vectors))
                _write(self._data, block, place[1])
                self._note(id, place, _checksum(id, block))

    def read(self, ids: Sequence[str]) -> dict[str, FloatArray]:
        """Return the regions of the pictures that have any; damaged ones are left out, and the log says so."""
        scored = self._scored
        if scored and all(id in scored for id in ids):
            blocks = {id: scored[id] for id in ids}
            found, counts = list(blocks), [len(block) // self._width for block in blocks.values()]
            content = np.concatenate([*blocks.values(), np.empty(0, np.uint8)])
        else:
            found, counts, content = self._blocks(ids)
        # All at once: one picture alone takes longer to begin with than to do.
        vectors = self._unpack(content)
        ends = np.cumsum(counts, dtype=np.int64).tolist()
        starts = [0, *ends[:-1]]
        return {id: vectors[start:end] for id, start, end in zip(found, starts, ends, strict=False)}

    def best(self, ids: Sequence[str], vectors: FloatArray) -> dict[str, float]:
        """Return the mean over several vectors ``[v, d]`` of the best cosine with any region, as :meth:`read` does.

        Bytes become numbers a few hundred rows at a time, so that these stay in the processor's cache.
        """
        writes = self._writes
        found, counts, content = self._blocks(ids)
        if not found:
            return {}
        ends = [count * self._width for count in accumulate(counts)]
        with self._lock:
            if writes == self._writes and not self._closed and len(found) <= _REMEMBERED:
                self._scored = {id: content[a:b] for id, (a, b) in zip(found, pairwise([0, *ends]), strict=True)}
        rows = content.view(np.int8 if self._bytes else np.float32)
        rows = rows.reshape(-1, self._width if self._bytes else self._dimension)
        step = max(1, _MULTIPLICATIONS // (self._dimension * len(vectors)))
        some, cosines = np.empty((step, self._dimension), np.float32), np.empty((len(rows), len(vectors)), np.float32)
        for start in range(0, len(rows), step):
            part = rows[start : start + step, : self._dimension]
            some[: len(part)] = part
            np.matmul(some[: len(part)], vectors.T, out=cosines[start : start + len(part)])
        if self._bytes:
            cosines *= self._scales(rows)
        starts = np.cumsum([0, *counts])[:-1]
        highest = np.maximum.reduceat(cosines, starts, axis=0)
        means = highest.sum(axis=1, dtype=np.float64) / len(vectors)
        return dict(zip(found, means.tolist(), strict=True))

    def _blocks(self, ids: Sequence[str]) -> tuple[list[str], list[int], NDArray[np.uint8]]:
        """The pictures that have regions, how many each has, and the bytes of all; damaged ones are left out.

        The log says so. All are read into one array, which is not copied again.
        """
        with self._lock:
            self._check_open()
            found = self._find_all(ids)
            sizes = [count * self._width for (_, _, count), _ in found.values()]
            content = np.empty(sum(sizes), np.uint8)
            view, starts = content.data, [0, *accumulate(sizes)]
            blocks = [view[start:end] for start, end in pairwise(starts)]
            whole = [
                os.preadv(self._data, [block], place[1]) == len(block)
                for block, (place, _) in zip(blocks, found.values(), strict=True)
            ]
        sound = [
            read and check in (_UNCHECKED, _checksum(id, block))
            for (id, (_, check)), block, read in zip(found.items(), blocks, whole, strict=True)
        ]
        if not all(sound):
            damaged = [id for id, is_sound in zip(found, sound, strict=True) if not is_sound]
            _log.warning(
                "the regions of %d pictures are damaged (%s): visavis collection verify NAME --repair makes them anew",
                len(damaged),
                min(damaged),
            )
            found = {id: found[id] for id in found if id not in damaged}
            content = np.frombuffer(b"".join(compress(blocks, sound)), np.uint8)
        return list(found), [count for (_, _, count), _ in found.values()], content

    def remove(self, ids: Sequence[str]) -> None:
        """Remove pictures; unknown ones are skipped."""
        with self._changing():
            for id in ids:
                if known := self._find(id):
                    self._drop(id, known[0])

    def flush(self) -> None:
        """Sync everything to disk."""
        os.fsync(self._data)
        os.fsync(self._places)

    def close(self) -> None:
        """Flush and close the files; a second close does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed, self._scored = True, {}
            self.flush()
            os.close(self._data)
            os.close(self._places)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            self._check_open()
            self._writes += 1
            self._scored = {}
            yield

    def _check_open(self) -> None:
        if self._closed:  # closed file descriptors may have been reused
            raise StorageError("The store is closed.", "Open it again.")

    def _find(self, id: str) -> tuple[_Place, int] | None:
        """The place of a picture's block and its checksum."""
        if id in self._recent:
            return self._recent[id]
        key, rest = _halves(id)
        at = int(np.searchsorted(self._keys, np.uint64(key)))
        while at < len(self._keys) and int(self._keys[at]) == key:
            slot = int(self._order[at])
            if (check := int(self._entries["check"][slot])) and int(self._entries["rest"][slot]) == rest:
                return self._place(slot), check
            at += 1
        return None

    def _find_all(self, ids: Sequence[str]) -> dict[str, tuple[_Place, int]]:
        found = {id: self._recent[id] for id in ids if id in self._recent}
        others = [id for id in dict.fromkeys(ids) if id not in found]
        if others and len(self._keys):
            halves = np.frombuffer(bytes.fromhex("".join(others)), ">u8").astype(np.uint64).reshape(-1, 2)
            at = np.searchsorted(self._keys, halves[:, 0]).clip(max=len(self._keys) - 1)
            slots = self._order[at]
            entries = self._entries[slots]
            same = (self._keys[at] == halves[:, 0]) & (entries["rest"] == halves[:, 1]) & (entries["check"] != _FREE)
            places = zip(slots.tolist(), entries["offset"].tolist(), entries["count"].tolist(), strict=True)
            each = zip(others, same.tolist(), places, entries["check"].tolist(), strict=True)
            for id, is_it, place, check in each:
                if known := (place, check) if is_it else self._find(id):  # a removed picture may have the same key
                    found[id] = known
        return found

    def _place(self, slot: int) -> _Place:
        entry = self._entries[slot]
        return slot, int(entry["offset"]), int(entry["count"])

    def _room(self, count: int) -> _Place:
        """Allocate space for so many vectors: a free block, or a new one at the end."""
        if free := self._free.get(count):
            return free.pop()
        place = (self._number, self._end, count)
        self._number += 1
        self._end += count * self._width
        return place

    def _drop(self, id: str, place: _Place) -> None:
        self._recent.pop(id, None)
        if place[0] < len(self._entries):
            self._entries["check"][place[0]] = _FREE
        self._write_entry(id, place, _FREE)
        self._release(place)

    def _release(self, place: _Place) -> None:
        self._free.setdefault(place[2], []).append(place)

    def _note(self, id: str, place: _Place, check: int) -> None:
        self._recent[id] = place, check
        self._write_entry(id, place, check)

    def _write_entry(self, id: str, place: _Place, check: int) -> None:
        slot, offset, count = place
        entry = np.array([(*_halves(id), offset, count, check)], _ENTRY)
        _write(self._places, entry.tobytes(), slot * _ENTRY.itemsize)

    def _pack(self, vectors: FloatArray) -> bytes:
        vectors = np.ascontiguousarray(vectors, np.float32)
        if not self._bytes:
            return vectors.tobytes()
        codes, scale = quantised(vectors)
        return np.concatenate([codes, scale.astype("<f4").view(np.int8)], axis=1).tobytes()

    def _unpack(self, content: NDArray[np.uint8]) -> FloatArray:
        if not self._bytes:
            return content.view(np.float32).reshape(-1, self._dimension)
        rows = content.view(np.int8).reshape(-1, self._width)
        vectors = rows[:, : self._dimension].astype(np.float32)
        vectors *= self._scales(rows)
        return vectors

    def _scales(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        """The scale of each row of bytes, ``[n, 1]``."""
        return np.ascontiguousarray(rows[:, self._dimension :]).view("<f4")


def _halves(id: str) -> tuple[int, int]:
    return int(id[:16], 16), int(id[16:], 16)


def _checksum(id: str, block: bytes | memoryview) -> int:
    """The checksum of a picture's block; never one of the values that are none."""
    return max(zlib.crc32(block, zlib.crc32(id.encode())), _UNCHECKED + 1)


def _write(file: int, content: bytes, offset: int) -> None:
    written = os.pwrite(file, content, offset)
    while written < len(content):  # a full disk accepts a part, and fails at the next attempt
        written += os.pwrite(file, content[written:], offset + written)
