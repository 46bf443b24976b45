"""The embedded store: opening, locking, its format, its index, its threads."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from store_support import DIMENSION, point_id, some_points, unit

from visavis.errors import BadInputError, BusyError, NotFoundError, StorageError
from visavis.stores.base import Query, StoreOptions
from visavis.stores.edge import EdgeStore
from visavis.stores.edge_shard import IndexBuilder, read_ahead
from visavis.stores.filters import Equals, Range

POINTS = some_points(60)
HOLDER = """
import sys
from visavis.stores.edge import EdgeStore
store = EdgeStore(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def hold(folder: Path) -> subprocess.Popen[bytes]:
    """Another process that has the store open until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(folder)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"open\n"
    return holder


def test_what_was_stored_is_there_after_closing(tmp_path: Path):
    with EdgeStore(tmp_path / "deep" / "store", dimension=DIMENSION) as store:
        store.index_field("price", "float")
        store.upsert(POINTS)
    with EdgeStore(tmp_path / "deep" / "store") as store:
        assert store.count() == len(POINTS)
        assert store.fields() == {"price": "float"}
        assert store.info().precision == "float16"


def test_closing_twice_is_fine_and_a_closed_store_says_so(edge: EdgeStore):
    edge.close()
    edge.close()
    with pytest.raises(StorageError, match="closed"):
        edge.count()


def test_half_precision_and_quantisation_change_scores_hardly(edge: EdgeStore):
    edge.upsert(POINTS)
    query = unit(np.random.default_rng(5), 1, DIMENSION)
    exact = {point.id: float(point.whole @ query[0]) for point in POINTS}
    for hit in edge.query(Query(query, limit=60)):
        assert hit.score == pytest.approx(exact[hit.id], abs=1e-3)


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="the system cannot be asked to read ahead")
def test_the_payloads_of_a_store_are_read_ahead_up_to_a_limit(
    edge: EdgeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    edge.upsert(POINTS)
    edge.close()
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda _, start, length, advice: asked.append((start, length)))
    files = tmp_path / "store" / "shard"
    pages = list(files.glob("segments/*/payload_storage/page_*.dat"))
    written = [page.stat().st_blocks * 512 for page in pages]
    assert sum(written) > 0
    read_ahead(files)
    assert sum(-(-size // 2**17) for size in written) == len(asked)
    asked.clear()
    monkeypatch.setattr("visavis.stores.edge_shard._AHEAD", 1)
    read_ahead(files)
    assert len(asked) == 1


def test_there_must_be_a_store_or_a_dimension(tmp_path: Path):
    with pytest.raises(NotFoundError, match="no store"):
        EdgeStore(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_another_dimension_is_refused(tmp_path: Path):
    EdgeStore(tmp_path, dimension=DIMENSION).close()
    with pytest.raises(BadInputError, match="vectors of 16 numbers, not of 32"):
        EdgeStore(tmp_path, dimension=32)
    EdgeStore(tmp_path, dimension=DIMENSION).close()  # the refusal let go of the lock


def test_one_process_at_a_time(tmp_path: Path):
    EdgeStore(tmp_path, dimension=DIMENSION).close()
    holder = hold(tmp_path)
    try:
        with pytest.raises(BusyError, match=rf"another process \({holder.pid}\)") as caught:
            EdgeStore(tmp_path)
        assert "Qdrant server" in caught.value.remedy
        threading.Timer(0.3, holder.communicate).start()  # closes its input: it ends
        EdgeStore(tmp_path, wait=20).close()
    finally:
        holder.kill()
        holder.wait()


def test_opening_twice_in_one_process_is_told_apart(edge: EdgeStore, tmp_path: Path):
    with pytest.raises(BusyError, match="already open in this process"):
        EdgeStore(tmp_path / "store")


def test_a_lock_left_by_a_killed_process_does_not_count(tmp_path: Path):
    EdgeStore(tmp_path, dimension=DIMENSION).close()
    holder = hold(tmp_path)
    holder.kill()
    holder.communicate()
    with EdgeStore(tmp_path) as store:
        assert store.count() == 0


# -- the format file -------------------------------------------------------------------------------


def change_format(folder: Path, **changes: object) -> None:
    file = folder / "store.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_a_newer_format_is_left_alone(tmp_path: Path):
    EdgeStore(tmp_path, dimension=DIMENSION).close()
    change_format(tmp_path, format=99, unknown="thing")
    with pytest.raises(StorageError, match="newer visavis"):
        EdgeStore(tmp_path)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"format": "x"}', '{"format": 1}', '{"format": 1, "dimension": -1, "options": {}}']
)
def test_a_damaged_format_file_is_told(tmp_path: Path, content: str):
    EdgeStore(tmp_path, dimension=DIMENSION).close()
    (tmp_path / "store.json").write_text(content)
    with pytest.raises(StorageError, match=r"store\.json is damaged"):
        EdgeStore(tmp_path, dimension=DIMENSION)


def test_what_a_process_left_that_was_killed_while_making_a_store_is_made_anew(tmp_path: Path):
    EdgeStore(tmp_path, dimension=DIMENSION).close()
    (tmp_path / "store.json").unlink()  # written last, when everything else is there
    with EdgeStore(tmp_path, dimension=32) as store:
        assert store.info().dimension == 32


def test_options_are_kept(tmp_path: Path):
    EdgeStore(tmp_path, dimension=DIMENSION, options=StoreOptions(precision="float32", quantised=False)).close()
    with EdgeStore(tmp_path, dimension=DIMENSION, options=StoreOptions(precision="float16")) as store:
        assert store.info().precision == "float32"


# -- the search index ------------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EdgeStore:
    """A store with a low threshold, so that its index is built by a child process."""
    monkeypatch.setattr("visavis.stores.edge_translation.PLAIN_UP_TO_POINTS", 16)
    monkeypatch.setattr("visavis.stores.edge_shard.PLAIN_UP_TO_POINTS", 16)
    store = EdgeStore(tmp_path / "large", dimension=DIMENSION)
    store.index_field("price", "float")
    store.upsert(some_points(500))
    return store


def test_the_index_is_built_and_finds_the_same(large: EdgeStore):
    query = Query(unit(np.random.default_rng(1), 1, DIMENSION), limit=10)
    filtered = Query(query.vectors, filter=Range("price", at_least=50), limit=10)
    before, before_filtered = large.query(query), large.query(filtered)
    assert large.info().indexed == 0
    large.optimize()
    assert large.info().indexed == 500
    for asked, exact in ((query, before), (filtered, before_filtered)):  # a graph built by two threads may miss one
        assert len({hit.id for hit in large.query(asked)} & {hit.id for hit in exact}) >= 8
    large.upsert(some_points(520)[500:])
    assert large.count() == 520
    large.close()


def test_other_threads_go_on_while_the_index_is_built(large: EdgeStore):
    ticks, done = [], threading.Event()

    def tick() -> None:
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    clock = threading.Thread(target=tick)
    clock.start()
    large.optimize()
    done.set()
    clock.join()
    assert len(ticks) > 3
    large.close()


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "wal" not in path.parts
    }


def test_reading_goes_on_and_writing_waits_while_the_index_is_built(large: EdgeStore, monkeypatch: pytest.MonkeyPatch):
    query = Query(unit(np.random.default_rng(1), 1, DIMENSION), limit=10)
    large.optimize()  # so that the files are of every kind: built, written since, changed, with points removed
    large.upsert([*some_points(700)[500:], *some_points(30, seed=9)])
    large.delete([point.id for point in some_points(700)[500:]])
    large.set_payload(point_id(40), {"price": 1})
    expected, files = large.query(query), large._shard.folder / "shard"
    log: list[str] = []
    run = IndexBuilder.run

    def watched(self: IndexBuilder) -> None:
        before = digests(files)
        writer = threading.Thread(target=lambda: (large.upsert(some_points(501)[500:]), log.append("written")))
        writer.start()
        assert large.query(query) == expected
        assert large.count() == 500
        assert sum(len(batch) for batch in large.scroll()) == 500
        assert digests(files) == before  # a view changes nothing in the files that it shares
        log.append("read")
        run(self)
        assert large.query(query) == expected
        log.append("built")
        threads.append(writer)

    threads: list[threading.Thread] = []
    monkeypatch.setattr(IndexBuilder, "run", watched)
    large.optimize()
    threads[0].join(timeout=20)
    assert log == ["read", "built", "written"]
    assert large.count() == 501
    assert not (large._shard.folder / "view").exists()
    large.close()


def test_where_files_cannot_be_linked_reading_waits(large: EdgeStore, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr("os.link", refuse)
    large.optimize()
    assert large.info().indexed == 500
    large.close()


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, StorageError])
def test_a_building_that_is_cut_short_leaves_a_store_that_works(
    large: EdgeStore, monkeypatch: pytest.MonkeyPatch, trouble: type[BaseException]
):
    def interrupted(self: IndexBuilder) -> None:
        raise trouble("cut short")

    with monkeypatch.context() as patch:
        patch.setattr(IndexBuilder, "run", interrupted)
        with pytest.raises(trouble):
            large.optimize()
    assert large.count() == 500
    large.optimize()
    assert large.info().indexed == 500
    large.close()


def test_a_child_that_fails_says_why(large: EdgeStore, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr("visavis.stores.edge_shard.__name__", "visavis.stores.no_such_module")
        with pytest.raises(StorageError, match=r"could not be built.*no_such_module"):
            large.optimize()
    assert large.count() == 500
    large.close()


# -- threads ---------------------------------------------------------------------------------------


def test_threads_share_a_store(edge: EdgeStore):
    points = some_points(200)
    problems: list[BaseException] = []

    def work(part: int) -> None:
        try:
            for start in range(part * 50, part * 50 + 50, 10):
                edge.upsert(points[start : start + 10])
                edge.query(Query(points[start].whole[None], limit=5))
                edge.set_payload(points[start].id, {"part": part})
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert edge.count() == 200
    assert edge.count(Equals("part", 3)) == 5


def test_scrolling_while_writing_sees_what_was_there_once(edge: EdgeStore):
    points = some_points(100)
    edge.upsert(points[:50])
    there = {point.id for point in points[:50]}
    seen: list[str] = []
    for batch in edge.scroll(batch=10):
        seen += [point.id for point in batch if point.id in there]
        edge.upsert(points[50:])
    assert sorted(seen) == sorted(there)
    assert edge.vectors([point_id(9999)]) == {}


def test_a_store_that_could_not_be_opened_again_is_let_go_of(tmp_path: Path):
    store = EdgeStore(tmp_path / "store", dimension=DIMENSION)
    store.upsert(POINTS[:3])
    store.flush()
    store._shard._engine.close()
    store._shard._engine = None  # as after a building whose end met a full disk
    store.close()
    with EdgeStore(tmp_path / "store") as again:
        assert again.count() == 3
