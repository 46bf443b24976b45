"""Payload indexes on attributes, created as the attributes appear."""

from __future__ import annotations

from visavis.collections.catalogue import Catalogue
from visavis.collections.payload import STATE, field_kind
from visavis.pictures.picture import Attributes
from visavis.stores.base import FieldKind, Store

#: Further attributes can be filtered without an index. For each new index the embedded
#: engine rewrites all of them: the first 32 took 10 s on a busy machine, 64 took 38.
MOST_FIELDS = 32


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
