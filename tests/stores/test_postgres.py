"""The store in PostgreSQL: killed servers, the search index, addresses, a whole collection on one server."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawing import draw
from postgres_here import postgres_url, started, started_again
from store_support import DIMENSION, point_id, some_points, unit
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import open_collection
from visavis.errors import BadInputError, NotFoundError, StorageError
from visavis.stores.base import Query, StoredPoint, StoreOptions
from visavis.stores.filters import Equals
from visavis.stores.registry import open_store, parse_postgres_address, with_collection

pytest.importorskip("pgvector", reason="the extra 'postgres' is not installed")


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a collection that is not there yet."""
    where = with_collection(postgres_url(), f"test_{uuid.uuid4().hex}")
    yield where
    with open_store(where, dimension=DIMENSION) as store:
        store.clear()


@pytest.fixture
def own_server() -> Iterator[Any]:
    """A server for one test, to kill."""
    pgserver = pytest.importorskip("pgserver", reason="pgserver is not installed")
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    postgres_url()  # skips where none can be started
    folder = tempfile.mkdtemp(prefix="visavis-pg-kill-")
    server = started(lambda: pgserver.get_server(folder, cleanup_mode="delete"))
    yield server
    server.cleanup()


def kill(server: Any) -> None:
    """Kill the server and all its processes at once, as a power cut would, and start it again."""
    import psutil

    parent = psutil.Process(server.get_pid())
    processes = [parent, *parent.children(recursive=True)]
    for process in processes:
        process.send_signal(signal.SIGKILL)
    psutil.wait_procs(processes, timeout=60)
    started_again(server)


def test_what_was_acknowledged_survives_kills_of_the_server(own_server: Any):
    points = some_points(240, seed=5)
    where = with_collection(own_server.get_uri(), "killed")
    where += ("&" if "?" in where else "?") + "attempts=20"  # a start may take its time where others use the machine
    acknowledged: list[str] = []
    enough = [threading.Event() for _ in range(3)]

    def write() -> None:
        with open_store(where, dimension=DIMENSION) as store:
            for start in range(0, len(points), 4):
                store.upsert(points[start : start + 4])
                acknowledged.extend(point.id for point in points[start : start + 4])
                for number, event in enumerate(enough, 1):
                    if len(acknowledged) >= number * 40:
                        event.set()

    writer = threading.Thread(target=write)
    writer.start()
    for event in enough:
        assert event.wait(120)
        kept = set(acknowledged)
        kill(own_server)
        with open_store(where) as store:
            assert kept <= set(store.ids())
    writer.join(600)
    with open_store(where) as store:
        assert list(store.ids()) == sorted(point.id for point in points)
        assert store.count(Equals("colour", "red")) == sum(p.payload.get("colour") == "red" for p in points)


def test_the_index_finds_what_a_scan_finds(address: str):
    random = np.random.default_rng(3)
    points = [
        StoredPoint(point_id(number), unit(random, DIMENSION), payload={"even": number % 2 == 0})
        for number in range(3000)
    ]
    with open_store(address, dimension=DIMENSION) as store:
        store.upsert(points)
        assert store.info().indexed == 0
        store.optimize()
        assert store.info().indexed == len(points)
        shared = 0
        for query in unit(random, 20, DIMENSION):
            near = store.query(Query(query[None], limit=10))
            exact = store.query(Query(query[None], limit=10, exact=True))
            shared += len({hit.id for hit in near} & {hit.id for hit in exact})
            even = store.query(Query(query[None], filter=Equals("even", True), limit=10))
            assert len(even) == 10
            assert all(store.payloads([hit.id])[hit.id]["even"] for hit in even)
        assert shared >= 190


def test_quantised_regions_keep_their_scores(address: str):
    random = np.random.default_rng(4)
    regions = unit(random, 36, DIMENSION)
    with open_store(address, dimension=DIMENSION, options=StoreOptions(precision="float16")) as store:
        store.upsert([StoredPoint(point_id(1), regions[0], regions)])
        kept = store.vectors([point_id(1)], "regions")[point_id(1)]
    np.testing.assert_allclose(kept, regions, atol=0.005)


def test_texts_that_postgresql_cannot_have_are_kept_apart(address: str):
    texts = ["a\x00b", "a\ue000\ue001b", "a\ue000b", "a" * 5000]
    with open_store(address, dimension=DIMENSION) as store:
        vector = unit(np.random.default_rng(5), DIMENSION)
        store.upsert([StoredPoint(point_id(n), vector, payload={"t": text}) for n, text in enumerate(texts, 1)])
        for number, text in enumerate(texts, 1):
            assert store.count(Equals("t", text)) == 1
            assert store.payloads([point_id(number)])[point_id(number)] == {"t": text}


def test_a_store_that_is_not_there(address: str):
    with pytest.raises(NotFoundError, match="Index some pictures"):
        open_store(address)


def test_vectors_of_another_length_are_refused(address: str):
    open_store(address, dimension=DIMENSION).close()
    with pytest.raises(BadInputError, match="not of 5"):
        open_store(address, dimension=5)


def test_a_server_that_is_not_there():
    with pytest.raises(StorageError, match="Check that it runs"):
        open_store("postgresql://127.0.0.1:1/none?collection=a&attempts=2", dimension=4)


@pytest.mark.parametrize(
    "text", ["postgresql://host/db", "postgresql://host?collection=a", "postgresql://host/db?collection=a&attempts=0"]
)
def test_addresses_that_name_nothing(text: str):
    with pytest.raises(BadInputError):
        parse_postgres_address(text)


def test_a_password_is_not_shown():
    assert "secret" not in str(parse_postgres_address("postgresql://anna:secret@db/pictures?collection=a"))


def test_names_do_not_share_tables():
    names = ["photos", "Photos", "my-photos", "my.photos", "x" * 90, "x" * 91]
    schemas = {parse_postgres_address(f"postgresql://h/d?collection={name}").schema for name in names}
    assert len(schemas) == len(names)
    assert max(map(len, schemas)) <= 63


def test_a_whole_collection_on_one_server(tmp_path: Path):
    for name in COLOURS:
        draw(tmp_path / "pictures" / f"{name}.png", name)
    name = f"c{uuid.uuid4().hex[:12]}"
    url = postgres_url()
    home = tmp_path / "home"
    with open_collection(name, home, url, encoder=TinyEncoder(), catalogue=url, create=True) as photos:
        photos.index(tmp_path / "pictures")
        assert Path(photos.search("red").results[0].picture.path).name == "red.png"
    with open_collection(name, home, encoder=TinyEncoder()) as photos:  # where it lives is remembered
        assert photos.store.info().kind == "postgres"
        assert photos.store.count() == len(COLOURS)
        photos.remove()
    with pytest.raises(NotFoundError):
        open_store(with_collection(url, name))
