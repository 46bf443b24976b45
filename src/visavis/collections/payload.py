"""What a store knows of a picture besides its vectors: what filters and facets look at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visavis.pictures.picture import AttributeValue, Details, Picture
from visavis.stores.base import FieldKind
from visavis.stores.filters import All, AnyOf, Equals, Filter, Not

#: The payload field that says why a search leaves a picture out by default.
STATE = "_state"
MISSING = "missing"
EDITED = "edited"


def payload_of(picture: Picture) -> dict[str, Any]:
    """The payload of a picture as its catalogue rows say it should be."""
    state = MISSING if picture.missing else EDITED if picture.origin else None
    return make_payload(picture.details, picture.width, picture.height, state)


def make_payload(details: Details, width: int, height: int, state: str | None = None) -> dict[str, Any]:
    """Attributes first: what a person calls ``width`` or ``caption`` wins over what visavis calls so."""
    payload: dict[str, Any] = {"width": width, "height": height}
    if details.captions:
        payload["caption"] = details.captions[0]
    payload |= details.attributes
    if state:
        payload[STATE] = state
    return payload


def field_kind(value: AttributeValue) -> FieldKind:
    """Which index serves a value of this kind."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "integer"
    return "float" if isinstance(value, float) else "keyword"


def visible(filter: Filter | None, *, hide: Iterable[str]) -> Filter | None:
    """A filter that also leaves out pictures in these states."""
    hidden = tuple(hide)
    if not hidden:
        return filter
    shown = Not(Equals(STATE, hidden[0]) if len(hidden) == 1 else AnyOf(STATE, hidden))
    return All((filter, shown)) if filter else shown
