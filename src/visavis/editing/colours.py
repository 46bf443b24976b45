"""Colours by name: the paper's nine, and every name that CSS knows."""

from __future__ import annotations

from difflib import get_close_matches

from PIL import ImageColor

from visavis.errors import BadInputError

RGB = tuple[int, int, int]

#: The paper's colours, spelled as in its data; "brown" and "green" as people mean them rather than as CSS has them.
PAPER_COLOURS: dict[str, RGB] = {
    "red": (255, 0, 0),
    "orange": (255, 165, 0),
    "green": (0, 160, 0),
    "blue": (0, 0, 255),
    "skyblue": (135, 206, 235),
    "purple": (128, 0, 128),
    "brown": (139, 69, 19),
    "yellow": (255, 255, 0),
    "pink": (255, 192, 203),
}


def colour_of(name: str) -> RGB:
    """The colour that a name or a code such as ``#ff8800`` stands for."""
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if plain in PAPER_COLOURS:
        return PAPER_COLOURS[plain]
    try:
        red, green, blue, *_ = ImageColor.getrgb(plain)
    except ValueError as error:
        near = get_close_matches(plain, {**PAPER_COLOURS, **ImageColor.colormap}, 3, 0.6)
        raise BadInputError(
            f"'{name}' is no colour that is known here.",
            f"Did you mean {' or '.join(near)}?" if near else "Use a name such as skyblue, or a code such as #87ceeb.",
        ) from error
    return red, green, blue
