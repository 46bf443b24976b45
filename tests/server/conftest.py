"""Servers to talk to over real HTTP: one without a login, one with keys, on copies of the same small collection."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from homes import copy_home
from server_fixtures import add_users, keyed, local, tiny_encoder
from serving import start_talk

from visavis.server.app import create_app
from visavis.server.runner import serving
from visavis.server.settings import ServerLimits, ServerSettings

__all__ = ["keyed", "local", "tiny_encoder"]  # fixtures of this room, too


@dataclass(frozen=True)
class Running:
    """A server that runs."""

    url: str
    settings: ServerSettings
    app: object
    keys: dict[str, str]

    def client(self, user: str | None = None, **more: object) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.keys[user]}"} if user else {}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=30, **more)


@pytest.fixture(scope="session")
def start(tmp_path_factory, colours_template):
    """Starts servers on copies of the home with the collection "colours"."""

    def run(mode: str = "local", home: Path | None = None, proxies: tuple[str, ...] = (), **limits: object):
        home = home or copy_home(colours_template, tmp_path_factory.mktemp("server") / "home")
        settings = replace(ServerSettings.of(home, mode=mode, proxies=proxies), limits=ServerLimits(**limits))
        keys = add_users(home) if mode == "keys" else {}
        app = create_app(settings)
        return _running(settings, app, keys)

    return run


class _running:  # noqa: N801
    def __init__(self, settings, app, keys):
        self._serving = serving(settings, app)
        self._rest = (settings, app, keys)

    def __enter__(self) -> Running:
        return Running(self._serving.__enter__(), *self._rest)

    def __exit__(self, *error):
        self._serving.__exit__(*error)


@pytest.fixture
def client(local) -> Iterator[httpx.Client]:
    with local.client() as client:
        yield client


@pytest.fixture
def talk(client) -> str:
    """The id of a new conversation."""
    return start_talk(client)


@pytest.fixture
def log_lines():
    """What the server logs meanwhile, as it would be written."""
    from visavis.server.middleware import JsonLogFormatter
    from visavis.server.settings import LOGGER

    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record):
            lines.append(self.format(record))

    handler = Keep()
    handler.setFormatter(JsonLogFormatter())
    logger = logging.getLogger(LOGGER)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(before)
