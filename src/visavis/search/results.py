"""Hits in their order, and why each is there.

By an attribute, one of several near-duplicates, what was passed over lower down; a probability for each wish, and what
to say where nothing matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from textwrap import shorten
from typing import Any

import numpy as np

from visavis.collections.words import index_words
from visavis.pictures.derived import TEXT
from visavis.pictures.looks import MEASURED, Measures
from visavis.search.plan import ScorePart
from visavis.search.vectors import likely, product
from visavis.stores.base import Hit, Store
from visavis.stores.filters import All, Filter, HasId, Range, leaves
from visavis.types import NO_WISH, FloatArray, Payload, Reason, Result, Wish

#: Two pictures closer than this (cosine) look the same to a person: a resized copy, the next shot of a burst.
NEAR_DUPLICATE = 0.985
#: Steps of halving the span of values: enough to tell a millionth of it.
_HALVINGS = 20


def in_order(hits: Sequence[Hit], order: tuple[str, bool], store: Store, looks: Measures | None = None) -> list[Hit]:
    """The hits by the value of an attribute; those without one come last, equals in their order of fit.

    Args:
        hits: Best fit first.
        order: The attribute, and whether the largest value comes first.
        store: Knows the attributes.
        looks: Measures what no attribute tells.
    """
    field, descending = order
    payloads = store.payloads([hit.id for hit in hits])
    values = {hit.id: payloads.get(hit.id, {}).get(field) for hit in hits}
    if looks is not None and field in MEASURED:
        values |= looks(field, [id for id, value in values.items() if value is None])
    known = [hit for hit in hits if values[hit.id] is not None]
    unknown = [hit for hit in hits if values[hit.id] is None]
    return sorted(known, key=lambda hit: _comparable(values[hit.id]), reverse=descending) + unknown


def _comparable(value: Any) -> tuple[int, float, str]:
    """Numbers before words, so that a field with both can be sorted."""
    if isinstance(value, int | float):
        return (0, float(value), "")
    return (1, 0.0, str(value).casefold())


def first_values(
    order: tuple[str, bool], condition: Filter | None, wanted: int, most: int, store: Store
) -> Filter | None:
    """A condition that lets the first pictures of an order through and few others, so that they can be sorted.

    A store has no orders, but it can count: the span of the values is halved until between ``wanted`` and ``most``
    pictures are left. None where the attribute has no numbers, or no more than ``most`` pictures pass anyway.

    Args:
        order: The attribute, and whether the largest value comes first.
        condition: What the pictures must pass besides.
        wanted: So many at least.
        most: So many can be sorted.
        store: Counts.
    """
    field, descending = order

    def within(bound: float) -> Filter:
        there = Range(field, at_least=bound) if descending else Range(field, at_most=bound)
        return there if condition is None else All((condition, there))

    if store.count(condition) <= most or store.count(within(-_FAR if descending else _FAR)) <= wanted:
        return None
    low, high = _span(within, wanted, store, descending=descending)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        passing = store.count(within(middle))
        if wanted <= passing <= most:
            return within(middle)
        enough = passing > most
        low, high = (low, middle) if enough != descending else (middle, high)
    return within(low if descending else high)


#: Beyond every price, year and size.
_FAR = 1e12


def _span(within: Any, wanted: int, store: Store, *, descending: bool) -> tuple[float, float]:
    """Bounds around the value that is looked for, found by doubling from zero outwards."""
    low, high = -1.0, 1.0
    # ascending: at the low end too few pass, at the high end enough do; descending: the other way round
    while low > -_FAR and (store.count(within(low)) >= wanted) != descending:
        low *= 8
    while high < _FAR and (store.count(within(high)) < wanted) != descending:
        high *= 8
    return low, high


def fold(hits: Sequence[Hit], whole: FloatArray, closeness: float) -> list[tuple[Hit, tuple[str, ...]]]:
    """Keep each hit that is not a near-duplicate of a better one.

    Args:
        hits: Best first.
        whole: Their vectors ``[n, d]``, unit length, or zero where there is none.
        closeness: The cosine above which two pictures count as the same.

    Returns:
        Each kept hit with the ids that were folded into it.
    """
    kept: list[tuple[Hit, list[str]]] = []
    seen = np.empty_like(whole)
    for hit, vector in zip(hits, whole, strict=True):
        cosines = product(seen[: len(kept)], vector)
        if kept and cosines.max() > closeness:
            kept[int(cosines.argmax())][1].append(hit.id)
            continue
        seen[len(kept)] = vector
        kept.append((hit, []))
    return [(hit, tuple(ids)) for hit, ids in kept]


#: Being passed over once means little: the person may still be comparing.
_FORGIVEN = 1
#: Spreads that a picture sinks for each further time, and how far at most.
_STEP, _DEEPEST = 0.5, 3.0


def with_change(hits: Sequence[Hit], change: FloatArray) -> list[Hit]:
    """The hits with changed scores, best first."""
    changed = [Hit(hit.id, hit.score + float(more)) for hit, more in zip(hits, change, strict=True)]
    return sorted(changed, key=lambda hit: (-hit.score, hit.id))


def sinking(ids: Sequence[str], passed_over: Mapping[str, int]) -> FloatArray:
    """How many spreads each picture sinks."""
    times = np.array([passed_over.get(id, 0) for id in ids], np.float32)
    return np.asarray(np.clip(_STEP * (times - _FORGIVEN), 0.0, _DEEPEST), np.float32)


def followed_by(hits: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """The hits, and behind them those of another ranking that are not among them."""
    known = {hit.id for hit in hits}
    farther = [hit for hit in others if hit.id not in known]
    below = min(hits[-1].score - farther[0].score, 0.0) if farther else 0.0
    return [*hits, *(Hit(hit.id, hit.score + below) for hit in farther)]


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
    """The first part of each wish; only a relative wish has several."""
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
    """The message for no results; a condition that no picture can meet is most often a misspelt name.

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
