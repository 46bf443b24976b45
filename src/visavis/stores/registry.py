"""Open any store, by folder or by server address."""

from __future__ import annotations

from pathlib import Path

from visavis.errors import BadInputError
from visavis.home import expand_user
from visavis.stores.addresses import POSTGRES_SCHEMES, QDRANT_SCHEMES, has_scheme, parse_address, parse_postgres_address
from visavis.stores.base import Store, StoreOptions


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
    if has_scheme(where, POSTGRES_SCHEMES):
        from visavis.stores.postgres import connect_postgres

        found = parse_postgres_address(str(where))
        return connect_postgres(found, dimension=dimension, options=options)
    if has_scheme(where, QDRANT_SCHEMES):
        address = parse_address(str(where))
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
