"""Read and write picture files for editing, with or without EXIF, and the forms that edits work on."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageChops, ImageFilter
from PIL.ExifTags import IFD, Base

from visavis.editing.cutout.masks import within
from visavis.editing.operations.tone import DEEP, brightness, is_deep, shallow
from visavis.errors import BadInputError, StorageError
from visavis.files import replace_bytes
from visavis.pictures import open_picture
from visavis.pictures.decoder import flatten, to_plain_mode, to_srgb
from visavis.pictures.exif import read_exif, transposition_of

#: Suffix to format and its lossless options. JPEG is not "optimized": Pillow allocates too
#: small a buffer for noisy pictures, and fails.
_FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    ".jpg": ("JPEG", {"quality": 92, "subsampling": 0}),
    ".jpeg": ("JPEG", {"quality": 92, "subsampling": 0}),
    ".png": ("PNG", {"compress_level": 6}),
    ".webp": ("WEBP", {"quality": 92, "method": 4}),
    ".avif": ("AVIF", {"quality": 85, "speed": 8}),
    ".tif": ("TIFF", {"compression": "tiff_lzw"}),
    ".tiff": ("TIFF", {"compression": "tiff_lzw"}),
    ".bmp": ("BMP", {}),
    ".gif": ("GIF", {}),
}
_WITHOUT_ALPHA = frozenset({"JPEG", "BMP"})
_WITH_16_BITS = frozenset({"PNG", "TIFF"})
_WITH_EXIF = frozenset({"JPEG", "PNG", "WEBP", "AVIF", "TIFF"})


@dataclass(frozen=True)
class OpenFile:
    """A picture from a file, ready for editing.

    Attributes:
        image: Upright, RGB or RGBA in sRGB; 16-bit grey as it is.
        exif: The EXIF tags that may be kept: without the orientation and the old thumbnail.
        sha256: The hash of the file's bytes.
        id: The picture's id in collections.
    """

    image: Image.Image
    exif: bytes
    sha256: str
    id: str


def open_file(path: Path) -> OpenFile:
    """Open a picture for editing; transparency is kept, orientation and colour profile are applied."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise BadInputError(f"There is no file {path}.", "Check the path.") from error
    except OSError as error:
        raise StorageError(f"The file {path} cannot be read: {error.strerror or error}.") from error
    return open_bytes(data, str(path))


def open_bytes(data: bytes, name: str) -> OpenFile:
    """Open the bytes of a picture file for editing."""
    opened = open_picture(data, keep_alpha=True, name=name)
    return OpenFile(_deep(data) or opened.image, _exif_of(data), hashlib.sha256(data).hexdigest(), opened.id)


def save_file(image: Image.Image, path: Path, *, exif: bytes = b"", ground: tuple[int, int, int] | None = None) -> None:
    """Write a picture in the format of the suffix, atomically.

    Args:
        image: RGB, RGBA or 16-bit grey, which PNG and TIFF keep.
        path: Its folder must exist.
        exif: Tags to keep, as from ``open_file``.
        ground: The background of transparent pixels in a format without transparency; white by default.
    """
    replace_bytes(path, encoded(image, path, exif=exif, ground=ground), durable=True)


def encoded(image: Image.Image, path: Path, *, exif: bytes = b"", ground: tuple[int, int, int] | None = None) -> bytes:
    """Return the bytes of the file that ``save_file`` writes; only the suffix of the path matters."""
    kind, options = format_of(path)
    if kind not in _WITH_16_BITS:
        image = shallow(image)
    if kind in _WITHOUT_ALPHA and image.mode == "RGBA":
        image = flatten(image) if ground is None else _composite(image, ground)
    if exif and kind in _WITH_EXIF:
        options = {**options, "exif": _with_size(exif, image.size)}
    buffer = io.BytesIO()
    try:
        image.save(buffer, kind, **options)
    except (OSError, ValueError, OverflowError, RuntimeError) as error:  # such as a size beyond the format's limit
        raise BadInputError(f"The picture cannot be written as {kind}: {error}.", "Choose another format.") from error
    return buffer.getvalue()


def write_text(text: str, path: Path) -> None:
    """Write a text atomically."""
    replace_bytes(path, text.encode(), durable=True)


def can_write(path: Path) -> bool:
    """Return whether the suffix names a writable format."""
    return path.suffix.lower() in _FORMATS


def keeps_transparency(path: Path) -> bool:
    """Return whether the format of the suffix has an alpha channel."""
    return format_of(path)[0] not in (*_WITHOUT_ALPHA, "GIF")


