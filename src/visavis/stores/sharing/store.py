"""The embedded store of a collection: in this process where possible, else as a client of its host."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar

from visavis.encoders.base import FloatArray
from visavis.errors import BusyError, StorageError
from visavis.stores.base import FieldKind, Hit, Query, Store, StoredPoint, StoreInfo, VectorName
from visavis.stores.filters import Filter
from visavis.stores.sharing.host import FAMILY, PATIENT, HostAddress, StoreHost
from visavis.types import Payload

Answer = TypeVar("Answer")
#: How long to retry while hosts start and end.
_TIMEOUT_SECONDS = 30.0


class SharedStore(Store):
    """Opens the store and hosts it, or connects to its host; fails over when the host ends.

    A call interrupted by the end of a host is retried with the next one. That is safe because every
    write of a store is idempotent.
    """

    def __init__(self, opener: Callable[[], Store], address_file: Path, timeout: float = _TIMEOUT_SECONDS) -> None:
        """Open or connect.

        Args:
            opener: Opens the store in this process; raises :class:`BusyError` when another process has it.
            address_file: The file with the host's address.
            timeout: Seconds to retry.
        """
        self._opener = opener
        self._file = address_file
        self._patience = timeout
        self._lock = RLock()
        self._host: StoreHost | None = None
        self._closed = False
        self._store = self._find()

    def _find(self) -> Store:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return self._open()
            except BusyError as error:
                busy = error
            try:
                return StoreClient(self._file)
            except HostEndedError:
                if time.monotonic() > deadline:
                    raise busy from None
                time.sleep(0.05)  # between the end of one host and the start of the next

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
            except HostEndedError as error:
                with self._lock:
                    if self._closed:  # after close() a late thread must not open, and lock, the store again
                        raise StorageError(f"The store of {self._file} is closed.", "Open it again.") from error
                    if self._store is store:  # no other thread has failed over yet
                        self._store = self._find()

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Add points or replace those with the same id."""
        self._call(lambda store: store.upsert(points))

    def set_payload(self, id: str, payload: Payload) -> None:
        """Replace the payload of a point."""
        self._call(lambda store: store.set_payload(id, payload))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points."""
        self._call(lambda store: store.delete(ids))

    def query(self, query: Query) -> list[Hit]:
        """Return the nearest points."""
        return self._call(lambda store: store.query(query))

    def count(self, filter: Filter | None = None) -> int:
        """Count the points that match the filter."""
        return self._call(lambda store: store.count(filter))

    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """Return the values of a field and how many points have each."""
        return self._call(lambda store: store.facets(field, filter, limit))

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return the stored vectors of the points that exist."""
        return self._call(lambda store: store.vectors(ids, name))

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the payloads of the points that exist."""
        return self._call(lambda store: store.payloads(ids))

    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        """Yield every point, a batch at a time; resumed after the last point when a host ends."""
        last = ""
        while True:
            try:
                for points in self._store.scroll(batch):
                    if fresh := [point for point in points if point.id > last]:
                        yield fresh
                        last = fresh[-1].id
            except HostEndedError:
                self._call(lambda store: store.count())  # finds the next host
            else:
                return

    def ids(self) -> Iterator[str]:
        """Yield every id, in order; resumed likewise."""
        last = ""
        while True:
            try:
                for id in self._store.ids():
                    if id > last:
                        yield id
                        last = id
            except HostEndedError:
                self._call(lambda store: store.count())
            else:
                return

    def index_field(self, field: str, kind: FieldKind) -> None:
        """Build an index for filters on a field."""
        self._call(lambda store: store.index_field(field, kind))

    def fields(self) -> dict[str, FieldKind]:
        """Return the fields that have an index, and their kinds."""
        return self._call(lambda store: store.fields())

    def optimize(self) -> None:
        """Build the search index."""
        self._call(lambda store: store.optimize())

    def flush(self) -> None:
        """Write everything to its final files."""
        self._call(lambda store: store.flush())

    def info(self) -> StoreInfo:
        """Return statistics of the store."""
        return self._call(lambda store: store.info())

    def close(self) -> None:
        """Stop hosting and close the store, or disconnect; a second close does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._host:
            self._host.close()
        self._store.close()


