"""Fixtures of servers, over HTTP and over MCP; each room's ``start`` says what a server is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_encoder import TinyEncoder

from visavis.collections import collection as collections_module
from visavis.server.database import ServerDatabase
from visavis.server.services.accounts import ROLES, Users


def add_users(home: Path) -> dict[str, str]:
    """A user of each role, and one called "other"; the keys of those that were not there, by name."""
    records = ServerDatabase(home)
    users = Users(records)
    taken = {user.name for user in users.list()}
    roles = {**{name: name for name in ROLES}, "other": "write"}
    keys = {name: users.add(name, role) for name, role in roles.items() if name not in taken}
    records.close()
    return keys


@pytest.fixture(autouse=True)
def tiny_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every collection use the tiny encoder, also those that a server makes."""
    monkeypatch.setattr(collections_module, "_load_encoder", lambda _name: TinyEncoder())


@pytest.fixture(scope="session")
def local(start: Callable[..., Any]) -> Iterator[Any]:
    """A server without a login."""
    with start() as running:
        yield running


@pytest.fixture(scope="session")
def keyed(start: Callable[..., Any]) -> Iterator[Any]:
    """A server with keys and without rate limits."""
    with start("keys", rate=0, heavy_rate=0) as running:
        yield running
