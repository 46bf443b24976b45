"""A client of a store in another process of this machine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from pathlib import Path
from threading import Lock
from typing import Any

from visavis.collections.sharing.host import FAMILY, PATIENT, HostAddress
from visavis.encoders.base import FloatArray
from visavis.errors import BusyError
from visavis.stores.base import FieldKind, Hit, Query, Store, StoredPoint, StoreInfo, VectorName
from visavis.stores.filters import Filter
from visavis.types import Payload

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
        self._connection, self._meeting = self._connect()

    def _connect(self) -> tuple[Connection[Any, Any], HostAddress]:
        try:
            meeting = HostAddress.read(self._file)
            return Client(meeting.address, FAMILY, authkey=meeting.key), meeting
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
            holder = f"Process {self._meeting.process} holds the vectors"
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
