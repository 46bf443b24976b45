"""A small HTTP client for load tests: cheaper than the server, because both share the same cores."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict

#: Shorter than the server's keep-alive time-out.
_TRUSTED_SECONDS = 20.0


class Times:
    """Milliseconds by route, and errors."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = defaultdict(list)
        self.errors: dict[str, int] = defaultdict(int)
        #: The last turn of each conversation that was acknowledged.
        self.turns: dict[str, int] = {}

    def note(self, route: str, status: int, seconds: float) -> None:
        """Record one response."""
        self.taken[route].append(seconds * 1000)
        if status >= 400:
            self.errors[f"{route}: {status}"] += 1


class Browser:
    """One user's connections: a browser opens up to six.

    Args:
        host: The server's address.
        port: Its port.
        times: What is measured.
        person: The number of the person; each has an address of their own, as the server counts connections by it.
    """

    def __init__(self, host: str, port: int, times: Times, person: int = 0) -> None:
        self._where = (host, port)
        self._from = (f"127.0.{1 + person // 250}.{1 + person % 250}", 0)
        self.times = times
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter, float]] = []

    async def ask(self, route: str, method: str, path: str, body: object = None, *, stream: bool = False):
        """Send a request; for a stream also the time to its results is recorded."""
        data = b"" if body is None else json.dumps(body).encode()
        accept = "text/event-stream" if stream else "*/*"
        head = (
            f"{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\nX-Visavis: 1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        started = time.perf_counter()
        line = self._line()
        try:
            reader, writer = line or await asyncio.open_connection(*self._where, local_addr=self._from)
        except OSError as error:
            self.times.errors[f"{route}: {type(error).__name__}"] += 1
            return b""
        try:
            writer.write(head.encode() + data)
            status, content = await self._read(reader, route if stream else "", started)
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            self.times.errors[f"{route}: {type(error).__name__}"] += 1
            writer.close()
            return b""
        self._free.append((reader, writer, time.monotonic()))
        self.times.note(route, status, time.perf_counter() - started)
        return content

    def _line(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """Return an open connection; one that was idle for long is closed, as browsers do."""
        while self._free:
            reader, writer, since = self._free.pop()
            if time.monotonic() - since < _TRUSTED_SECONDS:
                return reader, writer
            writer.close()
        return None

    async def _read(self, reader: asyncio.StreamReader, streamed: str, started: float) -> tuple[int, bytes]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status = int(head[9:12])
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        if "content-length" in headers:
            return status, await reader.readexactly(int(headers["content-length"]))
        if status == 304:
            return status, b""
        content, seen = b"", False
        while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
            content += (await reader.readexactly(size + 2))[:-2]
            if streamed and not seen and b"event: results" in content:
                self.times.note(f"{streamed}: to the results", 200, time.perf_counter() - started)
                seen = True
        await reader.readexactly(2)
        return status, content

    async def many(self, route: str, paths: list[str]) -> None:
        """Send several requests, six at a time as browsers do."""
        waiting = list(paths)

        async def line() -> None:
            while waiting:
                await self.ask(route, "GET", waiting.pop())

        await asyncio.gather(*(line() for _ in range(min(6, len(paths)))))

    def close(self) -> None:
        """Close all connections."""
        for _, writer, _ in self._free:
            writer.close()
