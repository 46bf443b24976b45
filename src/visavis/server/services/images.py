"""Image files in and out: thumbnails, full size, downloads, uploads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path, PurePath
from threading import Lock
from typing import BinaryIO, Literal, TypeVar, cast

from cachetools import LRUCache
from PIL import Image

from visavis.collections.database import PictureRow
from visavis.collections.sources.links import is_link
from visavis.database import as_utc
from visavis.editing import files
from visavis.errors import BadInputError, NotFoundError, StorageError, VisavisError
from visavis.pictures.decoder import DecodeLimits
from visavis.pictures.exif import read_exif, shot_details
from visavis.pictures.formats import has_odd_header
from visavis.pictures.picture import Details, Origin, Picture, content_id, content_id_of
from visavis.pictures.reader import APART, open_regular, open_scaled
from visavis.pictures.thumbnails import LONGEST, make_thumbnail
from visavis.server.models.collections import Added, RefusedFile
from visavis.server.models.pictures import PictureModel
from visavis.server.services.collections import OpenCollection
from visavis.server.settings import ServerLimits

Format = Literal["png", "jpeg", "webp"]
Found = TypeVar("Found")
#: The edit that leaves transparent parts.
_CUT_OUT = "image_cutout"
MEDIA = {"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}
#: Formats that every browser shows as they are.
_BROWSER_FORMATS = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "AVIF": "image/avif",
}
#: Suffixes of files in these formats, by media type.
BROWSER_SUFFIXES = {media: "jpg" if name == "JPEG" else name.lower() for name, media in _BROWSER_FORMATS.items()}
#: Formats without tags. A comment in a PPM is read byte by byte, for as long as it goes on.
_WITHOUT_TAGS = frozenset({"PPM"})
#: Larger files of formats whose tags may be as large as the file are not asked for them.
_LARGEST_APART = 32_000_000
#: Bytes in the cache of copies.
_CACHED_BYTES = 64_000_000
#: The longest side of a WebP file, in pixels.
_LONGEST_WEBP = 16_383
#: What file systems do not take in a name.
_NOT_IN_NAMES = frozenset('/\\:*?"<>|')
_LONGEST_NAME = 120


class ThumbnailCache:
    """WebP copies of pictures; those larger than a stored thumbnail are in an LRU cache."""

    def __init__(self) -> None:
        self._cache: LRUCache[tuple[str, str, int], bytes] = LRUCache(_CACHED_BYTES, len)
        self._lock = Lock()

    def get(self, opened: OpenCollection, id: str, size: int) -> bytes:
        """A WebP copy whose longest side is at most ``size``.

        Raises:
            NotFoundError: There is no such picture.
        """
        if size <= LONGEST:
            return _thumbnail(opened, id)
        key = (opened.name, id, size)
        with self._lock:
            kept = self._cache.get(key)
        if kept is None:
            kept = make_thumbnail(opened.bare.open_image(id, keep_alpha=True), size)
            with self._lock:
                self._cache[key] = kept
        return kept


def _thumbnail(opened: OpenCollection, id: str) -> bytes:
    try:
        return opened.bare.thumbnail(id).read_bytes()
    except OSError:  # removed, or damaged by hand: made again from the picture itself
        return make_thumbnail(opened.bare.open_image(id, keep_alpha=True))


def browser_file(opened: OpenCollection, id: str) -> tuple[BinaryIO, str] | None:
    """The open file of a picture that browsers can show as it is, and its media type; None for another one.

    Only bytes with the picture's own hash are sent: a file that was replaced since, or a symbolic link that was
    changed, is not.

    Raises:
        NotFoundError: There is no such picture, or no file of it.
    """
    picture = opened.bare.picture(id)
    file = _file_of(picture) if picture.format in _BROWSER_FORMATS else None
    return (file, _BROWSER_FORMATS[picture.format]) if file is not None else None


def browser_copy(opened: OpenCollection, id: str) -> tuple[BinaryIO, str]:
    """A copy of a picture that browsers can show, without loss to the eye, in a temporary file; and its media type.

    The copy of one that is too long for WebP, a panorama say, is a PNG.
    """
    picture = opened.bare.picture(id)
    suffix = _copy_format(picture)
    return encoded_file(opened, picture.id, suffix), MEDIA[suffix]


def encoded_file(opened: OpenCollection, id: str, suffix: Format) -> BinaryIO:
    """A picture in a temporary file of a format."""
    image = opened.bare.open_image(id, keep_alpha=True)
    return temporary_file(opened, lambda file: file.write(encoded(image, suffix)))


def temporary_file(opened: OpenCollection, write: Callable[[BinaryIO], object]) -> BinaryIO:
    """A file without a name for what is sent to a client that may take long to read it.

    It is beside the collection and not in the system's folder for temporary files, which may be memory.

    Raises:
        StorageError: The disk is full.
    """
    folder, file = opened.bare.place.folder, None
    try:
        file = cast("BinaryIO", tempfile.TemporaryFile(dir=folder))  # noqa: SIM115  (closed when it is sent)
        write(file)
        file.seek(0)
    except BaseException as error:
        if file is not None:
            with suppress(OSError):  # closing writes what is left
                file.close()
        if isinstance(error, OSError) and not isinstance(error, VisavisError):
            problem = f"A file cannot be made in {folder}: {error.strerror or error}."
            raise StorageError(problem, "Free some space.") from error
        raise
    return file


def browser_media(picture: Picture) -> str:
    """The media type in which a picture is sent whose file is on this machine."""
    return _BROWSER_FORMATS.get(picture.format) or MEDIA[_copy_format(picture)]


def _copy_format(picture: Picture) -> Format:
    return "webp" if max(picture.width, picture.height) <= _LONGEST_WEBP else "png"


def _file_of(picture: Picture) -> BinaryIO | None:
    """The open file of a picture; None where it is only on the web.

    Somebody may have put a pipe or a device in its place, or a file of any size: they are not read.
    """
    for path in picture.paths:
        if is_link(path):
            continue
        try:
            file = open_regular(path)
        except (OSError, ValueError):
            continue
        try:
            if os.fstat(file.fileno()).st_size == picture.bytes and content_id_of(file) == picture.id:
                file.seek(0)
                return file
        except OSError:
            pass
        file.close()
    if not any(is_link(path) for path in picture.paths):
        raise NotFoundError(f"No file holds the picture {picture.id} any more.", "Index its folder again.")
    return None


def how_taken(picture: Picture) -> dict[str, str]:
    """What the camera wrote into a picture's file about how it was taken; nothing where the file cannot be read."""
    return _from_tags(picture, lambda image: shot_details(read_exif(image)), {})


