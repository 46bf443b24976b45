"""Indexing with Ray: the same result as without, also when a worker is killed half-way."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiny_encoder
from drawing import draw
from marking_encoder import MarkingEncoder

from visavis.api import Collection, open_collection
from visavis.collections.indexing import cluster
from visavis.errors import MissingExtraError

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed (extra 'ray')")
SUPPORT = str(Path(tiny_encoder.__file__).parent)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    import ray

    os.environ["PYTHONPATH"] = SUPPORT
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for number in range(240):
        draw(tmp_path / "many" / f"{number}.png", (number, (number * 37) % 256, 90))
    (tmp_path / "many" / "broken.jpg").write_bytes(b"broken")
    (tmp_path / "many" / "words.csv").write_text("file,caption\n7.png,the seventh\n")
    return tmp_path / "many"


@pytest.fixture
def collection(home: Path, tmp_path: Path, postgres: str) -> Iterator[Collection]:
    marks = tmp_path / "marks"
    marks.mkdir()
    encoder = MarkingEncoder(str(marks))
    with open_collection("shared", home, catalogue=postgres, encoder=encoder, create=True) as opened:
        yield opened
        opened.remove()


def kill_a_worker(marks: Path, killed: list[int]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not killed:
        for mark in marks.iterdir():
            os.kill(int(mark.name), signal.SIGKILL)
            killed.append(int(mark.name))
            return
        time.sleep(0.01)


@needs_ray
def test_a_killed_workers_batch_is_done_again(
    ray_cluster: None, collection: Collection, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cluster, "BATCH", 16)
    killed: list[int] = []
    assassin = threading.Thread(target=kill_a_worker, args=(tmp_path / "marks", killed))
    assassin.start()
    report = cluster.index_on_ray(collection, many, "local")
    assassin.join()
    assert killed, "nobody was killed"
    assert len(list((tmp_path / "marks").iterdir())) > 1, "nobody took over"
    assert report.as_json()["added"] == 240
    assert report.as_json()["failed"] == 1
    assert len(collection) == 240
    assert collection.verify().sound
    assert collection.store.count() == 240
    (seventh,) = [picture for picture in collection if picture.caption]
    assert Path(seventh.path).name == "7.png"
    again = cluster.index_on_ray(collection, many, "local")
    assert again.as_json()["unchanged"] == 240


def test_without_ray_it_says_what_to_install(home: Path, pictures: Path, encoder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with (
        open_collection("photos", home, encoder=encoder, create=True) as opened,
        pytest.raises(MissingExtraError, match=r"visavis\[ray\]"),
    ):
        cluster.index_on_ray(opened, pictures, "local")