#: Time-out of an answer of the host.
_PATIENCE_SECONDS = 60.0


class HostEndedError(ConnectionError):
    """The host has ended; another process has to open the store."""


class StoreClient(Store):
    """Forwards every call to the process that hosts the store; thread-safe."""

    def __init__(self, address_file: Path) -> None:
        """Connect to the current host.

        Raises:
            HostEndedError: There is no host.
        """
        self._file = address_file
        self._lock = Lock()
        self._connection, self._host = self._connect()

    def _connect(self) -> tuple[Connection[Any, Any], HostAddress]:
        try:
            host = HostAddress.read(self._file)
            return Client(host.address, FAMILY, authkey=host.key), host
        except (OSError, EOFError, ValueError, KeyError, AuthenticationError) as error:
            raise HostEndedError(f"nobody answers for {self._file}") from error

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            kind, value = self._exchange(self._connection, method, args, kwargs)
        if kind == "error":
            raise value
        return value

    def _exchange(self, connection: Connection[Any, Any], method: str, args: Any, kwargs: Any) -> tuple[str, Any]:
        try:
            connection.send((method, args, kwargs))
            return self._receive(connection, method)
        except (EOFError, OSError) as error:
            raise HostEndedError(str(error)) from error

    def _receive(self, connection: Connection[Any, Any], method: str) -> tuple[str, Any]:
        if not connection.poll(None if method in PATIENT else _PATIENCE_SECONDS):
            connection.close()  # a late answer must not be taken for that of the next call
            holder = f"Process {self._host.process} holds the vectors"
            raise BusyError(
                f"{holder} and has not answered for {_PATIENCE_SECONDS:.0f} s.",
                "Wait for it or end it, then try again.",
            )
        kind, value = connection.recv()
        return kind, value

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Add points or replace those with the same id."""
        self._call("upsert", list(points))

    def set_payload(self, id: str, payload: Payload) -> None:
        """Replace the payload of a point."""
        self._call("set_payload", id, dict(payload))

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points."""
        self._call("delete", list(ids))

    def query(self, query: Query) -> list[Hit]:
        """Return the nearest points."""
        return list(self._call("query", query))

    def count(self, filter: Filter | None = None) -> int:
        """Count the points that match the filter."""
        return int(self._call("count", filter))

    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """Return the values of a field and how many points have each."""
        return list(self._call("facets", field, filter, limit))

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return the stored vectors of the points that exist."""
        return dict(self._call("vectors", list(ids), name))

    def payloads(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the payloads of the points that exist."""
        return dict(self._call("payloads", list(ids)))

    def scroll(self, batch: int = 1000) -> Iterator[list[StoredPoint]]:
        """Yield every point, a batch at a time."""
        return self._stream("scroll", batch)

    def ids(self) -> Iterator[str]:
        """Yield every id, in order."""
        for some in self._stream("ids"):
            yield from some

    def _stream(self, method: str, *args: Any) -> Iterator[Any]:
        """Yield the parts of a long answer, over a separate connection so that other calls need not wait."""
        connection, _ = self._connect()
        with contextlib.closing(connection):
            kind, value = self._exchange(connection, method, args, {})
            while kind == "more":
                yield value
                try:
                    kind, value = self._receive(connection, method)
                except (EOFError, OSError) as error:
                    raise HostEndedError(str(error)) from error
            if kind == "error":
                raise value

    def index_field(self, field: str, kind: FieldKind) -> None:
        """Build an index for filters on a field."""
        self._call("index_field", field, kind)

    def fields(self) -> dict[str, FieldKind]:
        """Return the fields that have an index, and their kinds."""
        return dict(self._call("fields"))

    def optimize(self) -> None:
        """Build the search index."""
        self._call("optimize")

    def flush(self) -> None:
        """Write everything to its final files."""
        self._call("flush")

    def info(self) -> StoreInfo:
        """Return statistics of the store."""
        info = self._call("info")
        assert isinstance(info, StoreInfo)
        return info

    def close(self) -> None:
        """Disconnect; the store stays open in the host."""
        self._connection.close()
