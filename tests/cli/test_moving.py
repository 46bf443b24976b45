"""``visavis collection copy``: to a Qdrant server that speaks real HTTP, cut short and gone on with, and back again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is not installed")
from qdrant_stub import StubServer


@pytest.fixture
def server() -> Iterator[StubServer]:
    stub = StubServer()
    yield stub
    stub.close()


@pytest.fixture
def photos(visavis, pictures: Path) -> str:
    visavis("index", pictures, "-c", "photos")
    return "photos"


def found(visavis, collection: str) -> list[tuple[str, float]]:
    told = json.loads(visavis("search", "red", "-c", collection, "-k", "12", "--json").stdout)
    return [(result["id"], round(result["score"], 3)) for result in told["results"]]


def test_there_and_back(visavis, photos: str, server: StubServer):
    before = found(visavis, photos)
    there = f"qdrant://127.0.0.1:{server.port}"
    told = json.loads(visavis("collection", "copy", photos, "--to", there, "--switch", "--json").stdout)
    assert told["count"] == told["written"] == 12
    assert server.client.count("photos").count == 12
    assert found(visavis, photos) == before
    asked = len(server.requests)
    assert found(visavis, photos) == before
    assert len(server.requests) > asked  # it is the server that answers now
    back = json.loads(visavis("collection", "copy", photos, "--to", "local", "--switch", "--json").stdout)
    assert (back["count"], back["checksum"]) == (12, told["checksum"])
    asked = len(server.requests)
    assert found(visavis, photos) == before
    assert len(server.requests) == asked
    assert json.loads(visavis("collection", "verify", photos, "--json").stdout)["sound"]


def test_a_copy_that_was_cut_short_goes_on(visavis, photos: str, server: StubServer):
    there = f"qdrant://127.0.0.1:{server.port}"
    whole = json.loads(visavis("collection", "copy", photos, "--to", there, "--json").stdout)
    some = [point.id for point in server.client.scroll("photos", limit=5)[0]]
    server.client.delete("photos", some)
    again = json.loads(visavis("collection", "copy", photos, "--to", there, "--json").stdout)
    assert (again["written"], again["count"], again["checksum"]) == (5, 12, whole["checksum"])


def test_a_server_that_is_not_there_changes_nothing(visavis, photos: str, server: StubServer):
    before = found(visavis, photos)
    port = server.port
    server.close()
    ended = visavis("collection", "copy", photos, "--to", f"qdrant://127.0.0.1:{port}", "--switch", ok=False)
    assert ended.code not in (0, 1)
    assert "Traceback" not in ended.stderr
    assert found(visavis, photos) == before


def test_removing_a_collection_leaves_nothing_on_the_server(visavis, photos: str, server: StubServer):
    visavis("collection", "copy", photos, "--to", f"qdrant://127.0.0.1:{server.port}", "--switch")
    assert server.client.collection_exists("photos")
    visavis("collection", "remove", photos, "--yes")
    assert not server.client.collection_exists("photos")
