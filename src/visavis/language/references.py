"""What a message points at, computed: places on the screen, turns counted back, and turns that it describes.

"Second row, third from the left", "the last one", "two turns ago", "go back to the red ones", "the ones before the
snow". The topics of the turns tell which of them is described, so this is looked up and not learned. The network is
told the results; whether the message wants to go there is for the network to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from visavis.language.english import ORDINALS, content_words

_COUNT = {word: at for at, word in enumerate("one two three four five six seven eight nine ten".split(), start=1)}
_ORDINAL = rf"(?:{'|'.join(ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))"
_CARDINAL = rf"(?:{'|'.join(_COUNT)}|\d{{1,2}})"
_PICTURE = r"(?:one|picture|pic|photo|image|shot|item|column|col)"

_ROW = re.compile(
    rf"\b(?:(?P<nth>{_ORDINAL})(?P<back> (?:to|from)(?: the)? (?:last|bottom))? row"
    rf"|row (?:no\.? ?|number )?(?P<n>{_CARDINAL})"
    r"|(?P<named>top|upper|bottom|lower|last|lowest|middle|cent(?:er|re)) row)\b"
)
_FROM_SIDE = re.compile(
    rf"\b(?P<nth>{_ORDINAL})(?: {_PICTURE})?(?: in)? from (?:the )?(?P<side>left|right|end|start|beginning)\b"
)
_COLUMN = re.compile(
    rf"\b(?:(?P<nth>{_ORDINAL}) col(?:umn)?|col(?:umn)? (?:no\.? ?|number )?(?P<n>{_CARDINAL})"
    r"|(?P<named>left|leftmost|right|rightmost|middle|last) (?:hand )?col(?:umn)?)\b"
)
_ALONG = re.compile(
    rf"\b(?:(?P<nth>{_ORDINAL}|last)|(?P<named>left(?:most)?|right(?:most)?|middle|cent(?:er|re)|end)"
    rf"|(?:number|no\.?|pic) (?P<n>{_CARDINAL}))\b"
)
_CORNER = re.compile(
    r"\b(?P<v>top|upper|bottom|lower)(?: most)?(?:-| |, ?| row,? (?:on the )?)?"
    r"(?P<h>left|right|middle|cent(?:er|re))\b|\b(?P<h2>left|right)(?: |-)(?P<v2>top|bottom)\b"
)
_LAST = re.compile(
    rf"\b(?:the )?(?:(?P<nth>{_ORDINAL}|next)(?: {_PICTURE})?(?: (?:to|from)(?: the)? (?:last|end)| last)"
    rf"|(?P<but>(?:{_PICTURE} )?before the last|last but one|penultimate)"
    rf"|(?:very )?last(?: {_PICTURE})?|{_PICTURE} (?:right )?at the (?:very )?end)\b"
    r"(?! (?:time|thing|week|month|year|summer|winter|night|edit|turn|search|filter|change|step|two|three|\d|\w+ ago))"
)
_ALONE = re.compile(
    rf"\b(?P<side>left|right|middle|cent(?:er|re))(?:most)? {_PICTURE}\b"
    rf"|\b{_PICTURE}s? (?:right |smack |bang )*(?:in|on|at) the (?P<side2>left|right|middle|cent(?:er|re))\b"
)
_AGO = re.compile(
    rf"\b(?P<n>{_CARDINAL}|a couple(?: of)?) (?:turns?|steps?|searches|rounds?|messages?|goes|tries|times)"
    r" (?:ago|back|earlier)\b"
)
#: What was shown one turn ago.
_PREVIOUS = re.compile(
    r"\bprevious (?:ones?|results?|pictures?|photos?|images?|search|turn)\b"
    r"|\b(?:ones|results|pictures|photos|images) (?:from )?before(?! \w)"
)


@dataclass(frozen=True)
class Grid:
    """The pictures on the screen: how many, in how many columns (0: not known)."""

    shown: int
    columns: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return -(-self.shown // self.columns) if self.columns else 1

    def number(self, row: int, column: int) -> int | None:
        """The number of the picture at a place, counted from one; negative places count from the end."""
        row = self.rows + 1 + row if row < 0 else row
        first = (row - 1) * self.columns + 1
        wide = min(self.columns, self.shown - first + 1)
        column = wide + 1 + column if column < 0 else column
        fits = 1 <= row <= self.rows and 1 <= column <= wide
        return first + column - 1 if fits else None


def _ordinal(word: str) -> int:
    return ORDINALS.get(word) or int(re.sub(r"\D", "", word) or 0)


def _cardinal(word: str) -> int:
    return _COUNT.get(word) or (int(word) if word.isdigit() else 2)


def _row_of(found: re.Match[str], grid: Grid) -> int:
    if found["named"]:
        return {"t": 1, "u": 1, "m": (grid.rows + 1) // 2, "c": (grid.rows + 1) // 2}.get(found["named"][0], -1)
    number = _ordinal(found["nth"]) if found["nth"] else _cardinal(found["n"])
    return -number if found["nth"] and found["back"] else number


def _column_named(name: str, grid: Grid) -> int:
    if name in ("last", "end") or name.startswith("right"):
        return -1
    return 1 if name.startswith("left") else (grid.columns + 1) // 2


def _column_in(text: str, grid: Grid) -> int | None:
    """The column that a phrase beside a row names."""
    if found := _FROM_SIDE.search(text):
        number = _ordinal(found["nth"])
        return -number if found["side"] in ("right", "end") else number
    for pattern in (_COLUMN, _ALONG):
        if found := pattern.search(text):
            if found["named"] or found["nth"] == "last":
                return _column_named(found["named"] or "last", grid)
            return _ordinal(found["nth"]) if found["nth"] else _cardinal(found["n"])
    found = re.search(rf"^[\s,:]*(?:picture |pic |photo )?({_CARDINAL})\b", text)
    return _cardinal(found[1]) if found else None


def places(message: str, shown: int, columns: int) -> list[int]:
    """The numbers of the pictures whose places a message names, in the order said.

    >>> places("second row, third from the left", 12, 4), places("the one bottom right", 12, 4)
    ([7], [12])
    >>> places("last in the second row", 20, 5), places("the last but one", 12, 4), places("2nd row 2nd pic", 20, 5)
    ([10], [11], [7])
    """
    text = message.lower().replace("-", " ")
    if not shown:
        return []
    grid = Grid(shown, columns)
    found: list[tuple[int, int | None]] = []
    rows = list(_ROW.finditer(text)) if columns else []
    taken: list[tuple[int, int]] = []
    for at, row in enumerate(rows):
        end = rows[at + 1].start() if at + 1 < len(rows) else len(text)
        start = rows[at - 1].end() if at else 0
        after, before = text[row.end() : min(end, row.end() + 40)], text[max(start, row.start() - 40) : row.start()]
        after = re.split(r"[.;!?]| and (?!\w+ from)", after)[0]
        column = _column_in(after, grid)
        if column is None:
            column = _column_in(re.split(r"[.;!?]", before)[-1], grid)
        if column is None:
            found += [(row.start(), grid.number(_row_of(row, grid), at)) for at in range(1, columns + 1)]
        else:
            found.append((row.start(), grid.number(_row_of(row, grid), column)))
        taken.append((row.start() - len(before), row.end() + len(after)))
    for corner in _CORNER.finditer(text) if columns else ():
        if any(start <= corner.start() < end for start, end in taken):
            continue
        vertical, horizontal = corner["v"] or corner["v2"], corner["h"] or corner["h2"]
        row_number = 1 if vertical in ("top", "upper") else -1
        found.append((corner.start(), grid.number(row_number, _column_named(horizontal, grid))))
        taken.append((corner.start(), corner.end()))
    if columns >= shown:
        for side in _FROM_SIDE.finditer(text):
            if not any(start <= side.start() < end for start, end in taken):
                number = _ordinal(side["nth"])
                found.append((side.start(), shown + 1 - number if side["side"] in ("right", "end") else number))
                taken.append((side.start(), side.end()))
    for alone in _ALONE.finditer(text) if columns else ():
        where = (alone["side"] or alone["side2"])[0]
        fits = grid.rows == 1 if where in "lr" else grid.rows % 2 and columns % 2 and shown == grid.rows * columns
        if fits and not any(start <= alone.start() < end for start, end in taken):
            found.append((alone.start(), {"l": 1, "r": shown}.get(where, (shown + 1) // 2)))
            taken.append((alone.start(), alone.end()))
    for last in _LAST.finditer(text):
        if any(start <= last.start() < end for start, end in taken):
            continue
        back = 2 if last["but"] or last["nth"] == "next" else _ordinal(last["nth"]) if last["nth"] else 1
        found.append((last.start(), shown + 1 - back))
    return list(
        dict.fromkeys(n for _, n in sorted(found, key=lambda pair: pair[0]) if n is not None and 1 <= n <= shown)
    )


def turns_ago(message: str, turns: int) -> int | None:
    """The turn that "two turns ago" means, or None.

    >>> turns_ago("what you showed two turns ago", 5)
    3
    >>> turns_ago("nah go back to the ones before", 5), turns_ago("the ones before the snow", 5)
    (4, None)
    """
    said = message.lower()
    found = _AGO.search(said)
    back = _cardinal(found["n"]) if found else 1 if _PREVIOUS.search(said) else turns
    turn = turns - back
    return turn if turn >= 1 else None


#: Messages without one of these do not look back; "the first one" is a picture that is shown.
_LOOKS_BACK = re.compile(
    r"\b(?:back|return|revisit|restore|again|earlier|before|previous(?:ly)?|initial(?:ly)?|better|nicer|prettier|"
    rf"preferred|liked|rather|after all|were|was|had|showed|saw|first(?! {_PICTURE}\b))\b",
    re.IGNORECASE,
)
#: What follows it was not there yet: "before the snow", "before you made it red".
_BEFORE = re.compile(
    r"\bbefore (?:(?:the|a|an|it|they|we|i|you)\b ?)?(?:(?:were|was|is|are|went|came|became|got|had|made|put|added|"
    r"asked for|said|chose|took)\b)?(?P<what>[^,.;]+)",
    re.IGNORECASE,
)


def described_turn(message: str, topics: Sequence[str]) -> int | None:
    """The earlier turn whose topic a message describes, counted from one, or None.

    Args:
        message: What was said.
        topics: What the results of each turn answer, the present one last.

    >>> topics = ["dogs", "dogs, red collar", "dogs, blue collar"]
    >>> described_turn("go back to the red ones", topics), described_turn("red ones", topics)
    (2, None)
    >>> described_turn("the ones before the collar", topics), described_turn("the dog in the first one", topics)
    (1, None)
    """
    if len(topics) < 2 or not _LOOKS_BACK.search(message):
        return None
    words = [content_words(topic) if topic else frozenset[str]() for topic in topics]
    if (found := _BEFORE.search(message)) and (turn := _turn_before(content_words(found["what"]), words)):
        return turn
    *earlier, present = words
    said = content_words(message)
    best, chosen = (0, 0, 0), None
    for number, topic in enumerate(earlier, start=1):
        shared = said & topic
        if not shared or topic == present:
            continue
        # What is still wished for points at the turn that wished for nothing else; what is not, at the last with it.
        gone = shared - present
        score = (len(gone), len(shared), number if gone else -len(topic))
        if chosen is None or score >= best:
            best, chosen = score, number
    return chosen


def _turn_before(what: frozenset[str], topics: Sequence[frozenset[str]]) -> int | None:
    """The turn before the last one that brought some words in."""
    for number in range(len(topics) - 1, 0, -1):
        if what & (topics[number] - topics[number - 1]) and topics[number - 1]:
            return number
    return None


#: The picture that a thing is said to be in.
_INSIDE = re.compile(
    rf"\b(?:in|of|on|from) (?:the |picture |photo |image )?(?:(?P<nth>{_ORDINAL}) (?:one|picture|pic|photo|image|shot)"
    r"|(?:number |no\.? ?|#)(?P<n>\d{1,3}))\b",
    re.IGNORECASE,
)


def inside(message: str, shown: int) -> int | None:
    """The number of the one picture that a message says a thing is in; None where it names none, or several.

    >>> inside("remove the horse in the fourth one", 20), inside("remove the horse in the front", 20)
    (4, None)
    """
    numbers = {
        int(found["n"]) if found["n"] else _ordinal_number(found["nth"].lower()) for found in _INSIDE.finditer(message)
    }
    number = numbers.pop() if len(numbers) == 1 else 0
    return number if 1 <= number <= shown else None


def outside(target: str | None) -> str | None:
    """What an edit touches, without the picture that it is said to be in; None where that is all.

    >>> outside("horse in the fourth one"), outside("horse in the front")
    ('horse', 'horse in the front')
    """
    return _INSIDE.sub("", target).strip() or None if target else target


def _ordinal_number(word: str) -> int:
    return ORDINALS[word] if word in ORDINALS else int(word[:-2])
