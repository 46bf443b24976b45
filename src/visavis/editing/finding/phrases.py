"""Parse a phrase: which object, which one of several ("the woman on the left"), or which area of the picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageColor

_SHARES = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "two thirds": 2 / 3, "three quarters": 3 / 4, "part": 1 / 2}
_AREA = re.compile(
    r"(?:the )?(?P<down>top|upper|bottom|lower|middle|central|cent(?:er|re))?[ -]?"
    r"(?P<across>left|right|middle|central|cent(?:er|re))?(?:[ -]hand)? "
    r"(?:(?:(?P<many>two|three) )?(?P<share>half|thirds?|quarters?|part|corner|quadrant)|(?P<percent>[1-9]\d?) percent)"
    r"(?: (?:of|in) (?:the|this) (?:picture|image|photo|photograph|frame|shot))?"
)
Place = Literal["left", "right", "top", "bottom", "middle"]
Size = Literal["largest", "smallest"]

_PLACES: dict[str, Place] = {
    "left": "left",
    "right": "right",
    "top": "top",
    "upper": "top",
    "above": "top",
    "bottom": "bottom",
    "lower": "bottom",
    "below": "bottom",
    "middle": "middle",
    "center": "middle",
    "centre": "middle",
    "central": "middle",
    "leftmost": "left",
    "rightmost": "right",
    "topmost": "top",
}
_SIZES: dict[str, Size] = {
    "largest": "largest",
    "biggest": "largest",
    "bigger": "largest",
    "larger": "largest",
    "big": "largest",
    "large": "largest",
    "main": "largest",
    "smallest": "smallest",
    "smaller": "smallest",
    "small": "smallest",
    "little": "smallest",
    "tiny": "smallest",
}
_COUNTS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
#: "on the left", "in the top right corner", "at the bottom", "to the right side of the picture", and the bare words.
_WHERE = re.compile(
    r"\b(?:(?:on|in|at|to|from|towards?)\s+(?:the\s+)?)?(?:far\s+|very\s+)?"
    r"(?P<places>(?:%s)(?:[\s-]+(?:%s))?)"
    r"(?:[\s-]+(?:hand|side|corner|half|part|edge|one))*"
    r"(?:\s+(?:of|in)\s+(?:the\s+|this\s+)?(?:picture|image|photo|photograph|frame|shot))?\b"
    % (("|".join(_PLACES),) * 2)
)
_OF_PICTURE = re.compile(r"\s+(?:of|in)\s+(?:the\s+|this\s+)?(?:picture|image|photo|photograph|frame|shot)\b")
_ARTICLE = re.compile(r"^(?:all\s+the|the|a|an|this|that|these|those|my|your|his|her|their|all)(?:\s+|$)")
_BACKGROUND = re.compile(r"(?:back\s?ground|backdrop|surroundings|everything else|rest|behind)")
_BUT = re.compile(
    r"(?:everything|every thing|all)(?: else)?(?: here)? (?:but|except(?: for)?|apart from|other than|besides)"
    r" (?P<thing>.+)"
)
#: "the cup and the napkin", "dog and ball"; not "people in hats and coats", which is one thing.
_NEXT = re.compile(r"\s*(?:,\s*and|,|\band)\s+(?=(?:the|a|an|my|your|his|her|their|this|that|these|those|both|all)\s)")
_PAIR = re.compile(r"(?P<one>\w+) and (?P<other>\w+)")
#: Any size will do: whether a phrase names an area does not depend on it.
_ANY_SIZE = (100, 100)
_SUBJECT = re.compile(r"(?:main\s+)?(?:subject|object|thing|foreground|motif|focus)|it")


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


@dataclass(frozen=True)
class Phrase:
    """A parsed phrase.

    Attributes:
        text: The original text.
        thing: The object alone: "woman"; empty for the subject and the background.
        places: Its position among several of its kind.
        size: Whether the largest or the smallest of several is meant.
        background: Whether everything but the subject is meant.
        count: How many of its kind are meant; None where that is not said.
    """

    text: str
    thing: str = ""
    places: tuple[Place, ...] = ()
    size: Size | None = None
    background: bool = False
    count: int | None = None


def read_phrase(text: str) -> Phrase:
    """Parse a phrase."""
    words = " ".join(text.lower().strip(" .!?,").split())
    bare = _without_article(words)
    if _BACKGROUND.fullmatch(bare):
        return Phrase(text, background=True)
    if _SUBJECT.fullmatch(bare):
        return Phrase(text)
    places: list[Place] = []
    for found in _WHERE.finditer(words):
        places += [_PLACES[word] for word in re.split(r"[\s-]+", found["places"])]
    # A phrase of a place alone ("the left side") means whatever is there.
    rest = _OF_PICTURE.sub("", _WHERE.sub(" ", words))
    size = next((_SIZES[word] for word in rest.split() if word in _SIZES), None)
    thing = _without_article(" ".join(word for word in rest.split() if word not in _SIZES))
    first, _, others = thing.partition(" ")
    count = _COUNTS.get(first) if others else None
    if count:
        thing = _without_article(others.removeprefix("of "))
    return Phrase(text, "" if _SUBJECT.fullmatch(thing) else thing, tuple(dict.fromkeys(places)), size, count=count)


def listed(text: str) -> list[str]:
    """Return the objects that a phrase names one after the other.

    >>> listed("the cup, the spoon and the napkin"), listed("dog and ball"), listed("black and white cat")
    (['the cup', 'the spoon', 'the napkin'], ['dog', 'ball'], ['black and white cat'])
    """
    words = " ".join(text.lower().strip(" .!?,").split())
    pair = _PAIR.fullmatch(_without_article(words))
    if pair and not {pair["one"], pair["other"]} & ImageColor.colormap.keys():
        return [pair["one"], pair["other"]]
    return [part for part in _NEXT.split(words) if part]


def everything_but(text: str) -> str | None:
    """Return the excluded object of a phrase ("everything but the rose": the rose); None where there is none.

    >>> everything_but("everything except for the rose")
    'the rose'
    """
    found = _BUT.fullmatch(" ".join(text.lower().strip(" .!?,").split()))
    return found["thing"] if found else None


def names_a_thing(target: str | None) -> bool:
    """Return whether locating a target takes an encoder: it is neither the subject nor the background."""
    if target is None or area_of(target, _ANY_SIZE) is not None:
        return False
    return bool(read_phrase(everything_but(target) or target).thing)


def _without_article(words: str) -> str:
    return _ARTICLE.sub("", words.strip()).strip()


#: Broad on purpose: backgrounds, materials and the commonest objects, each a rival for every patch of a picture. Not
#: "person": it is nearest to nearly all patches, whatever they show, and makes everything doubtful.
RIVALS: tuple[str, ...] = (
    "sky", "clouds", "grass", "trees", "leaves", "flowers", "water", "sea", "sand", "snow", "mountain", "rock",
    "road", "pavement", "wall", "floor", "ceiling", "window", "door", "building", "house", "fence", "table", "chair",
    "sofa", "bed", "shelf", "curtain", "carpet", "man", "woman", "child", "face", "hand", "hair", "shirt",
    "trousers", "dress", "shoes", "hat", "bag", "dog", "cat", "bird", "horse", "cow", "sheep", "elephant", "giraffe",
    "car", "bus", "lorry", "train", "motorcycle", "bicycle", "boat", "aeroplane", "sign", "traffic light", "food",
    "plate", "cup", "bottle", "fruit", "pizza", "cake", "computer", "screen", "telephone", "book", "clock", "lamp",
    "ball", "umbrella", "kite", "surfboard", "skis", "toilet", "sink", "oven", "plain background", "blurry background",
    "shadow", "text",
)  # fmt: skip
