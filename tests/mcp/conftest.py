"""MCP servers on copies of a small collection, and the official client to talk to them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
pytest.importorskip("fastapi")
import httpx2
from homes import copy_home
from mcp.client.streamable_http import streamable_http_client
from server_fixtures import add_users, keyed, local, tiny_encoder

from mcp import Client
from visavis.mcp.server import PATH, http_app
from visavis.server.dependencies import Services
from visavis.server.runner import serving
from visavis.server.settings import ServerLimits, ServerSettings

__all__ = ["keyed", "local", "tiny_encoder"]  # fixtures of this room, too
Talk = Callable[[Client], Awaitable[Any]]


@dataclass(frozen=True)
class Endpoint:
    """An MCP server over streamable HTTP."""

    url: str
    home: Path
    keys: dict[str, str]

    def talk(self, do: Talk, user: str | None = None, mode: str = "auto") -> Any:
        """Connect with the official client, as a user with a key, and do something."""

        async def run() -> Any:
            headers = {"Authorization": f"Bearer {self.keys[user]}"} if user else {}
            http = httpx2.AsyncClient(headers=headers, timeout=60)
            async with http, Client(streamable_http_client(self.url, http_client=http), mode=mode) as client:
                return await do(client)

        return asyncio.run(run())

    def call(self, tool: str, user: str | None = None, **arguments: object) -> Any:
        """Call one tool."""
        return self.talk(lambda client: client.call_tool(tool, arguments), user)


@pytest.fixture(scope="session")
def start(tmp_path_factory, colours_template):
    """Starts MCP servers over HTTP on copies of the home with the collection "colours"."""

    @contextmanager
    def run(mode: str = "local", role: str = "admin", **limits: object) -> Iterator[Endpoint]:
        home = copy_home(colours_template, tmp_path_factory.mktemp("mcp") / "home")
        settings = replace(ServerSettings.of(home, mode=mode), limits=ServerLimits(**limits))
        keys = add_users(home) if mode == "keys" else {}
        with serving(settings, http_app(Services.of(settings), role)) as url:
            yield Endpoint(f"{url}{PATH}", home, keys)

    return run
