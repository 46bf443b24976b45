"""Open any store, by folder or by server address."""

from __future__ import annotations

from pathlib import Path

from visavis.errors import BadInputError
from visavis.home import expand_user
from visavis.stores import postgres_address, server_address
from visavis.stores.base import Store
from visavis.stores.options import StoreOptions


def is_server_address(where: Path | str) -> bool:
    """Return whether it is a server's address rather than a folder."""
    return _is_address(where, server_address.SCHEMES) or _is_address(where, postgres_address.SCHEMES)


def _is_address(where: Path | str, schemes: tuple[str, ...]) -> bool:
    scheme, separator, _ = str(where).partition("://")
    return bool(separator) and scheme in schemes


def with_collection(address: str, name: str) -> str:
    """Add the name of a collection to a server's address that has none.

    >>> with_collection("qdrant://localhost:6333?replicas=2", "photos")
    'qdrant://localhost:6333/photos?replicas=2'
    >>> with_collection("postgresql://anna@db/pictures", "photos")
    'postgresql://anna@db/pictures?collection=photos'
    """
    if _is_address(address, postgres_address.SCHEMES):
        return postgres_address.with_collection(address, name)
    server, _, options = address.partition("?")
    if server.rstrip("/").count("/") == 2:
        server = f"{server.rstrip('/')}/{name}"
    return f"{server}?{options}" if options else server


def open_store(
    where: Path | str,
    *,
    dimension: int | None = None,
    options: StoreOptions | None = None,
    api_key: str | None = None,
    wait: float = 0.0,
) -> Store:
    """Open a store, or create it when there is none and the dimension is given.

    Args:
        where: A folder, or ``qdrant://host:port/collection`` (``qdrants://`` for an encrypted connection), with
            ``?shards=6&replicas=2&write_consistency=1&timeout=30`` as options; or
            ``postgresql://user@host/database?collection=NAME``.
        dimension: The length of the vectors: required to create a store, checked for an existing one.
        options: The options of a new store.
        api_key: For a server; VISAVIS_QDRANT_API_KEY when None.
        wait: Seconds to wait for another process that has the folder open.

    Raises:
        NotFoundError: There is no store and no dimension to create one.
        BadInputError: The address is wrong, the key is refused, or the vectors have another dimension.
        BusyError: Another process has the folder open.
        StorageError: It is damaged or not writable, or the server cannot be reached.
        MissingExtraError: A server's address, and the extra ``qdrant`` or ``postgres`` is not installed.
    """
    if dimension is not None and dimension < 1:
        raise BadInputError(f"Vectors cannot have {dimension} numbers.")
    if _is_address(where, postgres_address.SCHEMES):
        from visavis.stores.postgres import connect_postgres

        found = postgres_address.parse_postgres_address(str(where))
        return connect_postgres(found, dimension=dimension, options=options)
    if _is_address(where, server_address.SCHEMES):
        address = server_address.parse_address(str(where))
        from visavis.settings import Environment
        from visavis.stores.server import connect

        key = api_key or Environment().qdrant_api_key
        return connect(address, api_key=key, dimension=dimension, options=options)
    if "://" in str(where):
        raise BadInputError(
            f"'{where}' is no store.",
            "Give a folder, or an address like qdrant://localhost:6333/holidays or postgresql://host/db?collection=holidays",
        )
    from visavis.stores.edge import EdgeStore

    return EdgeStore(expand_user(where), dimension=dimension, options=options, wait=wait)
