"""A kill at any moment loses nothing: twenty times kill -9, then the same as without."""

from __future__ import annotations

import random
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from drawing import draw
from processes import finish, start, visavis_json
from tiny_encoder import TinyEncoder

from visavis.api import open_collection

KILLS = 20
FILES = 400


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plant(tmp_path_factory.mktemp("many"))


def plant(folder: Path) -> Path:
    """Draw pictures with duplicates, words and broken files among them."""
    for number in range(FILES):
        colour = (number % 256, (number * 37) % 256, (number // 2 * 91) % 256)
        draw(folder / f"{number % 7}" / f"{number}.png", colour if number % 20 else (9, 9, 9))
    rows = "".join(f"{number}.png,picture {number},{number / 2}\n" for number in range(0, FILES, 3))
    (folder / "words.csv").write_text("file,caption,price\n" + rows)
    for number in range(5):
        (folder / f"broken{number}.jpg").write_bytes(b"broken")
    return folder


def contents(home: Path) -> dict[str, object]:
    """Everything a collection holds, vectors included."""
    with open_collection("photos", home, encoder=TinyEncoder()) as collection:
        points = {point.id: point for batch in collection.store.scroll() for point in batch}
        pictures = {
            picture.id: (picture.paths, picture.captions, dict(picture.attributes), picture.width, picture.missing)
            for batch in collection.catalogue.scroll()
            for picture in batch
        }
        return {
            "pictures": pictures,
            "payloads": {id: dict(point.payload) for id, point in points.items()},
            "vectors": {id: np.round(point.whole, 3).tolist() for id, point in points.items()},
            "failures": [failure.path for failure in collection.catalogue.failures()],
            "thumbnails": sorted(path.stem for path in collection.place.thumbnails_folder.rglob("*.webp")),
        }


def test_twenty_kills_lose_nothing_and_double_nothing(tmp_path: Path, many: Path):
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    visavis_json(calm, "index", many, "-c", "photos")
    chance = random.Random(4)
    killed = 0
    while killed < KILLS:
        process = start(rough, "index", many, "-c", "photos", TINY_DELAY="0.06")
        time.sleep(chance.uniform(0.3, 1.3))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        else:
            shutil.rmtree(rough)  # all was indexed: begin anew, which takes longer than the longest wait
        process.communicate()
    report = visavis_json(rough, "index", many, "-c", "photos")
    assert report["failed"] == 5
    assert visavis_json(rough, "collection", "verify", "photos")["sound"], "even before any repair"
    assert contents(rough) == contents(calm)


def test_a_kill_between_vectors_and_rows_is_repaired(tmp_path: Path, many: Path, monkeypatch: pytest.MonkeyPatch):
    """Killed between the two writes: the vectors are there, the row is not."""
    from visavis.collections import ledger

    class Killed(BaseException):
        pass

    def killed(*_: object) -> list[str]:
        raise Killed

    with open_collection("photos", tmp_path, encoder=TinyEncoder(), create=True) as collection:
        with monkeypatch.context() as patch:
            patch.setattr(ledger, "record", killed)
            with pytest.raises(Killed):
                collection.index(many)
        assert len(collection) == 0
        found = collection.verify()
        assert found.faults["vectors without a row"].count > 0
        assert not collection.search("red").results, "a picture without a row must not be shown"
        assert collection.verify(repair=True).sound
        assert collection.store.count() == 0
        collection.index(many)
        assert collection.verify().sound


def test_ctrl_c_keeps_what_was_done(tmp_path: Path, many: Path):
    (tmp_path / "hold").touch()
    process = start(tmp_path, "index", many, "-c", "photos", "--json", TINY_HOLD=str(tmp_path / "hold"))
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not list((tmp_path / "collections/photos/thumbnails").rglob("*.webp")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    (tmp_path / "hold").unlink()
    ended = finish(process, ok=False)
    assert ended.returncode == 130
    report = visavis_json(tmp_path, "index", many, "-c", "photos")
    assert report["unchanged"] > 0
    assert visavis_json(tmp_path, "collection", "verify", "photos")["sound"]
