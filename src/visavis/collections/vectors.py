"""Opening the vectors of a collection, wherever they live."""

from __future__ import annotations

from visavis.collections.places import Place, Settings
from visavis.collections.sharing.store import SharedStore
from visavis.stores.base import Store


def open_vectors(place: Place, settings: Settings, dimension: int) -> Store:
    """The store of a collection: shared between processes when it is embedded, a server's otherwise."""
    if settings.store:
        from visavis.stores.registry import open_store

        return open_store(settings.store, dimension=dimension, name=place.name)
    from visavis.stores.edge import EdgeStore

    return SharedStore(lambda: EdgeStore(place.store_folder, dimension=dimension), place.meeting_file)
