"""One picture of a drawn set as a file, and the line that describes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from visavis.demo.drawing import draw
from visavis.demo.items import describe
from visavis.demo.negatives import hard_negatives
from visavis.demo.scenes import describe_scene, draw_scene, scene_negatives
from visavis.errors import StorageError

#: What can be drawn into a folder: things of the catalogue, the same with all their captions, scenes.
KINDS = ("items", "training", "scenes")
_QUALITY = 92


def file_name(kind: str, seed: int, index: int) -> str:
    """The picture's name within its folder."""
    return f"{'scene' if kind == 'scenes' else 'demo'}-{seed}-{index:06d}.jpg"


def draw_file(folder: Path, kind: str, seed: int, index: int) -> None:
    """Draw one picture; it appears under its name only when it is whole."""
    picture = draw_scene(describe_scene(seed, index)) if kind == "scenes" else draw(describe(seed, index))
    write_whole(folder / file_name(kind, seed, index), partial(_save, picture))


def _save(picture: Image.Image, path: Path) -> None:
    picture.save(path, "JPEG", quality=_QUALITY, subsampling=0)


def record(kind: str, seed: int, index: int) -> dict[str, Any]:
    """What the JSONL file says about one picture."""
    name = file_name(kind, seed, index)
    if kind == "scenes":
        scene = describe_scene(seed, index)
        return {"file": name, "caption": scene.caption, "captions": scene.captions, "negatives": scene_negatives(scene)}
    item = describe(seed, index)
    line: dict[str, Any] = {
        "file": name,
        "title": item.title,
        "caption": item.caption,
        "attributes": item.attributes,
        "price": item.price,
    }
    if kind == "training":
        line |= {"captions": item.captions, "negatives": hard_negatives(item)}
    return line


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a file beside ``path``, then move it there in one step."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        write(part)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise StorageError(
            f"{path} cannot be written: {error.strerror or error}.", "Check its rights and the free space."
        ) from error
