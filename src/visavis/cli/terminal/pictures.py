"""Pictures in a terminal: by its own protocol where it has one, in coloured half blocks, or as a contact sheet file."""

from __future__ import annotations

import base64
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from PIL import Image, ImageOps
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

#: Size of a thumbnail in half blocks: columns, and rows of two pixels each.
_COLUMNS, _ROWS = 16, 8
#: Size of a thumbnail in pixels, where the terminal shows pixels.
_PIXELS = (120, 120)
_CHUNK = 4096


def best_way(console: Console, environment: Mapping[str, str] | None = None) -> str:
    """How this terminal can show pictures: a file where it cannot, nothing where the output is no terminal."""
    known = os.environ if environment is None else environment
    if not console.is_terminal:
        return "none"
    program, term = known.get("TERM_PROGRAM", ""), known.get("TERM", "")
    if "KITTY_WINDOW_ID" in known or "kitty" in term or "ghostty" in (program.lower(), term.lower()):
        return "kitty"
    if program in ("iTerm.app", "WezTerm") or known.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    return "blocks" if console.color_system in ("truecolor", "256") else "sheet"


def show(console: Console, pictures: Sequence[Path], way: str, sheet: Path | None = None) -> Path | None:
    """Show pictures in a row, numbered from one; returns the file when a contact sheet was written.

    Args:
        console: Where.
        pictures: The files, in order.
        way: ``kitty``, ``iterm``, ``blocks``, ``sheet`` or ``none``.
        sheet: The file that a contact sheet goes to.
    """
    images = [(number, image) for number, path in enumerate(pictures, 1) if (image := _open(path)) is not None]
    if not images or way == "none":
        return None
    if way == "blocks":
        for line in block_lines(images, max(1, console.width // (_COLUMNS + 2))):
            console.print(line, no_wrap=True, overflow="crop")
        return None
    whole = _sheet(images, max(1, min(10, console.width // 16)))
    if way == "sheet":
        assert sheet is not None
        sheet.parent.mkdir(parents=True, exist_ok=True)
        whole.save(sheet, "PNG")
        return sheet
    data = io.BytesIO()
    whole.save(data, "PNG")
    encode = kitty_sequence if way == "kitty" else iterm_sequence
    sys.stdout.write(encode(data.getvalue()) + "\n")
    sys.stdout.flush()
    return None


def block_lines(images: Sequence[tuple[int, Image.Image]], columns: int) -> Iterator[Text]:
    """Thumbnails side by side, two pixels a character: the upper one as its colour, the lower one as its ground."""
    for start in range(0, len(images), columns):
        row = images[start : start + columns]
        small = [ImageOps.pad(image, (_COLUMNS, 2 * _ROWS)) for _, image in row]
        yield Text("  ".join(f"#{number}".ljust(_COLUMNS) for number, _ in row), "bold")
        for y in range(0, 2 * _ROWS, 2):
            line = Text()
            for place, image in enumerate(small):
                line.append("  " if place else "")
                for x in range(_COLUMNS):
                    line.append("▀", Style(color=_colour(image, x, y), bgcolor=_colour(image, x, y + 1)))
            yield line


def kitty_sequence(png: bytes) -> str:
    """The kitty graphics protocol: the file in chunks of base64."""
    data = base64.standard_b64encode(png).decode()
    chunks = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
    parts = []
    for place, chunk in enumerate(chunks):
        control = "a=T,f=100," if place == 0 else ""
        parts.append(f"\x1b_G{control}m={int(place < len(chunks) - 1)};{chunk}\x1b\\")
    return "".join(parts)


def iterm_sequence(png: bytes) -> str:
    """The iTerm2 inline image protocol."""
    data = base64.standard_b64encode(png).decode()
    return f"\x1b]1337;File=inline=1;size={len(png)};preserveAspectRatio=1:{data}\x07"


def _colour(image: Image.Image, x: int, y: int) -> Color:
    pixel = image.getpixel((x, y))
    assert isinstance(pixel, tuple)
    return Color.from_rgb(*pixel[:3])


def _sheet(images: Sequence[tuple[int, Image.Image]], columns: int) -> Image.Image:
    from visavis.demo.sheet import SheetRow, contact_sheet

    rows = []
    for start in range(0, len(images), columns):
        row = images[start : start + columns]
        rows.append(SheetRow("", [image for _, image in row], [f"#{number}" for number, _ in row]))
    return contact_sheet(rows, thumbnail=_PIXELS)


def _open(path: Path) -> Image.Image | None:
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except (OSError, ValueError):  # a thumbnail that is gone shows nothing; the table still names the picture
        return None
