"""Recognise the format of a file by its first bytes, since suffixes can be wrong, and a header that is odd for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from mmap import mmap

#: Suffixes of pictures; a scan reads only these.
PICTURE_SUFFIXES = frozenset(
    {
        *(".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".png", ".apng", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".dib"),
        *(".avif", ".avifs", ".heic", ".heics", ".heif", ".heifs", ".hif", ".jp2", ".j2k", ".jpx", ".j2c"),
        *(".ppm", ".pgm", ".pbm", ".pnm"),
    }
)

_HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_BMP_HEADER_SIZES = frozenset({12, 16, 40, 52, 56, 64, 108, 124})

_SIGNATURES = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"II+\0", "TIFF"),
    (b"MM\0+", "TIFF"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG2000"),
    (b"\xff\x4f\xff\x51", "JPEG2000"),
)

#: Formats that are recognised but not opened, most because rendering them means executing code in them.
_UNSUPPORTED = (
    # Atomic groups: otherwise a comment could end at each later "-->", and forty of them would take for ever.
    (
        re.compile(rb"\s*+(?><\?xml[^>]*>\s*)?(?>(?><!--.*?-->|<!DOCTYPE svg[^>]*>)\s*)*+<svg[\s>]", re.DOTALL),
        "an SVG drawing",
    ),
    (re.compile(rb"8BPS"), "a Photoshop file"),
    (re.compile(rb"%PDF-"), "a PDF document"),
    (re.compile(rb"%!PS|\xc5\xd0\xd3\xc6"), "a PostScript file"),
    (re.compile(rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n"), "a JPEG XL picture"),
    (re.compile(rb"\0\0\x01\0[\x01-\x40]\0"), "an icon"),
    (re.compile(rb"FUJIFILMCCD-RAW|.{4}ftypcrx ", re.DOTALL), "a camera's raw file"),
    (re.compile(rb"v/1\x01|#\?RADIANCE"), "a high dynamic range picture"),
    (re.compile(rb".{4}ftyp|\x1aE\xdf\xa3|RIFF.{4}AVI ", re.DOTALL), "a film"),
)


def picture_format(data: bytes) -> str | None:
    """Return the format of a file that can be opened (by Pillow's name), or None."""
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            return name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data[4:8] == b"ftyp":
        return _boxed_format(data)
    if data[:2] == b"BM" and int.from_bytes(data[14:18], "little") in _BMP_HEADER_SIZES:
        return "BMP"
    if re.match(rb"P[1-6]\s", data):
        return "PPM"
    return None


def unsupported_format(data: bytes) -> str | None:
    """Return the description of a known format that is not supported, or None."""
    return next((words for pattern, words in _UNSUPPORTED if pattern.match(data[:2048])), None)


def _boxed_format(data: bytes) -> str | None:
    """Tell AVIF from HEIF: they share the box structure, and the list of brands at the start differs."""
    size = min(int.from_bytes(data[:4], "big"), 256)
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, size, 4))}
    if brands & _AVIF_BRANDS:
        return "AVIF"
    return "HEIF" if brands & _HEIF_BRANDS else None


def is_cut_short(data: bytes, kind: str) -> bool:
    """Return whether the end of a file is missing; called only after decoding failed, to say why."""
    check = _ENDINGS.get(kind)
    return bool(check and check(data))


def _boxes_overrun(data: bytes) -> bool:
    """Return whether a file of boxes (length, name, content) ends inside one of them."""
    at = 0
    while at + 8 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if size == 1:
            size = int.from_bytes(data[at + 8 : at + 16], "big")
        if size == 0:  # extends to the end of the file
            return False
        at += max(size, 8)
    return at != len(data)


_ENDINGS: dict[str, Callable[[bytes], bool]] = {
    "JPEG": lambda data: b"\xff\xd9" not in data[-512:],
    "PNG": lambda data: b"IEND" not in data[-512:],
    "GIF": lambda data: not data.rstrip(b"\0").endswith(b";"),
    "WEBP": lambda data: len(data) < int.from_bytes(data[4:8], "little") + 8,
    "BMP": lambda data: len(data) < int.from_bytes(data[2:6], "little"),
    "AVIF": _boxes_overrun,
    "HEIF": _boxes_overrun,
    "JPEG2000": lambda data: b"\xff\xd9" not in data[-512:],
}


#: Parts of an ordinary file; pixels of a PNG and long texts come in parts, too, of at least so many bytes on average.
_MOST_PARTS, _BYTES_A_PART = 500, 1024
#: Bytes before the pixels of a JPEG: its tags are put together one after the other, which takes their square.
_MOST_HEADER_BYTES = 8_000_000


def has_odd_header(data: bytes | mmap, kind: str) -> bool:
    """Return whether a file has far more beside its pixels than an ordinary one, so that it may take long to open.

    A decoder reads each part in Python, before it knows anything: twenty megabytes of empty segments of a JPEG took
    seven seconds and 700 MB, in a process that cannot be interrupted.
    """
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
