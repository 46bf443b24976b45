"""Count the parts of a file beside its pixels: a decoder reads each of them in Python, before it knows anything.

Twenty megabytes of empty segments of a JPEG took seven seconds and 700 MB, in a process that cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from mmap import mmap

#: Parts of an ordinary file; pixels of a PNG and long texts come in parts, too, of at least so many bytes on average.
_MOST_PARTS, _BYTES_A_PART = 500, 1024
#: Bytes before the pixels of a JPEG: its tags are put together one after the other, which takes their square.
_MOST_HEADER_BYTES = 8_000_000


def has_odd_header(data: bytes | mmap, kind: str) -> bool:
    """Return whether a file has far more beside its pixels than an ordinary one, so that it may take long to open."""
    parts = _PARTS.get(kind)
    if parts is None:
        return False
    most = _MOST_PARTS + len(data) // _BYTES_A_PART
    for number, end in enumerate(parts(data)):
        if number > most or (end > _MOST_HEADER_BYTES and kind in {"JPEG", "MPO"}):
            return True
    return False


def _jpeg_parts(data: bytes | mmap) -> Iterator[int]:
    """Yield the end of each segment before the pixels, and of each byte between segments."""
    at = 2
    while at + 4 <= len(data):
        marker = data[at + 1]
        if data[at] != 0xFF or marker in {0x00, 0xFF}:
            at += 1
        elif marker in {0xD9, 0xDA}:  # the end, or pixels
            return
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:  # those without a length
            at += 2
        else:
            at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
        yield at


def _png_parts(data: bytes | mmap) -> Iterator[int]:
    """Yield the end of each chunk."""
    at = 8
    while at + 8 <= len(data) and data[at + 4 : at + 8] != b"IEND":
        at += 12 + int.from_bytes(data[at : at + 4], "big")
        yield at


def _gif_parts(data: bytes | mmap) -> Iterator[int]:
    """Yield the end of each block before the first frame."""
    flags = data[10] if len(data) > 10 else 0
    at = 13 + (3 << ((flags & 7) + 1) if flags & 0x80 else 0)
    while at + 2 <= len(data) and data[at] != 0x2C:
        extension = data[at] == 0x21
        at += 2 if extension else 1
        while extension and at < len(data):
            extension = data[at] > 0  # an empty block is the last
            at += 1 + data[at]
            yield at
        yield at


_PARTS: dict[str, Callable[[bytes | mmap], Iterator[int]]] = {
    "JPEG": _jpeg_parts,
    "MPO": _jpeg_parts,
    "PNG": _png_parts,
    "GIF": _gif_parts,
}
