"""The payload of a picture in a store, and the indexes that filters need on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visavis.pictures.picture import AttributeValue, Details, Picture
from visavis.stores.base import FieldKind
from visavis.stores.filters import All, AnyOf, Equals, Filter, Not

#: The payload field with the reason why a search excludes a picture by default.
STATE = "_state"
MISSING = "missing"
EDITED = "edited"


def payload_of(picture: Picture) -> dict[str, Any]:
    """Return the payload of a picture from its catalogue rows."""
    state = MISSING if picture.missing else EDITED if picture.origin else None
    return make_payload(picture.details, picture.width, picture.height, state)


def make_payload(details: Details, width: int, height: int, state: str | None = None) -> dict[str, Any]:
    """Build a payload; a user's attribute ``width`` or ``caption`` takes precedence over the built-in field."""
    payload: dict[str, Any] = {"width": width, "height": height}
    if details.captions:
        payload["caption"] = details.captions[0]
    payload |= details.attributes
    if state:
        payload[STATE] = state
    return payload


def field_kind(value: AttributeValue) -> FieldKind:
    """Return the index kind for a value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "integer"
    return "float" if isinstance(value, float) else "keyword"


def visible(filter: Filter | None, *, hide: Iterable[str]) -> Filter | None:
    """Add a condition that excludes pictures in these states."""
    hidden = tuple(hide)
    if not hidden:
        return filter
    shown = Not(Equals(STATE, hidden[0]) if len(hidden) == 1 else AnyOf(STATE, hidden))
    return All((filter, shown)) if filter else shown
