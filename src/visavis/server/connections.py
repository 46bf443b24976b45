"""Bounds of connections: how many, how long each may wait for headers, and how slowly its client may read."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from ipaddress import ip_address, ip_network
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from visavis.server.security import address_group
from visavis.server.settings import ServerLimits

#: How long the rest of a body is read and dropped after its request was answered, so that the client sees the answer.
_DRAIN_SECONDS = 5.0
#: Until then a body counts as being sent in time, however little has come.
_GRACE_SECONDS = 2.0
#: How often it is checked whether a client still reads its response.
_READ_CHECK_SECONDS = 15.0
#: The least that a client reads of a response, in bytes a second.
_READ_RATE = 1000
#: Files that the process needs for anything but connections.
_OTHER_FILES = 256
_BUSY = b'{"error":{"code":"overloaded","message":"Too many connections.","remedy":"Try again in a moment."}}'
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(_BUSY), _BUSY)
)


class ServerConfig(uvicorn.Config):
    """The configuration of uvicorn with the limits of connections; worker processes get it pickled.

    Args:
        app: The application, or where it is found.
        limits: The limits.
        proxies: Networks of trusted proxies: their connections are those of many people.
        options: The options of uvicorn.
    """

    def __init__(self, app: Any, limits: ServerLimits, proxies: Iterable[str] = (), **options: Any) -> None:
        super().__init__(app, http=BoundedProtocol, ws="none", **options)
        self.limits = limits
        self.trusted = tuple(ip_network(proxy, strict=False) for proxy in proxies)
        self.most_connections = max(1, min(limits.connections, _most_files() - _OTHER_FILES))


class BoundedProtocol(H11Protocol):
    """An HTTP connection with deadlines, which makes room for a new one by closing idle ones.

    uvicorn has a timeout only for a connection that has had an answer, so that a client that sends nothing, or half of
    its headers, or a body that is not read, holds its connection for ever.
    """

    config: ServerConfig

    def __init__(
        self,
        config: ServerConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._since = self.loop.time()
        self._group: str | None = None
        self._waits_for = ""
        self._deadline: asyncio.TimerHandle | None = None
        self._body_since = 0.0
        self._body_bytes = 0
        self._read_check: asyncio.TimerHandle | None = None
        self._unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or refuse it where there is no room."""
        super().connection_made(transport)
        self._group = self._address_group()
        if not self._make_room():
            transport.write(_REFUSAL)
            transport.close()
            return
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and its timers."""
        self._set_deadline("")
        self._end_read_check()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take data, and set the deadline of what is still missing."""
        if self.conn.their_state is h11.SEND_BODY:
            self._body_bytes += len(data)
        cycle = self.cycle
        super().data_received(data)
        if self.cycle is not cycle:
            self._body_since, self._body_bytes = self.loop.time(), 0
        self._watch()

    def on_response_complete(self) -> None:
        """End the request; a body that was not read is dropped for a while, then the connection ends."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Begin to check that the client reads."""
        super().pause_writing()
        if self._read_check is None:
            self._unread = self.transport.get_write_buffer_size()
            self._read_check = self.loop.call_later(_READ_CHECK_SECONDS, self._check_reading)

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        self._end_read_check()

    @property
    def idle(self) -> bool:
        """Whether no request is being answered and nothing is left to send."""
        answered = self.cycle is None or self.cycle.response_complete
        return answered and not self.transport.get_write_buffer_size()

    @property
    def lagging(self) -> bool:
        """Whether a body arrives more slowly than is allowed."""
        if self.idle or self.conn.their_state is not h11.SEND_BODY or self.flow.read_paused:
            return False
        age = self.loop.time() - self._body_since
        return age > _GRACE_SECONDS and self._body_bytes < age * self.config.limits.body_rate

    def _address_group(self) -> str | None:
        """What the connection is counted under; None where it may be that of many people."""
        if self.client is None:
            return None
        try:
            address = ip_address(self.client[0])
        except ValueError:
            return None
        return None if any(address in network for network in self.config.trusted) else address_group(self.client[0])

    def _make_room(self) -> bool:
        """Whether there is room, perhaps after closing another connection."""
        others = [
            one
            for one in self.connections
            if isinstance(one, BoundedProtocol) and one is not self and not one.transport.is_closing()
        ]
        if self._group is not None:
            same = [one for one in others if one._group == self._group]
            if len(same) >= self.config.limits.connections_per_address:
                return _close_one(same)
        return len(others) < self.config.most_connections or _close_one(others)

    def _watch(self) -> None:
        """Set the deadline of what the client has to send next."""
        if self.transport.is_closing():
            self._set_deadline("")
        elif self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            self._set_deadline("headers", self.config.limits.header_seconds)
        elif self.conn.their_state is h11.SEND_BODY and self.cycle is not None and self.cycle.response_complete:
            self._set_deadline("rest of the body", _DRAIN_SECONDS)
        else:
            self._set_deadline("")

    def _set_deadline(self, waits_for: str, seconds: float = 0.0) -> None:
        """Set a deadline unless the same one is set: more data of the same kind does not move it."""
        if waits_for == self._waits_for:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        self._waits_for = waits_for
        self._deadline = self.loop.call_later(seconds, self.transport.abort) if waits_for else None

    def _check_reading(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left > self._unread - _READ_RATE * _READ_CHECK_SECONDS and left > 0:
            self._read_check = None
            self.transport.abort()
            return
        self._unread = left
        self._read_check = self.loop.call_later(_READ_CHECK_SECONDS, self._check_reading)

    def _end_read_check(self) -> None:
        if self._read_check is not None:
            self._read_check.cancel()
            self._read_check = None


def _most_files() -> int:
    """How many files and connections the process may have open."""
    if sys.platform == "win32":
        return 8192
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _close_one(connections: list[BoundedProtocol]) -> bool:
    """Close the connection that is needed least; False where all of them are at work."""
    idle = [one for one in connections if one.idle] or [one for one in connections if one.lagging]
    if not idle:
        return False
    # One that never sent a request goes before one that a browser keeps for its next.
    min(idle, key=lambda one: (one.cycle is not None, one._since)).transport.abort()
    return True
