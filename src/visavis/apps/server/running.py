"""Starting the server: where it listens, who may use it, how many processes."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_network
from typing import Any

import uvicorn

from visavis.apps.server.app import create_app
from visavis.apps.server.observing.logs import set_up_logs
from visavis.apps.server.records.database import Records
from visavis.apps.server.records.users import Users
from visavis.apps.server.services import Services
from visavis.apps.server.settings import ServerSettings, is_loopback
from visavis.errors import BadInputError, BusyError

DEFAULT_PORT = 8765
#: How long turns in flight may take when the server is told to stop.
_FAREWELL_SECONDS = 30
_TRIED_PORTS = 20
#: Connections at once, beyond which requests are answered with 503.
_MOST_CONNECTIONS = 1000


def options(settings: ServerSettings) -> dict[str, Any]:
    """How uvicorn is run, everywhere: no log of its own, no word about itself, trust in named proxies only."""
    return {
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": bool(settings.proxies),
        "forwarded_allow_ips": list(settings.proxies),
        "timeout_keep_alive": 75,
        "timeout_graceful_shutdown": _FAREWELL_SECONDS,
        "limit_concurrency": _MOST_CONNECTIONS,
    }


@dataclass(frozen=True)
class Address:
    """Where the server listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """What to open in a browser."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"


def free_address(host: str, port: int | None) -> tuple[Address, socket.socket]:
    """Bind an address; without a port, the usual one or, where it is taken, one of the next.

    Args:
        host: The interface.
        port: The port; 0 for any that is free, None for the usual one.

    Raises:
        BusyError: The port that was asked for is taken.
        BadInputError: The host is none of this machine.
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
    # The protocol is named so that asyncio sends small answers at once, instead of waiting 40 ms for more to come.
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
    """Refuse to start what would not be safe, or would not work.

    Raises:
        BadInputError: It says what is missing.
    """
    if settings.mode == "local" and not is_loopback(host):
        raise BadInputError(f"Without a login the server listens on 127.0.0.1 only, not on {host}.", "Add --keys.")
    if settings.mode == "local" and settings.proxies:
        raise BadInputError("A server without a login does not stand behind a proxy.", "Add --keys.")
    for proxy in settings.proxies:
        _check_proxy(proxy)
    if settings.mode == "keys":
        with closing(Records(settings.home, settings.database)) as records:
            if not Users(records).any_active():
                raise BadInputError(
                    "Nobody could log in: there is no user with a key.",
                    "Add one first: visavis user add NAME --role admin",
                )
    if settings.workers > 1:
        _check_spread(settings)


def _check_proxy(address: str) -> None:
    try:
        ip_network(address, strict=False)
    except ValueError as error:
        raise BadInputError(f"'{address}' is no address of a proxy.", "Write it as 127.0.0.1 or 10.0.0.0/8.") from error


def _check_spread(settings: ServerSettings) -> None:
    from visavis.apps.server.library.library import Library

    if not settings.database or not settings.store or not settings.catalogue:
        raise BadInputError(
            f"{settings.workers} workers need vectors on a Qdrant server and everything else in PostgreSQL.",
            "Use one worker, or give --store qdrant://... and --catalogue and --database postgresql://...",
        )
    Library(settings).check_spread()


def run(settings: ServerSettings, bound: socket.socket, on_ready: Callable[[Services], None] | None = None) -> None:
    """Serve until told to stop; turns in flight are finished then.

    Args:
        settings: What was chosen.
        bound: The socket, as ``free_address`` gives it.
        on_ready: Called once when requests are answered (with one process only), in a thread of its own.
    """
    set_up_logs()
    if settings.workers > 1:
        from uvicorn.supervisors import Multiprocess

        settings.export()
        config = uvicorn.Config(
            "visavis.apps.server.worker:app", factory=True, workers=settings.workers, **options(settings)
        )
        Multiprocess(config, sockets=[bound]).run()
        return
    app = create_app(settings)
    told = partial(on_ready, app.state.services) if on_ready else None
    with suppress(KeyboardInterrupt):  # Ctrl-C is how it ends, not an error
        _Server(uvicorn.Config(app, **options(settings)), told).run(sockets=[bound])


class _Server(uvicorn.Server):
    """Says when it is ready."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell."""
        await super().startup(sockets)
        if self._on_ready is not None and self.started:
            await asyncio.get_running_loop().run_in_executor(None, self._on_ready)
