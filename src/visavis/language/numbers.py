"""Numbers in a message that the network could not copy: in words, with separators, approximate ones."""

from __future__ import annotations

import re

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_UNITS += " seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_UNITS.split())}
_WORDS |= {word: 20 + 10 * at for at, word in enumerate(_TENS.split())} | {"fourty": 40, "dozen": 12}
_SCALES = {"hundred": 100, "thousand": 1000, "grand": 1000, "million": 1_000_000}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
ORDINALS = {word: value for value, word in enumerate(_ORDINALS.split(), start=1)}

_NUMBER_WORD = "|".join((*_WORDS, *_SCALES))
_SPOKEN = re.compile(rf"\b(?:an? )?(?:{_NUMBER_WORD})(?:(?:[ -]+(?:and )?)(?:{_NUMBER_WORD}))*\b")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[,.' ]\d{3})+(?![\d,])")
_THOUSANDS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?k\b")
_ABOUT = re.compile(
    r"(?:\b(?:around|about|approximately|roughly|circa|approx\.?|ca\.?|like)|~)\s*[$€£]?\s*(\d+)\b(?!\s*(?:%|percent))"
)
#: Smaller numbers in words are learned.
_SMALL = 12


def spoken_value(phrase: str) -> int:
    """The value of a number in words.

    >>> spoken_value("two hundred and fifty"), spoken_value("thirty-five"), spoken_value("a thousand")
    (250, 35, 1000)
    """
    total = current = 0
    for word in re.findall(r"[a-z]+", phrase):
        if word in _WORDS:
            current = current * _WORDS[word] if word == "dozen" and current else current + _WORDS[word]
        elif word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if _SCALES[word] > 100:
                total, current = total + current, 0
    return total + current


def hidden_numbers(message: str) -> list[int]:
    """Numbers that a message means but does not write in one piece of digits, in the order said.

    >>> hidden_numbers("under two hundred, at most 1,500"), hidden_numbers("around 50"), hidden_numbers("12k")
    ([200, 1500], [40, 60], [12000])
    """
    text = message.lower()
    found: list[tuple[int, int]] = []
    for match in _SPOKEN.finditer(text):
        value = spoken_value(match[0])
        if value > _SMALL or match[0].endswith("dozen"):
            found.append((match.start(), value))
    found += [(match.start(), int(re.sub(r"\D", "", match[0]))) for match in _GROUPED.finditer(text)]
    found += [(match.start(), round(float(match[1]) * 1000)) for match in _THOUSANDS.finditer(text)]
    about = [(match.start(), int(match[1])) for match in _ABOUT.finditer(text)]
    found += [(at, round(value * share)) for at, value in about for share in (0.8, 1.2)]
    return list(dict.fromkeys(value for _, value in sorted(found, key=lambda pair: pair[0])))
