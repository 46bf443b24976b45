"""Export in full size: a recipe applied to the original file, with a manifest that a replay checks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image, ImageChops

from visavis.editing.editor import Editor, EditResult
from visavis.editing.files import open_file
from visavis.editing.operations.tone import is_deep, shallow
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError, NotFoundError
from visavis.pictures.picture import Picture, content_id
from visavis.version import __version__

if TYPE_CHECKING:
    from visavis.api import Collection

#: Increased when the fields change their meaning; older manifests stay readable.
VERSION = 1
#: Creates the editor for a list of commands: locating named objects needs an encoder, which takes a second to load.
EditorFor = Callable[[Sequence[str]], Editor]


@dataclass(frozen=True)
class Manifest:
    """The provenance of a picture.

    Attributes:
        source: The name of the source file.
        source_sha256: The hash of that file's bytes; empty when it did not come from a file.
        commands: The edits in their text form, in order.
        size: Width and height of the result.
        pixels_sha256: The hash of the result's pixels.
        visavis: The version that made it.
        cutter: The cutter that segmented objects.
        encoder: The encoder that located named objects; empty for none.
        source_id: The id of that file in collections; empty in older manifests.
    """

    source: str
    source_sha256: str
    commands: tuple[str, ...]
    size: tuple[int, int]
    pixels_sha256: str
    visavis: str = __version__
    cutter: str = ""
    encoder: str = ""
    source_id: str = ""

    def to_json(self) -> str:
        """Return the manifest as JSON."""
        return json.dumps({"visavis_manifest": VERSION, **asdict(self)}, ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str = "the manifest") -> Manifest:
        """Parse a manifest.

        Raises:
            BadInputError: It is not a manifest, or one of a later version.
        """
        try:
            values = json.loads(text)
            version = values.pop("visavis_manifest")
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
            raise BadInputError(f"{name} is no manifest of visavis.", "Give one that visavis wrote.") from error
        if version != VERSION:
            raise BadInputError(f"{name} has version {version}, this visavis reads {VERSION}.", "Update visavis.")
        return cls(**_checked(values, name))

    @property
    def recipe(self) -> EditRecipe:
        """Return its commands as a recipe."""
        return EditRecipe.of(self.commands)


def describe(
    result: EditResult, editor: Editor, source: str = "", source_sha256: str = "", source_id: str = ""
) -> Manifest:
    """Create the manifest of a result."""
    tools = editor.tools
    return Manifest(
        source,
        source_sha256,
        tuple(str(command) for command in result.applied),
        result.image.size,
        pixels_sha256(result.image),
        cutter=tools.cutter.name if tools.cutter else "",
        encoder=tools.encoder.name if tools.encoder else "",
        source_id=source_id,
    )


def read_manifest(path: Path) -> Manifest:
    """Read a manifest from a file."""
    try:
        return Manifest.from_json(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"The manifest {path} cannot be read: {error}.", "Check the path.") from error


def replay(manifest: Manifest, image: Image.Image, editor: Editor) -> tuple[EditResult, bool]:
    """Run a manifest's commands on a picture; also returns whether the pixels are the same.

    The user saw the result when the manifest was made, so locations with low confidence are confirmed.
    """
    result = editor.edit(image, manifest.commands, confirmed=True)
    return result, pixels_sha256(result.image) == manifest.pixels_sha256


def pixels_sha256(image: Image.Image) -> str:
    """Return the hash of mode, size and pixels."""
    digest = hashlib.sha256(f"{image.mode} {image.width} {image.height} ".encode())
    digest.update(image.tobytes())
    return digest.hexdigest()


def _checked(values: dict[str, Any], name: str) -> dict[str, Any]:
    texts = ("source", "source_sha256", "pixels_sha256", "visavis", "cutter", "encoder", "source_id")
    values = {"source_id": "", **values}
    commands, size = values.get("commands"), values.get("size")
    good = (
        set(values) == {*texts, "commands", "size"}
        and all(isinstance(values[key], str) for key in texts)
        and isinstance(commands, list)
        and all(isinstance(command, str) for command in commands)
        and isinstance(size, list)
        and len(size) == 2
        and all(isinstance(side, int) for side in size)
    )
    if not good:
        raise BadInputError(f"{name} lacks fields or has wrong ones.", "Give one that visavis wrote.")
    return {**values, "commands": tuple(values["commands"]), "size": tuple(values["size"])}


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
