"""Killed processes, full disks, read-only folders, damaged files: clear errors, and no acknowledged write is lost."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from store_support import DIMENSION, point_id, some_points, unit

from visavis.errors import StorageError
from visavis.stores.base import Precision, Query, StoredPoint, StoreOptions
from visavis.stores.edge import EdgeStore

#: Stores batches of ten and says so after each; flushes now and then, deletes what is far behind.
WRITER = """
import sys, numpy as np
from visavis.stores.base import StoredPoint
from visavis.stores.edge import EdgeStore
folder, dimension = sys.argv[1], int(sys.argv[2])
store = EdgeStore(folder, dimension=dimension)
for batch in range(100000):
    numbers = range(batch * 10 + 1, batch * 10 + 11)
    vectors = {n: np.random.default_rng(n).normal(size=dimension).astype("f4") for n in numbers}
    store.upsert([StoredPoint(f"{n:032x}", vectors[n] / np.linalg.norm(vectors[n]), payload={"n": n}) for n in numbers])
    if batch % 7 == 3:
        store.flush()
    if batch % 11 == 5:
        store.delete([f"{numbers[0]:032x}"])
    print(batch, flush=True)
"""


@pytest.mark.parametrize("seed", range(3))
def test_every_acknowledged_point_survives_kill_9(tmp_path: Path, seed: int):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path), str(DIMENSION)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "0\n"
    time.sleep(random.Random(seed).uniform(0.0, 0.8))
    writer.send_signal(signal.SIGKILL)
    last = max([0, *(int(line) for line in writer.stdout.read().split())])
    writer.wait()
    with EdgeStore(tmp_path) as store:
        deleted = {batch * 10 + 1 for batch in range(last + 1) if batch % 11 == 5}
        expected = set(range(1, last * 10 + 11)) - deleted
        found = {int(id, 16) for id in store.ids()}
        assert expected <= found
        assert not deleted & found
        for number in random.Random(seed).sample(sorted(expected), 10):
            id = f"{number:032x}"
            vector = np.random.default_rng(number).normal(size=DIMENSION)
            np.testing.assert_allclose(store.vectors([id])[id], vector / np.linalg.norm(vector), atol=1e-3)
            assert store.payloads([id]) == {id: {"n": number}}


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    with EdgeStore(tmp_path / "store", dimension=DIMENSION) as store:
        store.upsert(some_points(50))
    return tmp_path / "store"


# -- damaged files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("shard/edge_config.json", "remove"),
        ("shard/edge_config.json", "halve"),
        ("shard/segments/*/segment.json", "halve"),
        ("shard/segments/*/vector_storage-whole/vectors/status.dat", "halve"),  # makes the engine panic
        ("shard/segments/*/payload_storage/bitmask.dat", "remove"),
        ("shard/wal/open-*", "zeroes"),
    ],
)
def test_damaged_files_are_told_in_words(stored: Path, file: str, damage: str):
    found = sorted(stored.glob(file))
    assert found, f"the engine has no {file} any more"
    for path in found:
        match damage:
            case "remove":
                path.unlink()
            case "halve":
                os.truncate(path, path.stat().st_size // 2)
            case "zeroes":
                with path.open("r+b") as opened:
                    opened.write(bytes(4096))
    with pytest.raises(StorageError) as caught:
        EdgeStore(stored)
    assert str(stored) in caught.value.message
    assert "backup" in caught.value.remedy


def test_a_store_whose_files_are_gone_is_not_made_anew(stored: Path):
    shutil.rmtree(stored / "shard")
    with pytest.raises(StorageError, match="lost its files"):
        EdgeStore(stored, dimension=DIMENSION)


# -- full disks and forbidden folders --------------------------------------------------------------


def test_a_nearly_full_disk_stops_writing_not_reading(stored: Path, monkeypatch: pytest.MonkeyPatch):
    with EdgeStore(stored) as store:
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100 * 2**20))
            for write in (
                lambda: store.upsert(some_points(1)),
                lambda: store.set_payload(point_id(1), {}),
                lambda: store.index_field("price", "float"),
                store.optimize,
            ):
                with pytest.raises(StorageError, match="nearly full: 100 MB"):
                    write()
            assert len(store.query(Query(unit(np.random.default_rng(0), 1, DIMENSION), limit=50))) == 50
            store.delete([point_id(1)])  # makes room
            store.flush()
        assert store.count() == 49


def test_a_full_disk_is_told_at_opening(stored: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2**20))
    with pytest.raises(StorageError, match="nearly full"):
        EdgeStore(stored)


FILLER = """
import sys
sys.path.insert(0, sys.argv[2])
from store_support import some_points
from visavis.errors import StorageError
from visavis.stores.edge import EdgeStore
try:
    with EdgeStore(sys.argv[1], dimension=512) as store:
        points = some_points(2500, dimension=512, regions=24)
        for start in range(0, len(points), 100):
            store.upsert(points[start:start + 100])
            print(start + 100, flush=True)
