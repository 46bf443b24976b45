"""Attributes that a filter names and no picture has."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from visavis.stores.filters import Filter, HasId, leaves

#: So many names are told; a catalogue may have hundreds.
_MOST_TOLD = 12


def unknown_fields(filter: Filter, names: Sequence[str]) -> str:
    """A sentence that names the attributes of a filter that no picture has; empty when there are none.

    >>> from visavis.stores.filter_text import parse_filter
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
