"""Derived attributes for collections that were indexed before there were any, or before an extra was installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visavis.collections import ledger
from visavis.collections.indexing.writer import sync_payloads
from visavis.pictures.derived import derivation

if TYPE_CHECKING:
    from visavis.collections.collection import StoredCollection

#: The catalogue's key for what was derived already.
_KEY = "derived"
_BATCH = 500


def derive_all(collection: StoredCollection) -> int:
    """Merge the details of all pictures again, so that they gain what is derived now; files are not read.

    The caller holds the collection's lock.

    Returns:
        How many pictures changed; 0 at once where all is derived already.
    """
    catalogue, state = collection.catalogue, derivation()
    if catalogue.meta(_KEY) == state:
        return 0
    changed = 0
    for pictures in catalogue.scroll(_BATCH):
        due = ledger.merge_details(catalogue, [picture.id for picture in pictures])
        sync_payloads(catalogue, collection.store, due)
        changed += len(due)
    if changed:
        ledger.begin_run(catalogue)  # so that what was read of the collection before is read again
        collection.store.flush()
    catalogue.set_meta(_KEY, state)
    return changed
