"""The command ``visavis mcp`` in a process of its own, as a client starts it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from processes import _DRIVER, environment

import visavis
from mcp import Client, StdioServerParameters


def parameters(home: Path, *args: str) -> StdioServerParameters:
    env = environment(home)
    env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(Path(visavis.__file__).parents[1])])
    return StdioServerParameters(command=sys.executable, args=[str(_DRIVER), "mcp", *args], env=env)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_starts_the_command_and_talks_to_it(own_home, mode):
    async def run():
        async with Client(parameters(own_home, "--role", "write"), mode=mode) as client:
            assert client.server_info.name == "visavis"
            assert "list_collections" in (client.instructions or "")
            said = await client.call_tool("say", {"collection": "colours", "message": "red"})
            refused = await client.call_tool("index_folder", {"collection": "c", "folder": str(own_home)})
            return said, refused

    said, refused = asyncio.run(run())
    assert said.structured_content["results"]
    assert any(block.type == "image" for block in said.content)
    assert refused.is_error
    assert "needs the role 'admin'" in refused.content[0].text
