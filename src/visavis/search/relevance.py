"""What to say where nothing matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from textwrap import shorten

from visavis.stores.filters import Filter, HasId, leaves

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
