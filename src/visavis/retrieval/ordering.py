"""Sorting what fits by an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visavis.stores.base import Hit, Store


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
