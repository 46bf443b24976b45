"""What every request passes first: the host it was meant for, its size, its patience; and what every answer carries."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import NoReturn

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visavis.apps.server.answers import error_response, request_id
from visavis.apps.server.observing.logs import LOGGER
from visavis.apps.server.security.errors import FailedError, NotAllowedError, RefusedError, TooLargeError, TooSlowError
from visavis.apps.server.security.identity import check_sender
from visavis.apps.server.settings import ServerSettings, is_loopback

_log = logging.getLogger(LOGGER)
#: Seconds without a byte of the body after which a request is given up.
_BODY_SECONDS = 30.0
#: Routes that take files.
_UPLOADS = ("/upload", "/picture")
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


class Gate:
    """An ASGI middleware: plain, because it stands before every thumbnail."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        body = _Body(receive, self._most(scope["path"]), headers)
        answer = _Answer(send, body)
        try:
            self._check_host(headers)
            body.check()
            await self._check_sender(scope)
            await self._app(scope, body, answer)
        except RefusedError as error:
            if answer.begun:
                raise
            body.error = error
        except Exception as error:  # the outermost place: who asked gets an answer, the log what went wrong
            _log.error("an error nobody expected", exc_info=error, extra={"request_id": request_id(scope)})
            if answer.begun:
                raise
            body.error = FailedError("Something went wrong here.", "Tell the administrator the request id.")
        if body.error is not None and (not answer.begun or answer.withheld):
            await error_response(body.error, scope)(scope, receive, _Answer(send))

    def _check_host(self, headers: Headers) -> None:
        """Without a login, only pages of this machine may ask: a foreign name that leads here is an attack."""
        if self._settings.mode != "local":
            return
        if not is_loopback(_host_name(headers.get("host", ""))):
            raise NotAllowedError("This server only answers to its own machine.", "Open http://127.0.0.1 instead.")
        if any(name in headers for name in _PROXIED):
            raise NotAllowedError(
                "A server without a login does not stand behind a proxy.", "Start it with: visavis serve --keys"
            )

    async def _check_sender(self, scope: Scope) -> None:
        """Routes learn who asks when the body has been read, which for files is too late."""
        if self._settings.mode == "keys" and scope["method"] == "POST" and scope["path"].endswith(_UPLOADS):
            await run_in_threadpool(check_sender, Request(scope), scope["app"].state.services)

    def _most(self, path: str) -> int:
        limits = self._settings.limits
        return limits.upload_bytes if path.endswith(_UPLOADS) else limits.json_bytes


class _Answer:
    """Adds to every answer what keeps browsers careful."""

    def __init__(self, send: Send, body: _Body | None = None) -> None:
        self._send = send
        self._body = body
        self.begun = False
        self.withheld = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            # What the app makes of a body that was cut off is not what is to be told about it.
            self.withheld = self._body is not None and self._body.error is not None
        if self.withheld:
            return
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


class _Body:
    """Counts the body as it comes and does not wait for ever."""

    def __init__(self, receive: Receive, most: int, headers: Headers) -> None:
        self._receive = receive
        self._left = most
        self._whole = False
        self.error: RefusedError | None = None
        told = headers.get("content-length", "")
        self._told = int(told) if told.isdigit() else 0

    def check(self) -> None:
        """Refuse a body that says itself that it is too large."""
        if self._told > self._left:
            self._refuse(TooLargeError("The request is too large.", "Send less at once."))

    async def __call__(self) -> Message:
        if self._whole:  # what comes now is the end of the connection, and may be long in coming
            return await self._receive()
        try:
            message: Message = await asyncio.wait_for(self._receive(), _BODY_SECONDS)
        except TimeoutError:
            self._refuse(TooSlowError("The body of the request did not arrive.", "Send it again."))
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._left < 0:
                self._refuse(TooLargeError("The request is too large.", "Send less at once."))
        return message

    def _refuse(self, error: RefusedError) -> NoReturn:
        self.error = error
        raise error


def _host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    if host.startswith("["):
        return host.partition("]")[0][1:]
    return host.partition(":")[0].lower()
