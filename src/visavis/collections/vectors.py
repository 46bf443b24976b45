"""The vector store of a collection: opens it, and copies it to another store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from visavis.collections.places import Place, index_lock
from visavis.errors import BadInputError
from visavis.stores.base import Store
from visavis.stores.registry import is_server_address, open_store, with_collection
from visavis.stores.replication import CopyReport, copy_store
from visavis.stores.sharing.store import SharedStore

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection


#: The user's name for the store in the collection's own folder.
LOCAL = "local"


def open_vectors(place: Place, address: str | None, dimension: int) -> Store:
    """Open the store of a collection: a server's, or the embedded one, which processes share.

    Args:
        place: The collection's folder.
        address: A server's address; None for the embedded store.
        dimension: The length of the vectors.
    """
    if address:
        return open_store(address, dimension=dimension)
    return SharedStore(lambda: open_store(place.store_folder, dimension=dimension), place.address_file)


def full_address(address: str | None, name: str) -> str | None:
    """Normalise an address: None for the embedded store; a server's with the collection's name in it.

    >>> full_address("qdrant://localhost:6333?replicas=2", "photos")
    'qdrant://localhost:6333/photos?replicas=2'
    >>> full_address("local", "photos") is None
    True
    """
    if address is None or address == LOCAL:
        return None
    if not is_server_address(address):
        raise BadInputError(
            f"'{address}' is no place for vectors.",
            f"Use qdrant://host:6333, postgresql://host/database, or '{LOCAL}' for the home folder.",
        )
    return with_collection(address, name)


def copy_vectors(
    collection: StoredCollection,
    to: str,
    *,
    switch: bool = False,
    replace_others: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> CopyReport:
    """Copy all vectors to another store; an interrupted copy is resumed.

    Args:
        collection: The collection.
        to: A server's address, or ``local`` for the collection's own folder.
        switch: Whether the collection uses the copy afterwards.
        replace_others: Whether pictures that only the target has are removed from it.
        on_progress: Called with the number of points done and their total.
    """
    address = full_address(to, collection.name)
    if address == collection.settings.store:
        raise BadInputError(f"The vectors of '{collection.name}' are there already.", "Choose another place.")
    with index_lock(collection.place.lock_file, collection.name):
        target = open_vectors(collection.place, address, collection.store.info().dimension)
        try:
            report = copy_store(collection.store, target, remove_others=replace_others, on_progress=on_progress)
            target.optimize()
        finally:
            target.close()
        if switch:
            collection.place.create(replace(collection.settings, store=address))
    return report
