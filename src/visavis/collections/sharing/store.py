"""The embedded store as a collection uses it: in this process where possible, through its host otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from visavis.collections.sharing.guest import HostGoneError, StoreGuest
from visavis.collections.sharing.host import StoreHost
from visavis.encoders.base import FloatArray
from visavis.errors import BusyError, StorageError
from visavis.stores.base import FieldKind, Hit, Payload, Point, Query, Store, StoreInfo, VectorName
from visavis.stores.filters import Filter

Answer = TypeVar("Answer")
#: How long to look for a way to the store while hosts come and go.
_PATIENCE_SECONDS = 30.0


class SharedStore(Store):
    """Opens the store and hosts it, or joins the process that does; changes over when that one ends.

    A call that was cut off by the end of a host is made again with the next one. That is safe because every
    write of a store is idempotent.
    """

    def __init__(self, opener: Callable[[], Store], meeting_file: Path, patience: float = _PATIENCE_SECONDS) -> None:
        """Open or join.

        Args:
            opener: Opens the store in this process; raises :class:`BusyError` when another process has it.
            meeting_file: Where the host of this store says how to reach it.
            patience: Seconds to try for.
        """
        self._opener = opener
        self._file = meeting_file
        self._patience = patience
        self._lock = RLock()
        self._host: StoreHost | None = None
        self._closed = False
        self._store = self._find()

    @property
    def is_host(self) -> bool:
        """Whether the store lives in this process."""
        return self._host is not None

    def _find(self) -> Store:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return self._open()
            except BusyError as error:
                busy = error
            try:
                return StoreGuest(self._file)
            except HostGoneError:
                if time.monotonic() > deadline:
                    raise busy from None
                time.sleep(0.05)  # between the end of one host and the beginning of the next

    def _open(self) -> Store:
        store = self._opener()
        try:
            self._host = StoreHost(store, self._file)
        except BaseException:
            store.close()
            raise
        return store

    def _call(self, ask: Callable[[Store], Answer]) -> Answer:
        while True:
            store = self._store
            try:
                return ask(store)
            except HostGoneError as error:
                with self._lock:
                    if self._closed:  # a thread that comes late must not open, and hold, what was given up
                        raise StorageError(f"The store of {self._file} is closed.", "Open it again.") from error
                    if self._store is store:  # no other thread has changed over yet
                        self._store = self._find()

    def upsert(self, points: Sequence[Point]) -> None:
        """Add points or replace those with the same id."""
        self._call(lambda store: store.upsert(points))

    def set_payload(self, id: str, payload: Payload) -> None:
        """Replace the payload of a point."""
        self._call(lambda store: store.set_payload(id, payload))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points."""
        self._call(lambda store: store.delete(ids))

    def query(self, query: Query) -> list[Hit]:
        """The nearest points."""
        return self._call(lambda store: store.query(query))

    def recommend(
        self,
        positives: Sequence[str],
        negatives: Sequence[str] = (),
        *,
        filter: Filter | None = None,
        limit: int = 20,
    ) -> list[Hit]:
        """Points near the given ones and far from the others."""
        return self._call(lambda store: store.recommend(positives, negatives, filter=filter, limit=limit))

    def count(self, filter: Filter | None = None) -> int:
        """How many points pass the filter."""
        return self._call(lambda store: store.count(filter))

    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """The values of a field and how many points have each."""
        return self._call(lambda store: store.facets(field, filter, limit))

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """The stored vectors of the points that exist."""
        return self._call(lambda store: store.vectors(ids, name))

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The payloads of the points that exist."""
        return self._call(lambda store: store.payloads(ids))

    def scroll(self, batch: int = 1000) -> Iterator[list[Point]]:
        """Every point, a batch at a time; begun anew behind the last point seen when a host ends half-way."""
        last = ""
        while True:
            try:
                for points in self._store.scroll(batch):
                    if fresh := [point for point in points if point.id > last]:
                        yield fresh
                        last = fresh[-1].id
            except HostGoneError:
                self._call(lambda store: store.count())  # finds the next host
            else:
                return

    def ids(self) -> Iterator[str]:
        """Every id, in order; likewise."""
        last = ""
        while True:
            try:
                for id in self._store.ids():
                    if id > last:
                        yield id
                        last = id
            except HostGoneError:
                self._call(lambda store: store.count())
            else:
                return

    def index_field(self, field: str, kind: FieldKind) -> None:
        """Make filters on a field fast."""
        self._call(lambda store: store.index_field(field, kind))

    def fields(self) -> dict[str, FieldKind]:
        """The fields that have an index, and their kinds."""
        return self._call(lambda store: store.fields())

    def optimize(self) -> None:
        """Build the search index."""
        self._call(lambda store: store.optimize())

    def flush(self) -> None:
        """Write everything to its final place."""
        self._call(lambda store: store.flush())

    def info(self) -> StoreInfo:
        """What the store says of itself."""
        return self._call(lambda store: store.info())

    def close(self) -> None:
        """Stop hosting and close the store, or leave its host; a second close does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._host:
            self._host.close()
        self._store.close()
