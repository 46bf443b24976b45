"""ASGI middleware: security checks and headers, request ids, the request log as JSON lines, Prometheus metrics."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any, NoReturn, TextIO
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visavis.server.errors import (
    BadMethodError,
    FailedError,
    NotAllowedError,
    RefusedError,
    SlowBodyError,
    TooLargeError,
    error_response,
    request_id,
)
from visavis.server.events import StreamCounter
from visavis.server.security import API, Authenticator, Identity, client_address, is_loopback
from visavis.server.services.workers import WorkerPool, requester
from visavis.server.settings import LOGGER, ServerLimits, ServerSettings

#: Fields of a record that are written beside its message; nothing else of a request is ever logged.
_FIELDS = ("request_id", "user", "method", "route", "status", "ms", "job", "collection")
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class JsonLogFormatter(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "message": record.getMessage()}
        line |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = "".join(traceback.format_exception(record.exc_info[1]))[-4000:]
        return json.dumps(line, ensure_ascii=False, default=str)


def set_up_logs(level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Write the server's log, and errors of uvicorn, to standard error as JSON lines.

    Its warnings are about single requests that are not HTTP: anybody could fill the log with them.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLogFormatter())
    for name, least in ((LOGGER, level), ("uvicorn.error", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(least)


class Metrics:
    """The metrics of one application, in a registry of its own."""

    def __init__(self, work: WorkerPool, light: WorkerPool) -> None:
        self._registry = CollectorRegistry()
        self._requests = Histogram(
            "visavis_request_seconds",
            "How long requests took.",
            ("method", "route", "status"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._going_on = Gauge("visavis_requests_going_on", "Requests being answered.", registry=self._registry)
        self._turns = Counter("visavis_turns", "Turns that were made.", registry=self._registry)
        for name, pool in (("work", work), ("light", light)):
            gauge = Gauge(f"visavis_{name}_pending", "Work being done or waiting.", registry=self._registry)
            gauge.set_function(partial(_pending, pool))

    def begin(self) -> None:
        """Count a request that started."""
        self._going_on.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that ended."""
        self._going_on.dec()
        self._requests.labels(method, route, str(status)).observe(seconds)

    def turn(self) -> None:
        """Count a turn."""
        self._turns.inc()

    def text(self) -> bytes:
        """The metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


def _pending(pool: WorkerPool) -> float:
    return float(pool.pending)


_log = logging.getLogger(LOGGER)
#: A request id that a client may give.
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{6,64}")
#: Frequent routes, which are logged only when they fail.
_QUIET = ("/thumbnail", "/health", "/metrics")
#: The methods of HTTP; others have one label in metrics and logs, so that made-up ones cost no memory.
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER_METHOD = "other"
#: Routes that take files.
_UPLOADS = ("/upload", "/picture")
#: The largest body of a request without a user: a key to log in with.
_ANONYMOUS_BYTES = 10_000
_PROXIED = ("x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host")
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class SecurityMiddleware:
    """Checks the host and the size of each request, and adds the security headers to each response.

    It is plain ASGI, not Starlette's ``BaseHTTPMiddleware``, because every thumbnail passes it.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings, authenticator: Authenticator) -> None:
        self._app = app
        self._settings = settings
        self._authenticator = authenticator
        self._uploads = StreamCounter(settings.limits.uploads, "As many uploads as may are on their way from you")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        body = _RequestBody(receive, headers, self._settings.limits)
        response = _ResponseSender(send, body)
        try:
            self._check_host(headers)
            user = await self._admit(Request(scope))
            body.check(self._largest_body(scope["path"], user))
            with self._counted(scope, user):
                await self._app(scope, body, response)
        except RefusedError as error:
            if response.started:  # the rest of it cannot come; uvicorn ends the connection
                _log.warning("a response was cut off", extra={"request_id": request_id(scope)})
                return
            body.error = error
        except Exception as error:  # the client gets an error, the log the traceback
            _log.error("unexpected error", exc_info=error, extra={"request_id": request_id(scope)})
            if response.started:
                raise
            body.error = FailedError("Something went wrong here.", "Tell the administrator the request id.")
        if body.error is not None and (not response.started or response.withheld):
            await error_response(body.error, scope)(scope, receive, _ResponseSender(send))

    def _check_host(self, headers: Headers) -> None:
        """Without a login, accept only this machine as the Host: another name that leads here is DNS rebinding."""
        if self._settings.mode != "local":
            return
        if not is_loopback(_host_name(headers.get("host", ""))):
            raise NotAllowedError("This server only answers to its own machine.", "Open http://127.0.0.1 instead.")
        if any(name in headers for name in _PROXIED):
            raise NotAllowedError(
                "A server without a login does not stand behind a proxy.", "Start it with: visavis serve --keys"
            )

    async def _admit(self, request: Request) -> Identity | None:
        """Identify the user and use the rate limit before the body is read: FastAPI would read and store it first."""
        user = await self._authenticator.admit(request)
        request.state.identity = user
        request.state.user = user.name if user else None
        if self._settings.mode == "keys":
            requester.set(user.name if user else client_address(request))
        if request.method not in METHODS:
            raise BadMethodError("There is no such method here.", "See /api/v1/openapi.json.")
        if user is not None and _is_upload(request.scope):
            user.check("write")
        return user

    def _largest_body(self, path: str, user: Identity | None) -> int:
        limits = self._settings.limits
        if user is None and path.startswith(API):
            return _ANONYMOUS_BYTES
        return limits.upload_bytes if path.endswith(_UPLOADS) else limits.json_bytes

    @contextmanager
    def _counted(self, scope: Scope, user: Identity | None) -> Iterator[None]:
        """Count an upload while it goes on: its files are stored before any other limit is looked at."""
        if user is None or self._settings.mode == "local" or not _is_upload(scope):
            yield
            return
        end = self._uploads.open(user.name)
        try:
            yield
        finally:
            end()


