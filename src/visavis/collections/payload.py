"""The payload of a picture in a store, and the indexes that filters need on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visavis.collections.catalogue import Catalogue
from visavis.pictures.picture import Attributes, AttributeValue, Details, Picture
from visavis.stores.base import FieldKind, Store
from visavis.stores.filters import All, AnyOf, Equals, Filter, Not

#: The payload field with the reason why a search excludes a picture by default.
STATE = "_state"
MISSING = "missing"
EDITED = "edited"
#: Further attributes can be filtered without an index. For each new index the embedded
#: engine rewrites all of them: the first 32 took 10 s on a busy machine, 64 took 38.
MOST_FIELDS = 32


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


class FieldIndexes:
    """Records in the catalogue which fields have an index, and adds the missing ones."""

    def __init__(self, catalogue: Catalogue, store: Store) -> None:
        self._catalogue = catalogue
        self._store = store
        self._kinds: dict[str, FieldKind] = dict(catalogue.meta("fields", {}))
        if STATE not in self._kinds:
            self._add(STATE, "keyword")

    def ensure(self, attributes: Attributes) -> None:
        """Create indexes for these attributes."""
        for name, value in attributes.items():
            if name not in self._kinds and len(self._kinds) < MOST_FIELDS:
                self._add(name, field_kind(value))

    def _add(self, name: str, kind: FieldKind) -> None:
        self._store.index_field(name, kind)
        self._kinds[name] = kind
        self._catalogue.set_meta("fields", self._kinds)
