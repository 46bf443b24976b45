"""Decode a picture's bytes to pixels: scaled by the decoder where possible, upright, in sRGB, within limits."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from threading import Condition

import numpy as np
from numpy.typing import NDArray
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageCms,
    ImageFile,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    PpmImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from visavis.pictures.exif import exif_attributes, read_exif, swaps_sides, transposition_of
from visavis.pictures.picture import AttributeValue, FailureReason, PictureError, content_id

#: Imported for their registration: otherwise Pillow loads every format it knows at the first picture that is no JPEG.
_PLUGINS = (
    AvifImagePlugin, BmpImagePlugin, GifImagePlugin, Jpeg2KImagePlugin, JpegImagePlugin, MpoImagePlugin,
    PngImagePlugin, PpmImagePlugin, TiffImagePlugin, WebPImagePlugin,
)  # fmt: skip

#: A JPEG decoder may scale down to no less than this many times the target size: below, fine detail gets lost in the
#: second step (three photographs, mean difference from fair scaling: 2.4 of 255 grey levels at 1.0, 1.9 at 1.25, 1.0
#: at 2.0), above it costs time (12 megapixels to 256 pixels: 33, 33 and 44 ms).
DECODER_GAP = 1.25
#: Likewise for other formats, where Pillow first averages whole blocks of pixels.
REDUCING_GAP = 2.0


@dataclass(frozen=True)
class DecodeLimits:
    """Limits that are checked before decoding, so that no file can exhaust the memory.

    Attributes:
        pixels: Width times height from the header; the largest phone cameras make 200 million.
        file_bytes: The size of the file.
        memory: Estimated bytes that decoding takes at its peak.
    """

    pixels: int = 200_000_000
    file_bytes: int = 512 * 1024 * 1024
    memory: int = 1_000_000_000


DEFAULT_LIMITS = DecodeLimits()

# Pillow has a limit of its own, for the whole process: it warns above it and refuses at twice as much. Raising it to
# ours avoids the warnings; it is never lowered or switched off.
if Image.MAX_IMAGE_PIXELS is not None:
    Image.MAX_IMAGE_PIXELS = max(Image.MAX_IMAGE_PIXELS, DEFAULT_LIMITS.pixels)
# Its log lines would break a progress bar; what matters is raised as an error that names the file.
warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)
logging.getLogger("PIL").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class OpenedPicture:
    """A decoded picture and its metadata.

    Attributes:
        id: The hash of the file's bytes.
        image: Upright, RGB (RGBA where alpha was kept and there is any), in sRGB; full size or scaled.
        width: Of the whole picture, upright, however much ``image`` was scaled.
        height: Likewise.
        bytes: Size of the file.
        format: "JPEG", "PNG", ...
        attributes: From EXIF: ``taken``, ``year``, ``latitude``, ``longitude``, ``camera``.
    """

    id: str
    image: Image.Image
    width: int
    height: int
    bytes: int
    format: str
    attributes: dict[str, AttributeValue] = field(default_factory=dict)


@cache
def heif_is_ready() -> bool:
    """Register the HEIC decoder, when its package is installed."""
    try:
        import pillow_heif
    except ImportError:
        return False
    pillow_heif.register_heif_opener()
    return True


@dataclass(frozen=True)
class DecodeTask:
    """How a file is to be decoded.

    Attributes:
        kind: Its format.
        name: The name for errors.
        shorter_side: Scale to this shorter side; None for the full size.
        keep_alpha: Whether transparency is kept.
        limits: The largest accepted picture.
        id: The hash of its bytes, when already known.
    """

    kind: str
    name: str
    shorter_side: int | None = None
    keep_alpha: bool = False
    limits: DecodeLimits = DEFAULT_LIMITS
    id: str | None = None


def decode(data: bytes, task: DecodeTask, heavy: Callable[[], OpenedPicture] | None = None) -> OpenedPicture:
    """Decode a file of a known format; a damaged file raises whatever the decoder raises.

    Args:
        data: The file.
        task: How to decode it.
        heavy: Decodes it instead, where that takes far more than an ordinary picture.
    """
    image: Image.Image = Image.open(io.BytesIO(data), formats=(task.kind,))
    full = image.size
    _check_pixels(full, task.limits, task.name)
    scaled = _scaled_size(full, task.shorter_side)
    box = _let_decoder_scale(image, scaled) if scaled != full else None
    cost = check_cost(data, task.kind, image.mode, full, image.size, task.limits.memory, task.name)
    if cost.heavy and heavy is not None:
        return heavy()
    with _BUDGET.reserve(cost.bytes):
        return _decoded(image, data, task, full, scaled, box)


def _decoded(
    image: Image.Image,
    data: bytes,
    task: DecodeTask,
    full: tuple[int, int],
    scaled: tuple[int, int],
    box: tuple[float, float, float, float] | None,
) -> OpenedPicture:
    image.load()
    exif = read_exif(image)
    transposition = transposition_of(exif)
    profile = image.info.get("icc_profile")
    image = to_plain_mode(image)
    if scaled != full:
        image = image.resize(scaled, Image.Resampling.BICUBIC, box=box, reducing_gap=REDUCING_GAP)
    image = to_srgb(image, profile)
    if transposition is not None:
        image = image.transpose(transposition)
    if not task.keep_alpha:
        image = flatten(image)
    width, height = full[::-1] if swaps_sides(transposition) else full
    id = task.id or content_id(data)
    return OpenedPicture(id, _detached(image), width, height, len(data), task.kind, exif_attributes(exif))


def no_room(error: BaseException) -> str:
    """Say that a picture did not fit in the memory; what Python raises then often has no words."""
    return f"it is too large to decode ({error})" if str(error) else "it is too large to decode"


def _check_pixels(size: tuple[int, int], limits: DecodeLimits, name: str) -> None:
    pixels = size[0] * size[1]
    if pixels > limits.pixels:
        found = f"{size[0]} x {size[1]} are {pixels / 1e6:,.0f} megapixels"
        raise PictureError(FailureReason.TOO_LARGE, name, f"{found}, more than the {limits.pixels / 1e6:,.0f} allowed")


def _scaled_size(full: tuple[int, int], shorter_side: int | None) -> tuple[int, int]:
    """Return the size with this shorter side; the full size where that is smaller already."""
    if shorter_side is None or min(full) <= shorter_side:
        return full
    scale = shorter_side / min(full)
    return max(1, round(full[0] * scale)), max(1, round(full[1] * scale))


def _let_decoder_scale(image: Image.Image, scaled: tuple[int, int]) -> tuple[float, float, float, float] | None:
    """Let a JPEG decoder scale down while decoding; returns the box of the picture in its output."""
    draft = image.draft(None, (int(scaled[0] * DECODER_GAP), int(scaled[1] * DECODER_GAP)))
    return draft[1] if draft else None


def _detached(image: Image.Image) -> Image.Image:
    """Return the bare pixels, without the decoder, its bytes, and tags that have been applied."""
    if isinstance(image, ImageFile.ImageFile):
        image = image.copy()
    image.info = {}
    return image


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


#: Of all decodes at once, in threads of this process.
_BUDGET = MemoryBudget(2 * DEFAULT_LIMITS.memory)


#: Modes that can be resized, and to which a colour profile can be applied, without conversion.
_PLAIN_MODES = frozenset({"L", "RGB", "RGBA", "CMYK", "LAB"})


def to_plain_mode(image: Image.Image) -> Image.Image:
    """Convert a picture to 8 bits a channel without palette, which can be resized without harm."""
    if image.mode in {"I", "F"} or image.mode.startswith("I;16"):
        return Image.fromarray(_to_8_bits(np.asarray(image)))
    if image.has_transparency_data:
        return image if image.mode == "RGBA" else image.convert("RGBA")
    if image.mode in _PLAIN_MODES:
        return image
    return image.convert("L" if image.mode == "1" else "RGB")


def to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """Convert a picture of a plain mode to RGB or RGBA in sRGB; a profile that does not fit the pixels is ignored."""
    target = "RGBA" if image.mode == "RGBA" else "RGB"
    if image.mode == "LAB" or profile:
        transform = _transform_to_srgb(profile if image.mode != "LAB" else None, image.mode, target)
        if transform is not None:
            return transform.apply(image)
    return image if image.mode == target else image.convert(target)


def flatten(image: Image.Image) -> Image.Image:
    """Composite an RGBA picture on white; return an RGB one unchanged."""
    if image.mode != "RGBA":
        return image
    paper = Image.new("RGB", image.size, "white")
    paper.paste(image, mask=image.getchannel("A"))
    return paper


def _to_8_bits(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Scale grey values of more than 8 bits by the range that their type or content implies."""
    numbers = np.nan_to_num(values.astype(np.float32), copy=False)
    low, high = float(numbers.min()), float(numbers.max())
    if values.dtype == np.uint16 or (low >= 0 and 255 < high <= 65535):
        low, high = 0.0, 65535.0
    elif low >= 0 and high <= 1 and values.dtype.kind == "f":
        low, high = 0.0, 1.0
    elif low >= 0 and high <= 255:
        low, high = 0.0, 255.0
    span = (high - low) or 1.0
    numbers -= low  # in place: a large picture takes its memory once
    numbers *= 255.0 / span
    return np.round(numbers, out=numbers).astype(np.uint8)


# Building a transform takes milliseconds and a camera puts the same profile into every file, so they are cached.
# Without lcms' one-pixel cache a transform holds no state, and threads may share it.
@lru_cache(maxsize=64)
def _transform_to_srgb(profile: bytes | None, mode: str, target: str) -> ImageCms.ImageCmsTransform | None:
    """Return the transform from a profile to sRGB, or None where none is needed or the profile is unusable."""
    try:
        source = ImageCms.createProfile("LAB") if profile is None else ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if profile is not None and "srgb" in ImageCms.getProfileDescription(source).lower():
            return None
        return ImageCms.buildTransform(
            source, ImageCms.createProfile("sRGB"), mode, target, flags=ImageCms.Flags.NOCACHE
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None
