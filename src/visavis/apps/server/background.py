"""A server in a thread of this process, for checks and tests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn
from fastapi import FastAPI

from visavis.apps.server.app import create_app
from visavis.apps.server.running import free_address, options
from visavis.apps.server.settings import ServerSettings
from visavis.errors import StorageError

_PATIENCE_SECONDS = 30.0


@contextmanager
def serving(settings: ServerSettings, app: FastAPI | None = None) -> Iterator[str]:
    """Serve on a free port of this machine until the block ends; gives the address."""
    address, bound = free_address("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app or create_app(settings), **options(settings)))
    thread = Thread(target=server.run, kwargs={"sockets": [bound]}, name="visavis-server", daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise StorageError("The server did not start.", "Look at the log.")
            time.sleep(0.02)
        yield address.url.rstrip("/")
    finally:
        server.should_exit = True
        thread.join(_PATIENCE_SECONDS)
