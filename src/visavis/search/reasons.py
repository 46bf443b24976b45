"""Why a picture is there, as a probability for each wish, and what to say where nothing matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from textwrap import shorten

import numpy as np

from visavis.collections.words import index_words
from visavis.encoders.base import FloatArray
from visavis.pictures.derived import TEXT
from visavis.search.plan import ScorePart
from visavis.search.vectors import likely
from visavis.stores.filters import Filter, HasId, leaves
from visavis.types import NO_WISH, Payload, Reason, Result, Wish

#: Log-odds of pictures, kept aspects and changes, by how many spreads they stand out.
_PICTURE = (-2.0, 1.2)
_KEPT = (-1.0, 1.5)
_CHANGE = (-0.5, 2.0)
#: What is written about a picture, where it speaks for or against a kept aspect.
_WRITTEN = 2.0
#: Letters of a line in a picture that a reason repeats.
_LONGEST_LINE = 80


def reasons(
    parts: Sequence[ScorePart],
    whole: FloatArray,
    words: Mapping[int, FloatArray],
    said: Mapping[int, FloatArray] | None = None,
) -> list[tuple[Reason, ...]]:
    """The reasons of each picture.

    Args:
        parts: What they are judged by.
        whole: ``[n, d]``.
        words: By the place of a wish in words: the log-odds that it is true of each picture.
        said: By the place of a kept aspect: how far what is written about each picture speaks of it, -1 to 1.
    """
    made: list[list[Reason]] = [[] for _ in whole]
    for part in one_a_wish(parts):
        if part.wish in words:
            logits = -words[part.wish] if part.kind == "avoid" else words[part.wish]
        else:
            logits = picture_logits(part, whole)
        if said and part.wish in said:
            logits = logits + _WRITTEN * said[part.wish]
        for place, logit in enumerate(logits):
            made[place].append(Reason(part.wish, part.label, likely(float(logit))))
    return [tuple(row) for row in made]


def read_line(text: object, wanted: Sequence[str]) -> Reason | None:
    r"""The line of the text in a picture that has the most words of what is wanted; None where none has any.

    >>> str(read_line("Open daily\nBakery Miller", ["the bakery"]))
    'fits written in it: “Bakery Miller”'
    """
    asked = {word for one in wanted for word in index_words(one)}
    lines = text.splitlines() if isinstance(text, str) else []
    best = max(lines, key=lambda line: len(asked.intersection(index_words(line))), default="")
    if not asked.intersection(index_words(best)):
        return None
    return Reason(NO_WISH, f"written in it: “{shorten(best, _LONGEST_LINE, placeholder='…')}”", 1.0)


def one_a_wish(parts: Sequence[ScorePart]) -> list[ScorePart]:
    """A relative wish has several parts; its first change speaks for it."""
    first: dict[int, ScorePart] = {}
    for part in parts:
        first.setdefault(part.wish, part)
    return list(first.values())


def picture_logits(part: ScorePart, whole: FloatArray) -> FloatArray:
    """The log-odds that pictures resemble one, have a kept aspect or lie beyond a reference."""
    offset, slope = {"keep": _KEPT, "relative": _CHANGE}.get(part.kind, _PICTURE)
    near = offset + slope * part.above(whole)
    return np.asarray(-near if part.kind == "unlike" else near, np.float32)


#: How many letters of what was searched for an answer repeats.
_LONGEST_REPEATED = 200
#: So many names are told; a catalogue may have hundreds.
_MOST_TOLD = 12


def nothing_fits(
    text: str, filter: Filter | None, avoid: Sequence[str], attributes: Callable[[], Iterable[tuple[str, int]]]
) -> str:
    """What to tell the person; a condition that no picture can meet is most often a name spelt otherwise.

    Args:
        text: What was searched for.
        filter: The conditions.
        avoid: What was avoided.
        attributes: Gives the collection's attributes with their counts.
    """
    if filter and (strange := unknown_fields(filter, [name for name, _ in attributes()])):
        return strange
    what = f"'{shorten(text, _LONGEST_REPEATED, placeholder=' …')}'" if text else "this"
    under = " under these conditions" if filter or avoid else ""
    return f"Nothing in this collection fits {what} well{under}."


def unknown_fields(filter: Filter, names: Sequence[str]) -> str:
    """A sentence that names the attributes of a filter that no picture has; empty when there are none.

    >>> from visavis.language.filter_text import parse_filter
    >>> unknown_fields(parse_filter("pric < 50"), ["colour", "price"])
    "No picture in this collection has an attribute 'pric'; did you mean 'price'?"
    """
    asked = dict.fromkeys(leaf.field for leaf in leaves(filter) if not isinstance(leaf, HasId))
    strange = [name for name in asked if name not in names]
    if not strange:
        return ""
    told = " or ".join(f"'{name}'" for name in strange)
    return f"No picture in this collection has an attribute {told}; {_remedy(strange[0], names)}"


def _remedy(strange: str, names: Sequence[str]) -> str:
    by_lower = {name.lower(): name for name in names}
    if close := get_close_matches(strange.lower(), by_lower, n=1):
        return f"did you mean '{by_lower[close[0]]}'?"
    if not names:
        return "its pictures carry no attributes at all."
    more = ", ..." if len(names) > _MOST_TOLD else ""
    return f"there are: {', '.join(names[:_MOST_TOLD])}{more}."


def with_lines(results: Sequence[Result], wishes: Sequence[Wish], payloads: Mapping[str, Payload]) -> list[Result]:
    """Results with the line in the picture that has the words, where the text in pictures was read."""
    wanted = [wish.text for wish in wishes if wish.active and wish.kind == "want"]
    lines = {id: read_line(payload.get(TEXT), wanted) for id, payload in payloads.items()}
    return [
        replace(one, because=(*one.because, line)) if (line := lines.get(one.id)) is not None else one
        for one in results
    ]