except StorageError as error:
    print("refused:", error, flush=True)
"""


@pytest.mark.parametrize("exists", [True, False])
def test_a_limit_on_the_size_of_files_is_told_and_loses_nothing(tmp_path: Path, exists: bool):
    if exists:
        with EdgeStore(tmp_path, dimension=512) as store:
            store.upsert(some_points(100, dimension=512, regions=9))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20 * 2**20, resource.RLIM_INFINITY))

    support = str(Path(__file__).parents[1] / "support")
    ended = subprocess.run(
        [sys.executable, "-c", FILLER, str(tmp_path), support],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 0, ended.stderr
    *acknowledged, last = ended.stdout.splitlines()
    assert last.startswith("refused: "), ended.stdout
    assert "out of room" in last
    assert bool(acknowledged) == exists
    with EdgeStore(tmp_path, dimension=512) as store:
        assert store.count() >= max([0, *(int(number) for number in acknowledged)])


READER = """
import os, sys
from visavis.errors import StorageError
from visavis.stores.edge import EdgeStore
os.setgid(65534); os.setuid(65534)
try:
    EdgeStore(sys.argv[1], dimension=16)
except StorageError as error:
    print("refused:", error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody without rights")
@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_that_may_not_be_written_is_told(stored: Path, exists: bool):
    for folder in [stored, *stored.parents]:
        if folder.owner() == "root" and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    for path in stored.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    target = stored if exists else stored / "below"
    ended = subprocess.run([sys.executable, "-c", READER, str(target)], capture_output=True, text=True, check=False)
    assert ended.stdout.startswith("refused: "), ended.stderr
    assert "Permission denied" in ended.stdout
    assert "home" in ended.stdout


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("I am no folder")
    with pytest.raises(StorageError, match="cannot be created"):
        EdgeStore(tmp_path / "file", dimension=DIMENSION)


def test_a_batch_that_is_refused_stores_none_of_it(stored: Path):
    from visavis.errors import BadInputError

    with EdgeStore(stored) as store:
        with pytest.raises(BadInputError):
            store.upsert([*some_points(60)[50:], StoredPoint("not an id", np.ones(DIMENSION, np.float32))])
        assert store.count() == 50


@pytest.mark.parametrize("precision", ["float16", "float32"])
def test_a_flipped_sign_of_a_whole_vector_is_found(tmp_path: Path, precision: Precision):
    """It leaves the length of the vector at one."""
    with EdgeStore(tmp_path, dimension=DIMENSION, options=StoreOptions(precision=precision)) as store:
        store.upsert(some_points(40))
        store.set_payload(point_id(7), {"n": 700})
        sound = {point.id: point.whole for points in store.scroll() for point in points}
        assert all(np.linalg.norm(whole) > 0.99 for whole in sound.values())
    written = sound[point_id(7)].astype("<f2" if precision == "float16" else "<f4").tobytes()
    for file in (path for path in tmp_path.rglob("*") if path.is_file()):
        data = bytearray(file.read_bytes())
        if (at := data.find(written)) >= 0:
            data[at + len(written) - 1] ^= 0x80
            file.write_bytes(data)
    with EdgeStore(tmp_path) as store:
        found = {point.id: point for points in store.scroll() for point in points}
    assert not found[point_id(7)].whole.any()
    assert found[point_id(7)].payload == {"n": 700}
    assert all(np.array_equal(found[id].whole, whole) for id, whole in sound.items() if id != point_id(7))
