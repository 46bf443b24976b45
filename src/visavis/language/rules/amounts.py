"""Numbers in digits and in words, and amounts without a number ("a bit", "a lot")."""

from __future__ import annotations

import re

_UNITS = {
    word: value
    for value, word in enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ).split()
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        start=1,
    )
}
_TENS_WORDS = "|".join(_TENS)
_UNIT_WORDS = "|".join(sorted(_UNITS, key=len, reverse=True))

#: A number: digits, or words up to a hundred.
NUMBER = rf"(?:[-+]?\d+(?:[.,]\d+)?|(?:{_TENS_WORDS})(?:[ -](?:{_UNIT_WORDS}))?|(?:{_UNIT_WORDS})|(?:a |one )?hundred)"
#: A whole count: digits, or words.
COUNT = rf"(?:\d{{1,6}}|(?:{_TENS_WORDS})(?:[ -](?:{_UNIT_WORDS}))?|(?:{_UNIT_WORDS})|a couple(?: of)?|a few)"
#: A place in an order: "third", "3rd", "last".
ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d{{1,4}}(?:st|nd|rd|th)|last|final)"

_NUMBER = re.compile(rf"(?<![\w.]){NUMBER}(?![\w])")
_SMALL = re.compile(
    r"\b(?:(?:a (?:wee |little |tiny |small )?)?bit|a little|little(?: bit)?|slight(?:ly)?|"
    r"a (?:tiny |small |slight |little )?(?:touch|tad|notch|smidge|smidgen|hint|hair|shade|dash)|some ?what|subtl[ey]|"
    r"gentl[ey]|a fraction|barely|mild(?:ly)?)\b"
)
_BIG = re.compile(
    r"\b(?:a lot|lots|much|way|far|really|very|strongly|strong|heavy|intense|significantly|drastically|considerably|"
    r"heavily)\b"
)
#: Parts of a whole in words; "half a turn" and "the left half" are no amounts of this kind.
_BY = r"\b(?:by|to)(?: about| around| roughly| nearly)? "
_SHARES = tuple(
    (re.compile(pattern), percent)
    for pattern, percent in (
        (rf"{_BY}(?:a |one )?half\b(?! (?:a |the )?turn)|\bhalf as\b|\b(?:a |one )half (?:more|less)\b", 50.0),
        (r"\btwo thirds\b", 67.0),
        (r"\bthree quarters\b", 75.0),
        (rf"{_BY}(?:a|one) third\b|\ba third (?:more|less|\w+er)\b", 33.0),
        (rf"{_BY}(?:a|one) quarter\b|\ba quarter (?:more|less|\w+er)\b", 25.0),
        (rf"{_BY}(?:a|one) fifth\b", 20.0),
        (rf"{_BY}(?:a|one) tenth\b", 10.0),
    )
)
_ALL = re.compile(r"\b(?:max(?:imum)?|fully|completely|all the way|double|twice)\b")


def to_number(text: str) -> float:
    """The value of something that ``NUMBER`` or ``COUNT`` found."""
    text = text.strip().replace(",", ".")
    if text.endswith("hundred"):
        return 100
    if text.startswith("a couple"):
        return 2
    if text == "a few":
        return 3
    if text[0] in "+-.0123456789":
        return float(text)
    return float(sum(_TENS.get(word, _UNITS.get(word, 0)) for word in re.split(r"[ -]", text)))


def to_ordinal(text: str, last: int = 0) -> int:
    """The value of something that ``ORDINAL`` found; ``last`` stands for the end of the order."""
    if text in ("last", "final"):
        return last
    return _ORDINALS[text] if text in _ORDINALS else int(re.sub(r"\D", "", text))


def numbers_in(text: str) -> list[float]:
    """Every number in a text, in order."""
    return [to_number(found) for found in _NUMBER.findall(text)]


def share_in(text: str) -> float | None:
    """A part of the whole in percent: 50 for "by half", 33 for "by a third"; None where none is named."""
    return next((percent for pattern, percent in _SHARES if pattern.search(text)), None)


def is_small(text: str) -> bool:
    """Whether a text says "a bit" or the like."""
    return _SMALL.search(text) is not None


def amount_in(text: str, small: float, usual: float, big: float) -> float:
    """The amount that a text asks for: its last number, or what "a bit" or "a lot" stands for."""
    if (share := share_in(text)) is not None:
        return share
    numbers = numbers_in(text)
    if numbers:
        return numbers[-1]
    if _ALL.search(text):
        return 100
    if _SMALL.search(text):
        return small
    return big if _BIG.search(text) else usual
