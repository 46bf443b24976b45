"""Pixels of pictures for the browser: thumbnails, full size, downloads."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Literal

from PIL import Image

from visavis.apps.server.library.opened import Opened
from visavis.collections.sources.links import is_link
from visavis.editing import files
from visavis.errors import NotFoundError
from visavis.pictures.picture import Picture, content_id
from visavis.pictures.thumbnails import LONGEST, make_thumbnail

Format = Literal["png", "jpeg", "webp"]
MEDIA = {"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}
#: Formats that every browser shows as they are.
_SHOWN = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "GIF": "image/gif", "AVIF": "image/avif"}
_KEPT_BYTES = 64_000_000
#: Pixels of the longest side that WebP can count.
_LONGEST_WEBP = 16_383


class SmallCopies:
    """Copies between a thumbnail and the full picture, the latest kept in memory."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, int], bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, opened: Opened, id: str, size: int) -> bytes:
        """A WebP copy whose longest side is at most ``size``.

        Raises:
            NotFoundError: There is no such picture.
        """
        if size <= LONGEST:
            return _thumbnail(opened, id)
        key = (opened.name, id, size)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make_thumbnail(opened.bare.open_image(id, keep_alpha=True), size)
        with self._lock:
            self._bytes += len(made) - len(self._kept.pop(key, b""))
            self._kept[key] = made
            while self._bytes > _KEPT_BYTES:
                self._bytes -= len(self._kept.popitem(last=False)[1])
        return made


def _thumbnail(opened: Opened, id: str) -> bytes:
    try:
        return opened.bare.thumbnail(id).read_bytes()
    except OSError:  # removed, or damaged by hand: made again from the picture itself
        return make_thumbnail(opened.bare.open_image(id, keep_alpha=True))


def original(opened: Opened, id: str) -> tuple[bytes, str]:
    """The picture as a browser shows it: the file itself where it can, else a copy without loss to the eye.

    The copy of one that is too long for WebP, a panorama say, is a PNG.

    Only bytes with the picture's own hash are given away, so that a file that was replaced since, or a link that was
    bent, gives nothing.
    """
    picture = opened.bare.picture(id)
    data = _file_of(picture) if picture.format in _SHOWN else None
    if data is not None:
        return data, _SHOWN[picture.format]
    suffix: Format = "webp" if max(picture.width, picture.height) <= _LONGEST_WEBP else "png"
    return encoded(opened.bare.open_image(picture.id, keep_alpha=True), suffix), MEDIA[suffix]


def _file_of(picture: Picture) -> bytes | None:
    for path in picture.paths:
        if is_link(path):
            continue
        try:
            data = Path(path).read_bytes()
        except OSError:
            continue
        if content_id(data) == picture.id:
            return data
    if not any(is_link(path) for path in picture.paths):
        raise NotFoundError(f"No file holds the picture {picture.id} any more.", "Index its folder again.")
    return None


def encoded(image: Image.Image, suffix: Format) -> bytes:
    """A picture as a file of a format, without anything the camera wrote into it.

    Raises:
        BadInputError: It is longer than the format can count.
    """
    return files.encoded(image, Path(f"x.{suffix}"))