def _deep(data: bytes) -> Image.Image | None:
    """Return a 16-bit grey picture, upright; None for every other kind."""
    with Image.open(io.BytesIO(data)) as image:
        if not image.mode.startswith("I;16"):
            return None
        image.load()
        transposition = transposition_of(read_exif(image))
        deep = image if image.mode == DEEP else image.convert(DEEP)
        return deep.transpose(transposition) if transposition is not None else deep.copy()


def format_of(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the format of a path's suffix, and its options."""
    known = _FORMATS.get(path.suffix.lower())
    if known is None:
        raise BadInputError(
            f"'{path.suffix or path.name}' names no format that can be written.", f"Use one of {' '.join(_FORMATS)}."
        )
    return known


def _composite(image: Image.Image, ground: tuple[int, int, int]) -> Image.Image:
    paper = Image.new("RGB", image.size, ground)
    paper.paste(image, mask=image.getchannel("A"))
    return paper


def _with_size(exif: bytes, size: tuple[int, int]) -> bytes:
    """Update the size in the tags, where they have one."""
    tags = Image.Exif()
    tags.load(exif)
    inner = tags.get_ifd(IFD.Exif)
    if Base.ExifImageWidth not in inner:
        return exif
    inner[Base.ExifImageWidth], inner[Base.ExifImageHeight] = size
    return tags.tobytes()


def _exif_of(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data)) as image:
        return kept_exif(image)


def kept_exif(image: Image.Image) -> bytes:
    """Return the tags that stay true after editing: without the orientation and the old thumbnail."""
    tags = read_exif(image)
    if not tags:
        return b""
    kept = Image.Exif()
    for tag, value in tags.items():
        if tag not in (Base.Orientation, IFD.Exif, IFD.GPSInfo, IFD.Interop, IFD.MakerNote):
            kept[tag] = value
    for directory in (IFD.Exif, IFD.GPSInfo):
        inner = {k: v for k, v in tags.get_ifd(directory).items() if k not in (IFD.MakerNote, IFD.Interop)}
        if directory == IFD.Exif and inner:
            inner[Base.ExifImageWidth] = inner[Base.ExifImageHeight] = 0  # set when the result is written
        if inner:
            kept.get_ifd(directory).update(inner)
    try:
        return kept.tobytes()
    except Exception:  # tags of an unknown type cannot be written back; the picture is fine without them
        return b""


def working_form(image: Image.Image) -> Image.Image:
    """A picture of any mode as upright 8-bit RGB (RGBA where it has transparency) in sRGB, without tags.

    Palettes, print colours and colour profiles are converted, 16 bits of grey are kept. The picture given is not
    changed; it is returned itself where it has this form already, for operations make new pictures, and a copy of
    twelve megapixels takes as long as many of them.
    """
    if not image.width or not image.height:
        raise BadInputError("The picture has no pixels.", "Give one of at least 1 x 1.")
    profile = image.info.get("icc_profile")
    transposition = transposition_of(read_exif(image))
    upright = image if transposition is None else image.transpose(transposition)
    result = upright if is_deep(upright) else to_srgb(to_plain_mode(upright), profile)
    if result is image:
        if not image.info:
            return image
        result = image.copy()
    result.info = {}
    return result


#: The outline of what is marked: seen on anything.
_MARK = (255, 0, 200)
#: What lies behind transparent parts: so many squares along the longer side, in these two greys.
_CHECKS, _CHECKERED = 48, (205, 240)


def reduced(image: Image.Image, longest: int) -> Image.Image:
    """A copy whose longer side is at most ``longest``; a smaller picture is copied as it is."""
    size = within(image.size, longest)
    image = shallow(image)  # a screen has no more than 8 bits
    return image.copy() if size == image.size else image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


def _on_checks(image: Image.Image) -> Image.Image:
    """The picture without transparency: what lies behind it is checkered."""
    side = max(4, max(image.size) // _CHECKS)
    rows, columns = (np.arange(length) // side % 2 for length in (image.height, image.width))
    checks = np.where(rows[:, None] ^ columns, *_CHECKERED).astype(np.uint8)
    ground = Image.fromarray(checks).convert("RGBA")
    return Image.alpha_composite(ground, image.convert("RGBA")).convert("RGB")


def mask_preview(image: Image.Image, mask: Image.Image) -> Image.Image:
    """The picture with everything but the thing darkened, and an outline around it."""
    fitted = mask.resize(image.size, Image.Resampling.BILINEAR)
    colours = _on_checks(image)
    shown = Image.composite(colours, brightness(colours, -65), fitted)
    solid = fitted.point(lambda value: 255 * (value >= 128))
    width = max(3, max(image.size) // 256 * 2 + 1)
    outline = ImageChops.subtract(solid.filter(ImageFilter.MaxFilter(width)), solid)
    shown.paste(_MARK, mask=outline)
    return shown
