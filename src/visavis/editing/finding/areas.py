"""Areas of a picture that need no detection: "the top half", "the left third", "the upper right corner"."""

from __future__ import annotations

import re

from PIL import Image

_SHARES = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "two thirds": 2 / 3, "three quarters": 3 / 4, "part": 1 / 2}
_AREA = re.compile(
    r"(?:the )?(?P<down>top|upper|bottom|lower|middle|central|cent(?:er|re))?[ -]?"
    r"(?P<across>left|right|middle|central|cent(?:er|re))?(?:[ -]hand)? "
    r"(?:(?:(?P<many>two|three) )?(?P<share>half|thirds?|quarters?|part|corner|quadrant)|(?P<percent>[1-9]\d?) percent)"
    r"(?: (?:of|in) (?:the|this) (?:picture|image|photo|photograph|frame|shot))?"
)


def area_of(phrase: str, size: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """Return the box in pixels that a phrase names; None where it names an object instead.

    >>> area_of("the top half", (200, 100)), area_of("the upper right corner", (200, 100))
    ((0, 0, 200, 50), (100, 0, 200, 50))
    """
    found = _AREA.fullmatch(" ".join(phrase.lower().strip(" .!?,").split()))
    if not found or not (found["down"] or found["across"]):
        return None
    if found["percent"]:
        return _percent(found, size)
    word = found["share"].removesuffix("s")
    share = _SHARES.get(f"{found['many']} {word}s" if found["many"] else word, 1 / 2)
    if found["down"] and found["across"]:
        share = 1 / 2  # a corner extends to the middle in both directions
    left, right = _span(found["across"], share, size[0])
    top, bottom = _span(found["down"], share, size[1])
    return left, top, right, bottom


def _percent(found: re.Match[str], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the box of a percentage; for the middle it applies in both directions."""
    share = int(found["percent"]) / 100
    across, down = found["across"], found["down"]
    if (across or down) not in ("top", "upper", "bottom", "lower", "left", "right"):
        across = down = "middle"
    left, right = _span(across, share, size[0])
    top, bottom = _span(down, share, size[1])
    return left, top, right, bottom


def area_mask(box: tuple[int, int, int, int], size: tuple[int, int]) -> Image.Image:
    """Return the box as a mask: 255 is inside."""
    mask = Image.new("L", size, 0)
    mask.paste(255, box)
    return mask


def _span(where: str | None, share: float, length: int) -> tuple[int, int]:
    """Return start and end in one direction; all of it where none is given."""
    if not where:
        return 0, length
    part = max(1, round(length * share))
    if where in ("left", "top", "upper"):
        return 0, part
    if where in ("right", "bottom", "lower"):
        return length - part, length
    begin = (length - part) // 2
    return begin, begin + part
