"""The FastAPI application: its routes, middleware and lifespan."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from visavis.server.dependencies import Services
from visavis.server.errors import add_error_handlers
from visavis.server.middleware import RequestLogMiddleware, SecurityMiddleware
from visavis.server.models.common import PROBLEMS
from visavis.server.routes import (
    albums,
    collections,
    conversations,
    jobs,
    pages,
    pictures,
    session,
    shares,
    studies,
    turns,
)
from visavis.server.settings import ServerSettings
from visavis.version import __version__

PREFIX = "/api/v1"
_ABOUT = """Find pictures by talking about them, then talk them into shape.

On the machine itself no login is needed. Elsewhere: `Authorization: Bearer KEY`, or a session cookie, with which
requests that change something need the header `X-Visavis: 1`."""


def create_app(settings: ServerSettings) -> FastAPI:
    """The application for these settings; its services are created here and closed at the end of its lifespan."""
    services = Services.of(settings)
    app = FastAPI(
        title="visavis",
        version=__version__,
        description=_ABOUT,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # its page loads scripts from a CDN, and everything here works without a network
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.services = services
    add_error_handlers(app)
    # Routes are tried one after the other, and most requests are for thumbnails.
    for part in (pictures, turns, collections, albums, conversations, session, jobs, shares, studies):
        app.include_router(part.router, prefix=PREFIX, responses=PROBLEMS)
    app.include_router(pages.router)
    app.add_middleware(SecurityMiddleware, settings=settings, authenticator=services.authenticator)
    app.add_middleware(RequestLogMiddleware, metrics=services.metrics)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    _watch_signals(services)
    async with services.running():
        yield


def _watch_signals(services: Services) -> None:
    """End endless streams on SIGINT and SIGTERM: uvicorn would wait for them."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        before: Any = signal.getsignal(number)

        def on_signal(number: int, frame: Any, before: Any = before) -> None:
            loop.call_soon_threadsafe(services.closing.set)
            if callable(before):
                before(number, frame)

        signal.signal(number, on_signal)
