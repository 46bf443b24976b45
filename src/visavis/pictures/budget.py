"""Bounds on what decoding a file may cost, from its header: memory, scans of a JPEG, and all decodes at once.

A decoder cannot be interrupted, so a file is judged before it runs: most run here, heavy ones in a child process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

from visavis.pictures.errors import FailureReason, PictureError

#: Bytes a pixel at the peak of decoding, converting and scaling, measured on 64 and 196 megapixels.
_BYTES_A_PIXEL = {"JPEG": 4, "MPO": 4, "JPEG2000": 20, "AVIF": 10, "HEIF": 10}
_OTHER_BYTES_A_PIXEL = 8
#: Grey values of more than 8 bits are scaled as numbers.
_DEEP_BYTES_A_PIXEL = 16
#: A progressive JPEG has about a dozen scans; each is a pass over all its pixels.
MOST_SCANS = 100
_MOST_SCANNED_PIXELS = 3_000_000_000
#: A picture above this size must have a byte for so many pixels.
_LARGE_PIXELS = 20_000_000
_MOST_PIXELS_A_BYTE = 1000
#: What an ordinary picture takes at most: 30 megapixels of a progressive JPEG, 32 of a PNG.
_ORDINARY_BYTES, _ORDINARY_SCANS, _ORDINARY_SCANNED_PIXELS = 256_000_000, 24, 360_000_000


@dataclass(frozen=True)
class DecodeCost:
    """What decoding a file takes, by its header.

    Attributes:
        bytes: Memory at the peak.
        heavy: Whether it takes far more memory or time than an ordinary picture.
    """

    bytes: int
    heavy: bool


def decoded_bytes(kind: str, mode: str, size: tuple[int, int]) -> int:
    """Estimate the memory that decoding takes at its peak."""
    each = _BYTES_A_PIXEL.get(kind, _OTHER_BYTES_A_PIXEL)
    if mode in {"I", "F"} or mode.startswith("I;16"):
        each = max(each, _DEEP_BYTES_A_PIXEL)
    return size[0] * size[1] * each


def check_cost(data: bytes, kind: str, mode: str, full: tuple[int, int], read: tuple[int, int], limit: int,
               name: str) -> DecodeCost:  # fmt: skip
    """Return the estimated cost of a decode.

    Args:
        data: The file.
        kind: Its format.
        mode: Its mode in Pillow.
        full: Its size in pixels.
        read: The size that the decoder makes of it; smaller where it scales.
        limit: The memory allowed.
        name: The name for errors.

    Raises:
        PictureError: It would take more memory or time than is allowed.
    """
    pixels = full[0] * full[1]
    if pixels > _LARGE_PIXELS and pixels > _MOST_PIXELS_A_BYTE * len(data):
        detail = f"its {len(data):,} bytes claim {pixels / 1e6:,.0f} megapixels"
        raise PictureError(FailureReason.TOO_LARGE, name, detail)
    scans = 0
    if kind in {"JPEG", "MPO"}:
        # In coded pixels 0xFF is followed by zero or a restart marker, so this counts scans, and a few of thumbnails.
        scans = data.count(b"\xff\xda")
        if scans > MOST_SCANS or scans * pixels > _MOST_SCANNED_PIXELS:
            detail = f"it has {scans:,} scans, which would take too long to decode"
            raise PictureError(FailureReason.TOO_LARGE, name, detail)
    needed = decoded_bytes(kind, mode, read)
    if needed > limit:
        detail = f"decoding it takes about {needed / 1e6:,.0f} MB, more than the {limit / 1e6:,.0f} MB allowed"
        raise PictureError(FailureReason.TOO_LARGE, name, detail)
    slow = scans > _ORDINARY_SCANS or scans * pixels > _ORDINARY_SCANNED_PIXELS
    return DecodeCost(needed, heavy=slow or needed > _ORDINARY_BYTES)


class MemoryBudget:
    """Memory that all decodes of this process share: a large one waits for others. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self._changed = Condition()

    @contextmanager
    def reserve(self, size: int) -> Iterator[None]:
        """Hold ``size`` bytes of the budget; one that is larger than all of it runs alone."""
        with self._changed:
            self._changed.wait_for(lambda: self.used == 0 or self.used + size <= self.limit)
            self.used += size
        try:
            yield
        finally:
            with self._changed:
                self.used -= size
                self._changed.notify_all()