def _is_upload(scope: Scope) -> bool:
    return bool(scope["method"] == "POST" and scope["path"].endswith(_UPLOADS))


class _ResponseSender:
    """Adds the security headers to a response, and withholds one to a body that was refused meanwhile."""

    def __init__(self, send: Send, body: _RequestBody | None = None) -> None:
        self._send = send
        self._body = body
        self.started = False
        self.withheld = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            if self._body is not None:
                self._body.answered = True
            # The response that the app makes of a truncated body is replaced by the error.
            self.withheld = self._body is not None and self._body.error is not None
        if self.withheld:
            return
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


class _RequestBody:
    """Limits the size of a request body and the time that it takes: a pause, and its speed in the long run."""

    def __init__(self, receive: Receive, headers: Headers, limits: ServerLimits) -> None:
        self._receive = receive
        self._left = 0
        self._limits = limits
        self._started: float | None = None
        self._received = 0
        self._whole = False
        self.answered = False
        self.error: RefusedError | None = None
        length = headers.get("content-length", "")
        self._length = int(length) if length.isdigit() else 0

    def check(self, most: int) -> None:
        """Allow so many bytes, and refuse a body whose Content-Length is larger."""
        self._left = most
        if self._length > self._left:
            self._refuse(TooLargeError("The request is too large.", "Send less at once."))

    async def __call__(self) -> Message:
        if self._whole:  # the next message is the end of the connection, which has no time limit
            return await self._receive()
        try:
            message: Message = await asyncio.wait_for(self._receive(), self._seconds_left())
        except TimeoutError:
            if self.answered:  # it is not read, as with a stream that waits for its client to leave
                return {"type": "http.disconnect"}
            self._refuse(SlowBodyError("The body of the request did not arrive.", "Send it again."))
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._received += len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._left < 0:
                self._refuse(TooLargeError("The request is too large.", "Send less at once."))
        return message

    def _seconds_left(self) -> float:
        """How long the next part may take."""
        now = asyncio.get_running_loop().time()
        if self._started is None:
            self._started = now
        pause = self._limits.body_seconds
        return max(0.0, min(pause, self._started + pause + self._received / self._limits.body_rate - now))

    def _refuse(self, error: RefusedError) -> NoReturn:
        self.error = error
        raise error


def _host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    if host.startswith("["):
        return host.partition("]")[0][1:]
    return host.partition(":")[0].lower()


class RequestLogMiddleware:
    """Gives each request an id, measures it and writes one line of log: the outermost middleware."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count and log a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex[:16]
        state = scope.setdefault("state", {})
        state["request_id"] = request_id
        started, status = time.perf_counter(), 500

        async def response(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
            await send(message)

        self._metrics.begin()
        try:
            await self._app(scope, receive, response)
        finally:
            seconds = time.perf_counter() - started
            route = _route(scope)
            method = scope["method"] if scope["method"] in METHODS else _OTHER_METHOD
            self._metrics.end(method, route, status, seconds)
            level = logging.DEBUG if route.endswith(_QUIET) and status < 400 else logging.INFO
            fields = {
                "request_id": request_id,
                "user": state.get("user"),
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 1),
            }
            _log.log(level, "request", extra=fields)


def _route(scope: Scope) -> str:
    """The pattern of the route; the path itself may contain the token of a share."""
    return getattr(scope.get("route"), "path", "(none)")
