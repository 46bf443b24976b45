"""Servers to talk to over real HTTP: one without a login, one with keys, on copies of the same small collection."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from homes import copy_home
from serving import start_talk
from tiny_encoder import TinyEncoder

from visavis.collections import collection as collections_module
from visavis.server.app import create_app
from visavis.server.database import ServerDatabase
from visavis.server.runner import serving
from visavis.server.services.accounts import Users
from visavis.server.settings import ServerLimits, ServerSettings

ROLES = ("read", "write", "admin")


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


@pytest.fixture(autouse=True)
def tiny_encoder(monkeypatch) -> None:
    """While a test of this room runs, every collection uses the tiny encoder, also those that the server makes."""
    monkeypatch.setattr(collections_module, "_load_encoder", lambda _name: TinyEncoder())


@pytest.fixture(scope="session")
def start(tmp_path_factory, colours_template):
    """Starts servers on copies of the home with the collection "colours"."""

    def run(mode: str = "local", home: Path | None = None, proxies: tuple[str, ...] = (), **limits: object):
        home = home or copy_home(colours_template, tmp_path_factory.mktemp("server") / "home")
        settings = replace(ServerSettings.of(home, mode=mode, proxies=proxies), limits=ServerLimits(**limits))
        keys = {}
        if mode == "keys":
            records = ServerDatabase(home)
            users = Users(records)
            taken = {user.name for user in users.list()}
            keys = {name: users.add(name, name) for name in ROLES if name not in taken}
            if "other" not in taken:
                keys["other"] = users.add("other", "write")
            records.close()
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


@pytest.fixture(scope="session")
def local(start) -> Iterator[Running]:
    with start() as running:
        yield running


@pytest.fixture(scope="session")
def keyed(start) -> Iterator[Running]:
    with start("keys", rate=0, heavy_rate=0) as running:
        yield running


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
