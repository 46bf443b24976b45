"""A manifest: the source and the edits of a picture, as JSON that can be replayed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from visavis.editing.editor import Editor, EditResult
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError
from visavis.version import __version__

#: Increased when the fields change their meaning; older manifests stay readable.
VERSION = 1


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
