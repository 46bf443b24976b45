"""Small pictures, drawn where a test needs them."""

from __future__ import annotations

from pathlib import Path

from PIL import Image
from tiny_encoder import COLOURS


def draw(path: Path, colour: str | tuple[int, int, int] = "red", size: tuple[int, int] = (40, 30)) -> Path:
    """A picture of one colour."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, COLOURS.get(colour, colour)).save(path)  # type: ignore[arg-type]
    return path


def draw_mixed(path: Path, left: str, right: str, size: tuple[int, int] = (48, 48)) -> Path:
    """A picture whose left two thirds have one colour and whose right third has another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", size, COLOURS[left])
    image.paste(COLOURS[right], (size[0] * 2 // 3, 0, *size))
    image.save(path)
    return path
