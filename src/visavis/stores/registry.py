"""One way to open any store: by a folder, or by the address of a server."""

from __future__ import annotations

import os
from pathlib import Path

from visavis.errors import BadInputError
from visavis.home import in_full
from visavis.stores.base import Store
from visavis.stores.options import StoreOptions
from visavis.stores.server_address import API_KEY_VARIABLE, SCHEMES, parse_address


def is_server_address(where: Path | str) -> bool:
    """Whether it is the address of a server rather than a folder."""
    return str(where).partition("://")[0] in SCHEMES and "://" in str(where)


def open_store(
    where: Path | str,
    *,
    dimension: int | None = None,
    options: StoreOptions | None = None,
    api_key: str | None = None,
    wait: float = 0.0,
) -> Store:
    """Open a store, or make it when there is none and the dimension is given.

    Args:
        where: A folder, or ``qdrant://host:port/collection`` (``qdrants://`` for an encrypted connection), with
            ``?shards=6&replicas=2&write_consistency=1&timeout=30`` where wanted.
        dimension: The length of the vectors: needed to make a store, checked when there is one.
        options: What a new store is made like.
        api_key: For a server; the variable VISAVIS_QDRANT_API_KEY when None.
        wait: Seconds to wait for another process that has the folder open.

    Raises:
        NotFoundError: There is no store and no dimension to make one with.
        BadInputError: The address is wrong, the key is refused, or the store keeps vectors of another dimension.
        BusyError: Another process has the folder open.
        StorageError: It is damaged or cannot be written, or the server cannot be reached.
        MissingExtraError: A server's address, and the extra ``qdrant`` is not installed.
    """
    if dimension is not None and dimension < 1:
        raise BadInputError(f"Vectors cannot have {dimension} numbers.")
    if is_server_address(where):
        address = parse_address(str(where))
        from visavis.stores.server import connect

        key = api_key or os.environ.get(API_KEY_VARIABLE) or None
        return connect(address, api_key=key, dimension=dimension, options=options)
    if "://" in str(where):
        raise BadInputError(
            f"'{where}' is no store.", "Give a folder, or an address like qdrant://localhost:6333/holidays"
        )
    from visavis.stores.edge import EdgeStore

    return EdgeStore(in_full(where), dimension=dimension, options=options, wait=wait)
