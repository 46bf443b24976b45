"""Contact sheets: rows of thumbnails under a heading, each with a short caption."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps

from visavis.errors import BadInputError

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
_PAPER, _INK, _FADED = (250, 250, 248), (28, 30, 34), (112, 116, 124)
_MARGIN, _GAP, _RADIUS = 28, 16, 10
_HEADING_SIZE, _CAPTION_SIZE, _CAPTION_LINES = 22, 13, 2


@dataclass(frozen=True)
class SheetRow:
    """One row of a contact sheet: a heading (the query), pictures, and one short caption a picture."""

    heading: str
    pictures: Sequence[Image.Image]
    captions: Sequence[str] = ()


def contact_sheet(rows: Sequence[SheetRow], thumbnail: tuple[int, int] = (168, 224), title: str = "") -> Image.Image:
    """Lay out rows of pictures on one sheet.

    Args:
        rows: The rows, from top to bottom; they may have different numbers of pictures.
        thumbnail: Width and height that each picture is cropped and resized to.
        title: A line at the top, or empty.

    Returns:
        The sheet as an RGB picture.
    """
    if not rows or not any(row.pictures for row in rows):
        raise BadInputError("A contact sheet needs at least one picture.", "Give it a row with pictures.")
    for row in rows:
        if row.captions and len(row.captions) != len(row.pictures):
            raise BadInputError(
                f"The row '{row.heading}' has {len(row.pictures)} pictures but {len(row.captions)} captions.",
                "Give one caption a picture, or none.",
            )
    columns = max(len(row.pictures) for row in rows)
    width = 2 * _MARGIN + columns * thumbnail[0] + (columns - 1) * _GAP
    top = _MARGIN + (_line_height(_HEADING_SIZE + 6) + _GAP if title else 0)
    height = top + sum(_row_height(row, thumbnail) for row in rows) + _MARGIN - _GAP
    sheet = Image.new("RGB", (width, height), _PAPER)
    if title:
        ImageDraw.Draw(sheet).text((_MARGIN, _MARGIN), title, fill=_INK, font=_font(_HEADING_SIZE + 6))
    for row in rows:
        _paste_row(sheet, row, top, thumbnail)
        top += _row_height(row, thumbnail)
    return sheet


def _row_height(row: SheetRow, thumbnail: tuple[int, int]) -> int:
    heading = _line_height(_HEADING_SIZE) + 8 if row.heading else 0
    captions = _CAPTION_LINES * _line_height(_CAPTION_SIZE) + 6 if row.captions else 0
    return heading + thumbnail[1] + captions + _GAP + 6


def _paste_row(sheet: Image.Image, row: SheetRow, top: int, thumbnail: tuple[int, int]) -> None:
    pen = ImageDraw.Draw(sheet)
    if row.heading:
        room = sheet.width - 2 * _MARGIN
        pen.text((_MARGIN, top), _shortened(row.heading, _HEADING_SIZE, room), fill=_INK, font=_font(_HEADING_SIZE))
        top += _line_height(_HEADING_SIZE) + 8
    for number, picture in enumerate(row.pictures):
        left = _MARGIN + number * (thumbnail[0] + _GAP)
        _paste_card(sheet, picture, (left, top), thumbnail)
        if row.captions:
            below = top + thumbnail[1] + 6
            for line in _wrapped(row.captions[number], thumbnail[0]):
                pen.text((left, below), line, fill=_FADED, font=_font(_CAPTION_SIZE))
                below += _line_height(_CAPTION_SIZE)


def _paste_card(sheet: Image.Image, picture: Image.Image, corner: tuple[int, int], size: tuple[int, int]) -> None:
    """Paste a thumbnail with round corners and a faint shadow."""
    card = ImageOps.fit(picture.convert("RGB"), size, Image.Resampling.LANCZOS)
    mask, shadow = _card_masks(*size)
    sheet.paste((214, 214, 210), (corner[0] - 4, corner[1] - 2), shadow)
    sheet.paste(card, corner, mask)


@cache
def _card_masks(width: int, height: int) -> tuple[Image.Image, Image.Image]:
    large = Image.new("L", (width * 4, height * 4))
    ImageDraw.Draw(large).rounded_rectangle((0, 0, width * 4 - 1, height * 4 - 1), _RADIUS * 4, fill=255)
    mask = large.reduce(4)
    shadow = Image.new("L", (width + 8, height + 8))
    shadow.paste(mask, (4, 4))
    return mask, shadow.filter(ImageFilter.GaussianBlur(3))


@cache
def _font(size: int) -> Font:
    return ImageFont.load_default(size)


@cache
def _line_height(size: int) -> int:
    return round(size * 1.25)


def _shortened(text: str, size: int, room: int) -> str:
    """Shorten a text with an ellipsis when it is too wide."""
    if _font(size).getlength(text) <= room:
        return text
    widths = [_font(size).getlength(f"{text[:length]}...") for length in range(min(len(text), room))]
    fitting = bisect_right(widths, room) - 1
    return f"{text[:fitting].rstrip()}..."


def _wrapped(text: str, room: int) -> list[str]:
    """Wrap a text to as many lines as a caption may have, the last one shortened."""
    words, lines = text.split(), list[str]()
    while words and len(lines) < _CAPTION_LINES - 1:
        count = min(len(words), 40)
        while count > 1 and _font(_CAPTION_SIZE).getlength(" ".join(words[:count])) > room:
            count -= 1
        lines.append(_shortened(" ".join(words[:count]), _CAPTION_SIZE, room))
        words = words[count:]
    return [*lines, _shortened(" ".join(words), _CAPTION_SIZE, room)] if words else lines
