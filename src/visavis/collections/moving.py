"""Moving a collection's vectors to another store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from visavis.collections.indexing.lock import index_lock
from visavis.collections.vectors import full_address, open_vectors
from visavis.errors import BadInputError
from visavis.stores.copying import CopyReport, copy_store

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


def copy_vectors(
    collection: Collection,
    to: str,
    *,
    switch: bool = False,
    replace_others: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> CopyReport:
    """Copy all vectors to another store; begun again after a break it goes on where it was.

    Args:
        collection: Whose.
        to: A Qdrant address, or ``local`` for the collection's own folder.
        switch: Whether the collection uses the copy from then on.
        replace_others: Whether pictures that only the target has are removed from it.
        on_progress: Told how many of how many are done.
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
