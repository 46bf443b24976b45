"""Frames and texts on the picture."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont, ImageOps

from visavis.errors import BadInputError

RGB = tuple[int, int, int]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

#: Text height as a share of the picture's shorter side; smaller when a text would fill more than half of it.
_TEXT_SIZE, _SMALLEST_TEXT, _MOST_OF_HEIGHT, _MOST_OF_WIDTH = 1 / 12, 8, 0.5, 0.92
#: System fonts tried when the built-in font lacks a letter.
_WIDER_FONTS = ("NotoSans-Regular.ttf", "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", "arialuni.ttf", "Arial.ttf")
#: A character that no font has, to get the glyph for missing letters.
_MISSING = "\uffff"


def border(image: Image.Image, width: int, colour: RGB) -> Image.Image:
    """Add a frame around the picture, which grows by the width on each side."""
    return ImageOps.expand(image, width, (*colour, 255) if image.mode == "RGBA" else colour)


def caption(image: Image.Image, text: str, position: str) -> Image.Image:
    """Draw a text at the top, in the center or at the bottom: white with a dark outline, readable on anything."""
    result = image.copy()
    draw = ImageDraw.Draw(result)
    size = max(_SMALLEST_TEXT, int(min(image.size) * _TEXT_SIZE))
    while True:
        font = _font_for(text, size)
        lines = "\n".join(_wrapped(draw, text, font, image.width * _MOST_OF_WIDTH))
        rim = max(1, size // 14)
        left, top, right, bottom = draw.multiline_textbbox((0, 0), lines, font=font, align="center", stroke_width=rim)
        if size <= _SMALLEST_TEXT or bottom - top <= image.height * _MOST_OF_HEIGHT:
            break
        size = max(_SMALLEST_TEXT, int(size * 0.85))
    margin = max(2, int(min(image.size) * 0.03))
    x = (image.width - (right - left)) / 2 - left
    places = {
        "top": margin - top,
        "center": (image.height - (bottom - top)) / 2 - top,
        "bottom": image.height - margin - bottom,
    }
    draw.multiline_text(
        (x, places[position]), lines, fill="white", font=font, align="center", stroke_width=rim, stroke_fill="black"
    )
    return result


def _wrapped(draw: ImageDraw.ImageDraw, text: str, font: Font, width: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and draw.textlength(longer, font=font) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@lru_cache(maxsize=32)
def _font_for(text: str, size: int) -> Font:
    """Return the built-in font, or a system font when it lacks letters of the text."""
    built_in = ImageFont.load_default(size)
    if _covers(built_in, text):
        return built_in
    for name in _WIDER_FONTS:
        try:
            font = ImageFont.truetype(name, size)
        except OSError:
            continue
        if _covers(font, text):
            return font
    raise BadInputError(
        f"No font here has all the letters of '{text}'.", "Install a font that has them, such as Noto Sans."
    )


def _covers(font: Font, text: str) -> bool:
    missing = bytes(font.getmask(_MISSING))
    return not any(bytes(font.getmask(letter)) == missing for letter in set(text) - {" "})
