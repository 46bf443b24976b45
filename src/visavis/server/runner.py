"""Running the server: the socket, the checks before the start, worker processes, a server in a thread."""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_network
from threading import Thread
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette

from visavis.errors import BadInputError, BusyError, StorageError
from visavis.server.app import create_app
from visavis.server.connections import ServerConfig
from visavis.server.database import ServerDatabase
from visavis.server.dependencies import Services
from visavis.server.middleware import set_up_logs
from visavis.server.security import is_loopback
from visavis.server.services.accounts import Users
from visavis.server.settings import ServerSettings

DEFAULT_PORT = 8765
#: How long requests may take after the server was told to stop.
_SHUTDOWN_SECONDS = 30
_TRIED_PORTS = 20
#: How long a connection is kept for the next request: longer than proxies keep theirs, so that they end first.
_KEEP_ALIVE_SECONDS = 75
_START_SECONDS = 30.0


def configuration(settings: ServerSettings, app: Any, **more: Any) -> ServerConfig:
    """The configuration of uvicorn: no access log, no Server header, trust in the given proxies only."""
    return ServerConfig(
        app,
        settings.limits,
        settings.proxies,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        **more,
    )


@dataclass(frozen=True)
class Address:
    """The address that the server listens on."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The URL for a browser."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"


def free_address(host: str, port: int | None) -> tuple[Address, socket.socket]:
    """Bind an address; without a port, the default one or the next that is free.

    Args:
        host: The interface.
        port: The port; 0 for any that is free, None for the default one.

    Raises:
        BusyError: The port that was asked for is taken.
        BadInputError: The host is not an address of this machine.
    """
    wanted = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + _TRIED_PORTS), 0]
    for number in wanted:
        try:
            bound = _bind(host, number)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and number != wanted[-1]:
                continue
            if error.errno == errno.EADDRINUSE:
                raise BusyError(f"Port {number} is taken.", "Choose another: --port 0 finds a free one.") from error
            raise BadInputError(
                f"The server cannot listen on {host}, port {number}: {error.strerror or error}.",
                "Use --host 127.0.0.1 and a port above 1024.",
            ) from error
        return Address(host, bound.getsockname()[1]), bound
    raise AssertionError("one of the ports was bound or refused")


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol given, asyncio sets TCP_NODELAY; otherwise small responses wait 40 ms.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(512)
        bound.set_inheritable(True)
    except OSError:
        bound.close()
        raise
    return bound


def check(settings: ServerSettings, host: str) -> None:
    """Refuse settings that are not safe or cannot work.

    Raises:
        BadInputError: The error says what is missing.
    """
    if settings.mode == "local" and not is_loopback(host):
        raise BadInputError(f"Without a login the server listens on 127.0.0.1 only, not on {host}.", "Add --keys.")
    if settings.mode == "local" and settings.proxies:
        raise BadInputError("A server without a login does not stand behind a proxy.", "Add --keys.")
    for proxy in settings.proxies:
        _check_proxy(proxy)
    if settings.mode == "keys":
        with closing(ServerDatabase(settings.home, settings.database)) as records:
            if not Users(records).any_active():
                raise BadInputError(
                    "Nobody could log in: there is no user with a key.",
                    "Add one first: visavis user add NAME --role admin",
                )
    if settings.workers > 1:
        _check_shareable(settings)


def _check_proxy(address: str) -> None:
    try:
        ip_network(address, strict=False)
    except ValueError as error:
        raise BadInputError(f"'{address}' is no address of a proxy.", "Write it as 127.0.0.1 or 10.0.0.0/8.") from error


def _check_shareable(settings: ServerSettings) -> None:
    from visavis.server.services.collections import CollectionRegistry

    if not settings.database or not settings.store or not settings.catalogue:
        raise BadInputError(
            f"{settings.workers} workers need vectors on a Qdrant server and everything else in PostgreSQL.",
            "Use one worker, or give --store qdrant://... and --catalogue and --database postgresql://...",
        )
    CollectionRegistry(settings).check_shareable()


def run(
    settings: ServerSettings,
    bound: socket.socket,
    on_ready: Callable[[Services], None] | None = None,
    app: Starlette | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; requests are finished first.

    Args:
        settings: The settings.
        bound: The socket, as ``free_address`` gives it.
        on_ready: Called once when requests are answered (with one process only), in a thread of its own.
        app: The application, where it is not the one of these settings; its ``state`` has the services.
    """
    set_up_logs()
    if settings.workers > 1:
        from uvicorn.supervisors import Multiprocess

        settings.export()
        config = configuration(settings, "visavis.server.runner:worker_app", factory=True, workers=settings.workers)
        Multiprocess(config, sockets=[bound]).run()
        return
    app = app or create_app(settings)
    ready = partial(on_ready, app.state.services) if on_ready else None
    with suppress(KeyboardInterrupt):  # Ctrl-C is the way to stop it, not an error
        _Server(configuration(settings, app), ready).run(sockets=[bound])


class _Server(uvicorn.Server):
    """A uvicorn server that calls a function when it is ready."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call the function in a thread."""
        await super().startup(sockets)
        if self._on_ready is not None and self.started:
            await asyncio.get_running_loop().run_in_executor(None, self._on_ready)


def worker_app() -> FastAPI:
    """The application of a worker process, with the settings from its environment."""
    set_up_logs()
    return create_app(ServerSettings.imported())


@contextmanager
def serving(settings: ServerSettings, app: Starlette | None = None) -> Iterator[str]:
    """Serve in a thread, on a free port, until the block ends; gives the URL."""
    address, bound = free_address("127.0.0.1", 0)
    server = uvicorn.Server(configuration(settings, app or create_app(settings)))
    thread = Thread(target=server.run, kwargs={"sockets": [bound]}, name="visavis-server", daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + _START_SECONDS
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise StorageError("The server did not start.", "Look at the log.")
            time.sleep(0.02)
        yield address.url.rstrip("/")
    finally:
        server.should_exit = True
        thread.join(_START_SECONDS)
