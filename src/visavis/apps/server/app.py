"""The app: routes, what stands before them, and what is set up and let go around them."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from visavis.apps.server.answers import add_error_handlers
from visavis.apps.server.models.common import PROBLEMS
from visavis.apps.server.observing.requests import Observed
from visavis.apps.server.routes import (
    collections,
    conversations,
    facets,
    jobs,
    pages,
    pictures,
    session,
    sharing,
    thumbnails,
    turns,
)
from visavis.apps.server.security.gate import Gate
from visavis.apps.server.services import Services
from visavis.apps.server.settings import ServerSettings
from visavis.version import __version__

PREFIX = "/api/v1"
_ABOUT = """Find pictures by talking about them, then talk them into shape.

On the machine itself no login is needed. Elsewhere: `Authorization: Bearer KEY`, or a session cookie, with which
requests that change something need the header `X-Visavis: 1`."""


def create_app(settings: ServerSettings) -> FastAPI:
    """The app for these settings; everything it needs is there when this returns, and is let go when it ends."""
    services = Services.of(settings)
    app = FastAPI(
        title="visavis",
        version=__version__,
        description=_ABOUT,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # its page would come from elsewhere, and everything here works without a network
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.services = services
    add_error_handlers(app)
    # Routes are tried one after the other, and most requests are for thumbnails.
    for part in (pictures, thumbnails, turns, collections, conversations, session, facets, jobs, sharing):
        app.include_router(part.router, prefix=PREFIX, responses=PROBLEMS)
    app.include_router(pages.router)
    app.add_middleware(Gate, settings=settings)
    app.add_middleware(Observed)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    _hear_signals(services)
    if services.settings.warm:
        services.work.leave(services.work.start(services.library.warm))
    yield
    services.closing.set()
    await services.close()


def _hear_signals(services: Services) -> None:
    """Endless streams end when the server is told to: otherwise it would wait for them."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        before: Any = signal.getsignal(number)

        def heard(number: int, frame: Any, before: Any = before) -> None:
            loop.call_soon_threadsafe(services.closing.set)
            if callable(before):
                before(number, frame)

        signal.signal(number, heard)
