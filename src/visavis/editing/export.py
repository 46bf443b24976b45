"""Export in full size: apply a recipe to the original file, with a manifest that is checked by a replay."""

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
    from visavis.api import Collection

#: Creates the editor for a list of commands: locating named objects needs an encoder, which takes a second to load.
EditorFor = Callable[[Sequence[str]], Editor]


@dataclass(frozen=True)
class Exported:
    """A picture ready to be written.

    Attributes:
        image: The pixels in full size.
        exif: The EXIF tags that may be kept.
        manifest: Its provenance.
        as_before: Whether the pixels are those that were shown, or those of the manifest.
    """

    image: Image.Image
    exif: bytes
    manifest: Manifest
    as_before: bool


def export_picture(collection: Collection, id: str, editor_for: EditorFor) -> Exported:
    """Apply the edits of a picture of a collection to its original file.

    Where the original is missing or has changed, the edited picture itself is exported: it is kept in full size too.

    Args:
        collection: The collection.
        id: Its id; a unique prefix is enough.
        editor_for: Creates the editor.

    Raises:
        NotFoundError: The picture has no file any more.
    """
    picture = collection.picture(id)
    original = collection.catalogue.picture(picture.origin.source_id) if picture.origin else None
    if picture.origin is None or original is None or not _has_file(original):
        return _apply(picture, (), editor_for)
    shown = open_file(_file(picture)).image if _has_file(picture) else None
    return _apply(original, picture.origin.commands, editor_for, shown)


def replay_manifest(manifest: Manifest, source: Path, editor_for: EditorFor) -> Exported:
    """Apply a manifest to its source file.

    Raises:
        BadInputError: The file is not the manifest's source.
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
    """Return the file of a collection that a manifest was made from."""
    original = collection.catalogue.picture(manifest.source_id) if manifest.source_id else None
    if original is None:
        raise NotFoundError(
            f"The collection '{collection.name}' does not have {manifest.source or 'the source of the manifest'}.",
            "Give the file itself with --source.",
        )
    return _file(original)


def collection_pictures(collection: Collection) -> Callable[[str], Image.Image]:
    """Return a function that opens the pictures that a recipe refers to by id, such as a new background."""

    def resolve(name: str) -> Image.Image:
        try:
            return collection.open_image(name, keep_alpha=True)
        except NotFoundError:
            if Path(name).is_file():
                return open_file(Path(name)).image
            raise

    return resolve


def _apply(
    original: Picture, commands: Sequence[str], editor_for: EditorFor, shown: Image.Image | None = None
) -> Exported:
    path = _file(original)
    opened = open_file(path)
    editor = editor_for(commands)
    result = editor.edit(opened.image, commands, confirmed=True)  # the user has seen the result
    manifest = describe(result, editor, path.name, opened.sha256, opened.id)
    same = shown is None or _alike(shown, result.image, manifest.pixels_sha256)
    return Exported(result.image, opened.exif, manifest, same)


def _alike(shown: Image.Image, made: Image.Image, digest: str) -> bool:
    """Return whether the pixels are those that were shown; 16 bits were shown in 8, up to a rounding step."""
    if not is_deep(made):
        return pixels_sha256(shown) == digest
    if shown.size != made.size or shown.mode != "RGB":
        return False
    return bool(np.asarray(ImageChops.difference(shown, shallow(made))).max() <= 1)


def _has_file(picture: Picture) -> bool:
    return any(_holds(Path(path), picture.id) for path in picture.paths)


def _holds(path: Path, id: str) -> bool:
    """Return whether a file still has the indexed content."""
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
