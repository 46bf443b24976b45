"""Export in full size: a recipe carried out on the original file, with a manifest that replays and is checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops

from visavis.editing.editor import Editor
from visavis.editing.files import open_file
from visavis.editing.manifest import Manifest, describe, pixels_sha256, replay
from visavis.editing.operations.deep import is_deep, shallow
from visavis.errors import BadInputError, NotFoundError
from visavis.pictures.picture import Picture, content_id

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: Makes the editor for a list of commands: finding named things needs an encoder, and that takes a second to load.
EditorFor = Callable[[Sequence[str]], Editor]


@dataclass(frozen=True)
class Exported:
    """A picture ready to be written.

    Attributes:
        image: The pixels in full size.
        exif: What the camera wrote, as it may be kept.
        manifest: How it came about.
        as_before: Whether the pixels are those that were shown, or that the manifest promises.
    """

    image: Image.Image
    exif: bytes
    manifest: Manifest
    as_before: bool


def export_picture(collection: Collection, id: str, editor_for: EditorFor) -> Exported:
    """A picture of a collection, its edits carried out anew on the original file.

    Where the original is gone or has changed, the edited picture itself is given: it is kept in full size too.

    Args:
        collection: Where it is.
        id: Its id; the first letters are enough.
        editor_for: Makes the editor.

    Raises:
        NotFoundError: No file holds it any more.
    """
    picture = collection.picture(id)
    original = collection.catalogue.picture(picture.origin.source_id) if picture.origin else None
    if picture.origin is None or original is None or not _has_file(original):
        return _carried_out(picture, (), editor_for)
    shown = open_file(_file(picture)).image if _has_file(picture) else None
    return _carried_out(original, picture.origin.commands, editor_for, shown)


def replay_manifest(manifest: Manifest, source: Path, editor_for: EditorFor) -> Exported:
    """Carry out a manifest on the file that it was made from.

    Raises:
        BadInputError: The file is another one than the manifest tells of.
    """
    opened = open_file(source)
    if manifest.source_sha256 and manifest.source_sha256 != opened.sha256:
        raise BadInputError(
            f"{source} is not the picture that the manifest was made from ({manifest.source}).",
            "Give that file; to do the same to another picture use: visavis edit OTHER --commands MANIFEST -o OUT",
        )
    result, same = replay(manifest, opened.image, editor_for(manifest.commands))
    return Exported(result.image, opened.exif, manifest, same)


def source_in(collection: Collection, manifest: Manifest) -> Path:
    """The file of a collection that a manifest was made from."""
    original = collection.catalogue.picture(manifest.source_id) if manifest.source_id else None
    if original is None:
        raise NotFoundError(
            f"The collection '{collection.name}' does not have {manifest.source or 'the source of the manifest'}.",
            "Give the file itself with --source.",
        )
    return _file(original)


def collection_pictures(collection: Collection) -> Callable[[str], Image.Image]:
    """Gives the pictures that a saved recipe points at by their ids, such as a new background."""

    def resolve(name: str) -> Image.Image:
        try:
            return collection.open_image(name, keep_alpha=True)
        except NotFoundError:
            if Path(name).is_file():
                return open_file(Path(name)).image
            raise

    return resolve


def _carried_out(
    original: Picture, commands: Sequence[str], editor_for: EditorFor, shown: Image.Image | None = None
) -> Exported:
    path = _file(original)
    opened = open_file(path)
    editor = editor_for(commands)
    result = editor.edit(opened.image, commands, confirmed=True)  # the person has seen the result
    manifest = describe(result, editor, path.name, opened.sha256, opened.id)
    same = shown is None or _alike(shown, result.image, manifest.pixels_sha256)
    return Exported(result.image, opened.exif, manifest, same)


def _alike(shown: Image.Image, made: Image.Image, digest: str) -> bool:
    """Whether the pixels are those that were shown; what has 16 bits was shown in 8, up to a step of rounding."""
    if not is_deep(made):
        return pixels_sha256(shown) == digest
    if shown.size != made.size or shown.mode != "RGB":
        return False
    return bool(np.asarray(ImageChops.difference(shown, shallow(made))).max() <= 1)


def _has_file(picture: Picture) -> bool:
    return any(_holds(Path(path), picture.id) for path in picture.paths)


def _holds(path: Path, id: str) -> bool:
    """Whether a file is still the picture that was indexed."""
    try:
        return path.is_file() and content_id(path.read_bytes()) == id
    except OSError:
        return False


def _file(picture: Picture) -> Path:
    there = [Path(path) for path in picture.paths if Path(path).is_file()]
    for path in there:
        if _holds(path, picture.id):
            return path
    if there:
        raise NotFoundError(f"The file {there[0]} has changed since it was indexed.", "Index it again.")
    raise NotFoundError(
        f"No file holds the picture {picture.id} any more.", f"It was at: {', '.join(picture.paths) or 'nowhere'}."
    )
