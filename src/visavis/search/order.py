"""The order of hits: by an attribute, one of several near-duplicates, what was passed over lower down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visavis.search.vectors import product
from visavis.stores.base import Hit, Store
from visavis.stores.filters import All, Filter, Range
from visavis.types import FloatArray

#: Two pictures closer than this (cosine) look the same to a person: a resized copy, the next shot of a burst.
NEAR_DUPLICATE = 0.985
#: Steps of halving the span of values: enough to tell a millionth of it.
_HALVINGS = 20


def in_order(hits: Sequence[Hit], order: tuple[str, bool], store: Store) -> list[Hit]:
    """The hits by the value of an attribute; those without one come last, equals in their order of fit.

    Args:
        hits: Best fit first.
        order: The attribute, and whether the largest value comes first.
        store: Knows the attributes.
    """
    field, descending = order
    payloads = store.payloads([hit.id for hit in hits])
    values = {hit.id: payloads.get(hit.id, {}).get(field) for hit in hits}
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
