"""An id for each request, its time, and one line of log."""

from __future__ import annotations

import logging
import re
import time
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visavis.apps.server.observing.logs import LOGGER
from visavis.apps.server.services import Services

_log = logging.getLogger(LOGGER)
_GIVEN = re.compile(r"[A-Za-z0-9_-]{6,64}")
#: Routes that are asked for all the time; a line for each would bury the others.
_QUIET = ("/thumbnail", "/health", "/metrics")


class Observed:
    """The outermost ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count and log a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _GIVEN.fullmatch(given) else uuid4().hex[:16]
        state = scope.setdefault("state", {})
        state["request_id"] = request_id
        services: Services = scope["app"].state.services
        started, status = time.perf_counter(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
            await send(message)

        services.metrics.begin()
        try:
            await self._app(scope, receive, answer)
        finally:
            seconds = time.perf_counter() - started
            route = _route(scope)
            services.metrics.end(scope["method"], route, status, seconds)
            level = logging.DEBUG if route.endswith(_QUIET) and status < 400 else logging.INFO
            told = {
                "request_id": request_id,
                "user": state.get("user"),
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 1),
            }
            _log.log(level, "request", extra=told)


def _route(scope: Scope) -> str:
    """The route's pattern: the path itself may hold a share's token."""
    return getattr(scope.get("route"), "path", "(none)")
