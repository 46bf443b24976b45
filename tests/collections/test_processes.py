"""Two processes and one collection."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from drawing import draw
from processes import finish, start, visavis, visavis_json


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for number in range(300):
        draw(tmp_path / "many" / f"{number}.png", (number % 256, (number * 37) % 256, 100 + number // 256))
    draw(tmp_path / "many" / "0.png", "red")
    return tmp_path / "many"


def wait_for_pictures(home: Path, least: int = 1) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if len(list((home / "collections/photos/thumbnails").rglob("*.webp"))) >= least:
            return
        time.sleep(0.02)
    pytest.fail("nothing was indexed")


def wait_for_rows(home: Path, least: int) -> None:
    """Wait until so many pictures are indexed: their rows are written last."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with suppress(sqlite3.OperationalError):  # there is no such file, or no such table yet
            file = home / "collections/photos/catalogue.sqlite"
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as catalogue:
                if catalogue.execute("SELECT count(*) FROM pictures").fetchone()[0] >= least:
                    return
        time.sleep(0.02)
    pytest.fail("nothing was indexed")


def test_searching_works_while_another_process_indexes(home: Path, many: Path, tmp_path: Path):
    (tmp_path / "hold").touch()
    indexing = start(home, "index", many, "-c", "photos", "--json", TINY_HOLD=str(tmp_path / "hold"))
    wait_for_pictures(home, 48)
    for _ in range(2):
        found = visavis_json(home, "search", "red", "-c", "photos", "-k", 3)["results"]
        assert indexing.poll() is None, "the search came after the indexing"
    (tmp_path / "hold").unlink()
    assert Path(found[0]["path"]).name == "0.png"
    assert json.loads(finish(indexing).stdout)["pictures"] == len(list(many.iterdir()))
    assert visavis_json(home, "collection", "verify", "photos")["sound"]


def test_a_second_indexer_refuses_clearly_or_waits(home: Path, many: Path):
    first = start(home, "index", many, "-c", "photos", "--json", TINY_DELAY="0.2")
    wait_for_pictures(home)
    first.send_signal(signal.SIGSTOP)  # so that it cannot end before the others have come, however slow they are
    try:
        second = visavis(home, "index", many, "-c", "photos", ok=False)
        assert second.returncode == 5
        assert f"Process {first.pid} is indexing the collection 'photos'" in " ".join(second.stderr.split())
        third = start(home, "index", many, "-c", "photos", "--json", "--wait", COLUMNS="500")
        assert third.stderr is not None
        assert "Waiting" in third.stderr.readline()
    finally:
        first.send_signal(signal.SIGCONT)
    finish(first)
    assert json.loads(finish(third).stdout)["unchanged"] == len(list(many.iterdir()))


def test_a_killed_indexer_leaves_the_way_free_for_others(home: Path, many: Path):
    indexing = start(home, "index", many, "-c", "photos", TINY_DELAY="0.3")
    wait_for_rows(home, 20)
    indexing.send_signal(signal.SIGKILL)
    indexing.communicate()
    assert visavis_json(home, "search", "red", "-c", "photos")["results"]
    assert visavis_json(home, "index", many, "-c", "photos")["pictures"] == len(list(many.iterdir()))


def test_watching_takes_in_what_comes(home: Path, tmp_path: Path):
    folder = tmp_path / "watched"
    draw(folder / "first.png", "blue")
    watching = start(home, "index", folder, "-c", "photos", "--watch", "--json")
    assert watching.stdout is not None
    assert json.loads(watching.stdout.readline())["added"] == 1
    draw(folder / "second.png", "red")  # at once: it may come before the system reports any change
    assert json.loads(watching.stdout.readline())["added"] == 1
    (folder / "first.png").rename(folder / "sub.png")
    assert json.loads(watching.stdout.readline())["moved"] == 1
    (folder / "second.png").unlink()
    assert json.loads(watching.stdout.readline())["missing"] == 1
    watching.send_signal(signal.SIGINT)
    finish(watching)