def _from_tags(picture: Picture, read: Callable[[Image.Image], Found], nothing: Found) -> Found:
    """Something read from the tags of a picture's file, whose pixels are not decoded for it."""
    try:
        file = _file_of(picture) if picture.format not in _WITHOUT_TAGS else None
        if file is None:
            return nothing
        with file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            if has_odd_header(data, picture.format) or (picture.format in APART and len(data) > _LARGEST_APART):
                return nothing
            image = Image.open(file, formats=(picture.format,))
            if picture.format == "PNG" and "exif" not in image.info:
                return nothing  # Pillow would decode all of it to look for tags behind the pixels
            return read(image)
    except (VisavisError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return nothing


def download_file(opened: OpenCollection, id: str, wanted: Format | None) -> tuple[BinaryIO, str, str]:
    """A picture to keep, its media type and the name of its file.

    Without a format, one that was not edited is its own file, byte for byte. Every other one has the tags of its file,
    or of the one that it was made of: when, where and with which camera it was taken.

    Raises:
        NotFoundError: There is no such picture, or no file of it.
    """
    picture = opened.bare.picture(id)
    source = _source(opened, picture)
    own = _file_of(picture) if wanted is None and source is picture else None
    if own is not None:
        name = PurePath(picture.path)
        uploaded = name.stem == picture.id and picture.format == "JPEG"
        suffix = "jpg" if uploaded else name.suffix.removeprefix(".") or picture.format.lower()
        return own, _BROWSER_FORMATS.get(picture.format, "application/octet-stream"), _named(source, picture, suffix)
    made = wanted or own_format(opened, id)
    image, tags = opened.bare.open_image(picture.id, keep_alpha=True), _from_tags(source, files.kept_exif, b"")
    file = temporary_file(opened, lambda file: file.write(files.encoded(image, Path(f"x.{made}"), exif=tags)))
    return file, MEDIA[made], _named(source, picture, "jpg" if made == "jpeg" else made)


def _named(source: Picture, picture: Picture, suffix: str) -> str:
    """The name of a file for a picture: that of its own file; an edited one is called after its source.

    An uploaded one has the name it came with as its title.
    """
    stem = PurePath(_own_name(source)).stem + ("" if source is picture else "-edited")
    safe = "".join(letter for letter in stem if letter.isprintable() and letter not in _NOT_IN_NAMES).strip(" .")
    return f"{safe[:_LONGEST_NAME] or picture.id[:8]}.{suffix}"


def _source(opened: OpenCollection, picture: Picture) -> Picture:
    """The picture that an edited one was made of; itself where it was not edited, or its source is gone."""
    if picture.origin is not None and picture.origin.commands:
        with suppress(NotFoundError):
            return opened.bare.picture(picture.origin.source_id)
    return picture


def _own_name(picture: Picture) -> str:
    """The name of a picture's file; an uploaded one is kept under its id, and came with its title as its name."""
    name = PurePath(picture.path)
    return name.name if name.stem and name.stem != picture.id else f"{picture.title}{name.suffix}"


def own_format(opened: OpenCollection, id: str) -> Format:
    """The format that a picture is downloaded in: that of its file, or of its source's; a cut-out needs another."""
    picture = opened.bare.picture(id)
    commands = picture.origin.commands if picture.origin is not None else ()
    if any(str(command).startswith(_CUT_OUT) for command in commands):
        return "png"
    suffix = PurePath(_source(opened, picture).path).suffix.lower()
    return "png" if suffix == ".png" else "webp" if suffix == ".webp" else "jpeg"


def encoded(image: Image.Image, suffix: Format) -> bytes:
    """A picture as a file of a format, without anything the camera wrote into it.

    Raises:
        BadInputError: It is longer than the format allows.
    """
    return files.encoded(image, Path(f"x.{suffix}"))


def add_upload(opened: OpenCollection, data: bytes, name: str, limits: ServerLimits) -> Added | RefusedFile:
    """Add one file to the collection, or say why not."""
    shown = _file_name(name)
    try:
        check_upload(data, shown, limits)
        before = opened.collection.catalogue.picture(content_id(data))
        picture = opened.collection.add(data, details=Details((), {"title": PurePath(shown).stem}))
    except BadInputError as error:
        return RefusedFile(name=shown, reason=str(error))
    return Added(id=picture.id, name=shown, known=before is not None and before.origin is None)


def add_query_picture(opened: OpenCollection, data: bytes, name: str, limits: ServerLimits) -> Picture:
    """Add a picture only to search with it: it counts as edited, so that searches leave it out."""
    check_upload(data, _file_name(name), limits)
    known = opened.collection.catalogue.picture(content_id(data))
    if known is not None:
        return known
    return opened.collection.add(data, origin=Origin(content_id(data), ()))


def check_upload(data: bytes, name: str, limits: ServerLimits) -> None:
    """Refuse a file that is too large or is no picture, before it is decoded in full.

    Raises:
        BadInputError: It cannot be used.
    """
    if len(data) > limits.file_bytes:
        raise BadInputError(f"{name} is larger than {limits.file_bytes:,} bytes.", "Scale it down.")
    open_scaled(data, 64, limits=DecodeLimits(limits.pixels, limits.file_bytes), name=name, apart=True)


def _file_name(name: str) -> str:
    """The name of a file, without folders and control characters."""
    bare = PurePath(name.replace("\\", "/")).name
    return "".join(letter for letter in bare if letter.isprintable())[-_LONGEST_NAME:] or "picture"


def picture_model(opened: OpenCollection, id: str) -> PictureModel:
    """The model of a picture.

    Raises:
        NotFoundError: There is no such picture.
    """
    picture = opened.bare.picture(id)
    with opened.catalogue.transaction() as session:
        row = session.get(PictureRow, picture.id)
        added = row.added_at if row else None
    return PictureModel(
        id=picture.id,
        width=picture.width,
        height=picture.height,
        format=picture.format,
        bytes=picture.bytes,
        caption=picture.caption or picture.title,
        captions=list(picture.captions),
        attributes=dict(picture.attributes),
        path_name=_own_name(_source(opened, picture)),
        shot=how_taken(_source(opened, picture)),
        source_id=picture.origin.source_id if picture.origin else None,
        edits=list(picture.origin.commands) if picture.origin else [],
        added_at=as_utc(added) if added else None,
        missing=picture.missing,
    )
