"""The store on a server: addresses, requests, retries, and errors of a server that is wrong or unreachable."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import numpy as np
import pytest
from store_support import DIMENSION, KINDS, some_points, unit

pytest.importorskip("qdrant_client", reason="the extra 'qdrant' is not installed")

from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from qdrant_stub import StubServer

from visavis.errors import BadInputError, NotFoundError, StorageError
from visavis.stores.base import Query, ServerOptions, StoredPoint, StoreOptions
from visavis.stores.filters import Equals
from visavis.stores.registry import open_store, parse_address
from visavis.stores.server import ServerStore
from visavis.stores.server_requests import RetryPolicy, batches, collection_config, read_collection

POINTS = some_points(40)
QUICK = "?timeout=1&attempts=2"


@pytest.fixture
def stub() -> Iterator[StubServer]:
    server = StubServer()
    yield server
    server.close()


# -- addresses -------------------------------------------------------------------------------------


def test_addresses():
    address = parse_address("qdrants://[::1]:7000/holidays?shards=6&replicas=3&write_consistency=2&timeout=2.5&batch=9")
    assert (address.host, address.port, address.collection, address.encrypted) == ("::1", 7000, "holidays", True)
    assert address.url == "https://[::1]:7000"
    assert address.options == ServerOptions(shards=6, replicas=3, write_consistency=2, timeout=2.5, batch=9)
    assert str(parse_address("qdrant://host/x")) == "qdrant://host:6333/x"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("http://host/x", "no address"),
        ("qdrant:///x", "no address"),
        ("qdrant://host", "names no collection"),
        ("qdrant://host/a/b", "names no collection"),
        ("qdrant://host:port/x", "no address"),
        ("qdrant://host:99999/x", "no address"),
        ("qdrant://:secret@host/x", "holds a key"),
        ("qdrant://host/x?shard=2", "no option 'shard'"),
        ("qdrant://host/x?shards=many", "must be a number"),
        ("qdrant://host/x?shards=0", "more than 0"),
        ("qdrant://host/x?write_consistency=2", "only 1"),
    ],
)
def test_wrong_addresses(text: str, says: str):
    with pytest.raises(BadInputError, match=says) as caught:
        parse_address(text)
    assert "secret" not in str(caught.value)


def test_opening_by_address_or_folder(tmp_path, stub: StubServer):
    with open_store(stub.address, dimension=DIMENSION) as store:
        assert store.info().kind == "server"
    with open_store(tmp_path / "store", dimension=DIMENSION) as store:
        assert store.info().kind == "edge"
    with pytest.raises(BadInputError, match="is no store"):
        open_store("http://host/x", dimension=3)
    with pytest.raises(BadInputError, match="cannot have 0 numbers"):
        open_store(tmp_path, dimension=0)


# -- the wire --------------------------------------------------------------------------------------


def test_everything_goes_over_http(stub: StubServer):
    store = open_store(stub.address, dimension=DIMENSION)
    local = ServerStore(QdrantClient(":memory:"), "pictures", dimension=DIMENSION)
    for each in (store, local):
        for field, kind in KINDS.items():
            each.index_field(field, kind)
        each.upsert(POINTS)
        each.set_payload(POINTS[1].id, {"colour": "green"})
        each.delete([POINTS[2].id])
    vectors = unit(np.random.default_rng(0), 3, DIMENSION)
    query = Query(vectors[:2], weights=[1, -0.5], regions=vectors[1:], filter=Equals("sold", True), limit=5)
    for asked in (query, replace(query, regions=None), replace(query, filter=None)):
        assert [hit.id for hit in store.query(asked)] == [hit.id for hit in local.query(asked)]
    assert store.facets("colour") == local.facets("colour")
    assert store.count() == 39
    assert store.payloads([POINTS[1].id]) == {POINTS[1].id: {"colour": "green"}}
    assert [point.id for batch in store.scroll(7) for point in batch] == list(local.ids())
    store.optimize()
    store.close()
    again = open_store(stub.address, dimension=DIMENSION)
    assert again.fields() == KINDS  # read back from the server
    again.close()


def test_requests_stay_small():
    heavy = [replace(point, regions=np.zeros((2000, 100), np.float32)) for point in POINTS[:7]]
    assert [len(batch) for batch in batches(heavy, most=128)] == [2, 2, 2, 1]
    assert [len(batch) for batch in batches(POINTS, most=16)] == [16, 16, 8]


def test_how_a_collection_is_spread_and_made():
    wanted = collection_config(
        _format(StoreOptions(precision="float16", quantised=True)),
        ServerOptions(shards=6, replicas=3, write_consistency=2),
    )
    spread = (wanted["shard_number"], wanted["replication_factor"], wanted["write_consistency_factor"])
    assert spread == (6, 3, 2)
    vectors = wanted["vectors_config"]
    assert vectors["regions"].hnsw_config.m == 0
    assert vectors["whole"].datatype == models.Datatype.FLOAT16
    assert vectors["whole"].quantization_config is not None


def _format(options: StoreOptions):
    from visavis.stores.format_file import StoreFormat

    return StoreFormat(DIMENSION, options)


# -- what is already there -------------------------------------------------------------------------


def test_another_dimension_is_refused(stub: StubServer):
    open_store(stub.address, dimension=DIMENSION).close()
    with pytest.raises(BadInputError, match="vectors of 16 numbers, not of 32"):
        open_store(stub.address, dimension=32)


def test_a_collection_that_is_not_there(stub: StubServer):
    with pytest.raises(NotFoundError, match="no collection"):
        open_store(stub.address)


def test_a_collection_of_somebody_else(stub: StubServer):
    stub.client.create_collection(
        "pictures", vectors_config=models.VectorParams(size=4, distance=models.Distance.COSINE)
    )
    with pytest.raises(BadInputError, match="not made by visavis"):
        open_store(stub.address, dimension=4)


def test_a_collection_of_a_newer_visavis(stub: StubServer):
    open_store(stub.address, dimension=DIMENSION).close()
    info = stub.client.get_collection("pictures")
    info.config.metadata = {"visavis_format": 99}
    with pytest.raises(StorageError, match="newer visavis"):
        read_collection(info, "there")


# -- trouble ---------------------------------------------------------------------------------------


def test_a_key_is_sent_and_a_wrong_one_told(monkeypatch: pytest.MonkeyPatch):
    stub = StubServer(api_key="right")
    try:
        with pytest.raises(BadInputError, match="refuses the API key") as caught:
            open_store(stub.address, dimension=DIMENSION, api_key="wrong")
        assert "VISAVIS_QDRANT_API_KEY" in caught.value.remedy
        monkeypatch.setenv("VISAVIS_QDRANT_API_KEY", "right")
        open_store(stub.address, dimension=DIMENSION).close()
    finally:
        stub.close()


def test_passing_trouble_is_waited_out(stub: StubServer):
    store = open_store(stub.address + "?attempts=5", dimension=DIMENSION)
    stub.failures = [(503, {}), (429, {"Retry-After": "0"}), (500, {})]
    store.upsert(POINTS)
    assert store.count() == len(POINTS)
    assert stub.requests.count("PUT /collections/pictures/points") == 4


def test_lasting_trouble_is_told(stub: StubServer):
    store = open_store(stub.address + QUICK, dimension=DIMENSION)
    stub.failures = [(503, {})] * 3
    with pytest.raises(StorageError, match=r"keeps failing \(503\)"):
        store.upsert(POINTS)
    stub.failures = [(400, {})]
    with pytest.raises(BadInputError, match=r"refuses the request \(400\): .*told to fail"):
        store.upsert(POINTS)
    stub.failures = [(404, {})]
    with pytest.raises(NotFoundError):
        store.count()
    stub.failures = [(507, {})]
    with pytest.raises(StorageError, match="out of room"):
        store.upsert(POINTS)


def test_a_server_that_is_away_is_told():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(StorageError, match="cannot be reached") as caught:
        open_store(f"qdrant://127.0.0.1:{port}/x{QUICK}", dimension=3)
    assert "runs" in caught.value.remedy


def test_a_server_that_is_too_slow_is_told(stub: StubServer):
    store = open_store(stub.address + "?timeout=1&attempts=1", dimension=DIMENSION)
    stub.delay = 1.6
    with pytest.raises(StorageError, match="cannot be reached: timed out"):
        store.count()


def test_something_else_behind_the_address_is_told():
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>Welcome!</html>")

        def log_message(self, *_: object) -> None:
            pass

    web = HTTPServer(("127.0.0.1", 0), Page)
    Thread(target=web.serve_forever, daemon=True).start()
    try:
        with pytest.raises(BadInputError, match="no Qdrant server"):
            open_store(f"qdrant://127.0.0.1:{web.server_address[1]}/x{QUICK}", dimension=3)
    finally:
        web.shutdown()
        web.server_close()


def test_pauses_grow_and_vary():
    pauses: list[float] = []
    away = ResponseHandlingException(ConnectionError("away"))

    def fail() -> None:
        raise away

    with pytest.raises(StorageError, match="away"):
        RetryPolicy("there", 8, sleep=pauses.append).ask(fail)
    assert len(pauses) == 7
    for number, pause in enumerate(pauses):
        longest = min(0.2 * 2**number, 15.0)
        assert longest / 2 <= pause <= longest
    assert len(set(pauses)) == 7


def test_a_server_says_how_long_to_pause():
    pauses: list[float] = []
    answers = iter([ResourceExhaustedResponse("busy", 3), ResourceExhaustedResponse("busy", 300)])

    def ask() -> str:
        for error in answers:
            raise error
        return "done"

    assert RetryPolicy("there", 5, sleep=pauses.append).ask(ask) == "done"
    assert pauses == [3.0, 15.0]


def test_errors_of_our_own_are_not_asked_again():
    asked: list[int] = []

    def ask() -> None:
        asked.append(1)
        raise UnexpectedResponse(403, "Forbidden", b"", None)  # type: ignore[arg-type]

    with pytest.raises(BadInputError):
        RetryPolicy("there", 5, sleep=lambda _: None).ask(ask)
    assert asked == [1]


def test_two_workers_may_make_the_same_collection_at_once(stub: StubServer):
    store = open_store(stub.address, dimension=DIMENSION)
    store._make(_format(StoreOptions()))  # type: ignore[attr-defined]  # as a worker that saw none a moment ago
    store.upsert([StoredPoint(POINTS[0].id, POINTS[0].whole)])
    assert store.count() == 1


def test_without_the_extra_it_says_what_to_install():
    code = (
        "import sys; sys.modules['qdrant_client'] = None\n"
        "from visavis.errors import MissingExtraError\n"
        "from visavis.stores.registry import open_store\n"
        "try:\n    open_store('qdrant://host/x')\n"
        "except MissingExtraError as error:\n    print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "visavis[qdrant]" in said


def test_importing_the_registry_is_light():
    code = "import sys, visavis.stores.registry; print({'qdrant_client', 'qdrant_edge'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
