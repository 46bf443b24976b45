"""Opening the vectors of a collection, wherever they live."""

from __future__ import annotations

from visavis.collections.places import Place
from visavis.collections.sharing.store import SharedStore
from visavis.errors import BadInputError
from visavis.stores.base import Store
from visavis.stores.registry import is_server_address, open_store

#: What a person calls the store in the collection's own folder.
LOCAL = "local"


def open_vectors(place: Place, address: str | None, dimension: int) -> Store:
    """The store of a collection: a server's, or the embedded one, which processes share.

    Args:
        place: The collection's folder.
        address: A Qdrant address; None for the embedded store.
        dimension: The length of the vectors.
    """
    if address:
        return open_store(address, dimension=dimension)
    return SharedStore(lambda: open_store(place.store_folder, dimension=dimension), place.meeting_file)


def full_address(address: str | None, name: str) -> str | None:
    """An address as it is kept: None for the embedded store; a server's with the collection's name on it.

    >>> full_address("qdrant://localhost:6333?replicas=2", "photos")
    'qdrant://localhost:6333/photos?replicas=2'
    >>> full_address("local", "photos") is None
    True
    """
    if address is None or address == LOCAL:
        return None
    if not is_server_address(address):
        raise BadInputError(
            f"'{address}' is no place for vectors.", f"Use qdrant://host:6333, or '{LOCAL}' for the home folder."
        )
    server, _, options = address.partition("?")
    if server.rstrip("/").count("/") == 2:
        server = f"{server.rstrip('/')}/{name}"
    return f"{server}?{options}" if options else server
