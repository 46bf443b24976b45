"""Upgrade to another encoder: new vectors in place, resumed after a break, from thumbnails where files are gone."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest
from memory_store import MemoryStore
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.collections.upgrade import Upgrade, UpgradeReport
from visavis.encoders.base import Encoded, FloatArray
from visavis.errors import BadInputError, BusyError
from visavis.language.commands import parse_commands
from visavis.stores.edge import EdgeStore


class LaterEncoder(TinyEncoder):
    """The same colours in another order, with one number more: vectors of both cannot be compared."""

    name = "tiny-later"
    dimension = TinyEncoder.dimension + 1

    def encode_pictures(self, images) -> Encoded:
        encoded = TinyEncoder().encode_pictures(images)
        return Encoded(_other(encoded.whole), _other(encoded.regions), encoded.boxes)

    def encode_texts(self, texts) -> FloatArray:
        return _other(TinyEncoder().encode_texts(texts))


def _other(vectors: FloatArray) -> FloatArray:
    return np.concatenate([np.zeros((*vectors.shape[:-1], 1), np.float32), vectors[..., ::-1]], axis=-1)


@pytest.fixture
def old(home: Path, pictures: Path) -> Path:
    """A collection with twelve pictures, made with the encoder before."""
    with open_collection("photos", home, encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
    return home


def later(home: Path) -> Collection:
    return open_collection("photos", home, encoder=LaterEncoder())


def first(collection: Collection, text: str) -> str:
    return Path(collection.search(text, k=1).results[0].picture.path).stem


def test_before_the_upgrade_a_search_says_what_to_do(old: Path):
    with later(old) as opened, pytest.raises(BadInputError) as refused:
        opened.search("red")
    assert refused.value.remedy.endswith("visavis collection upgrade photos")


def test_every_picture_gets_new_vectors(old: Path):
    seen: list[int] = []
    with later(old) as opened:
        report = opened.upgrade(on_progress=lambda now: seen.append(now.encoded))
        assert (report.pictures, report.waiting, report.encoded, report.lost) == (12, 12, 12, 0)
        assert seen[-1] == 12
        assert opened.store.info().dimension == LaterEncoder.dimension
        assert (first(opened, "red"), opened.waiting()) == ("red", 0)
        assert opened.verify().sound
    with later(old) as again:
        assert first(again, "blue") == "blue"
        assert again.upgrade().encoded == 0


def test_an_upgrade_that_was_cut_short_goes_on(old: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("visavis.collections.upgrade.BATCH", 1)
    stopped, encode = Event(), Upgrade._encode

    def encode_some(self: Upgrade, items: list) -> list:
        """Encode eight at most before the run is stopped, and none after that, however fast the threads are."""
        if self._report.encoded >= 8:
            assert stopped.wait(60)
        return items if stopped.is_set() else encode(self, items)

    monkeypatch.setattr(Upgrade, "_encode", encode_some)

    def stop(now: UpgradeReport) -> None:
        if now.encoded >= 5:
            stopped.set()
            raise KeyboardInterrupt

    with later(old) as opened:
        broken = opened.upgrade(on_progress=stop)
        assert broken.interrupted
        done = opened.store.count()
        assert 5 <= done < 12
        found = opened.search(" ".join(COLOURS), k=12)
        assert found.waiting == 12 - done
        assert len(found.results) == done
        assistant = Assistant(opened)
        told = assistant.do(assistant.start(), parse_commands("search red")).reply
        assert told.endswith(f"{12 - done} more pictures wait for the upgrade of the collection.")
    monkeypatch.setattr(Upgrade, "_encode", encode)
    with later(old) as again:
        report = again.upgrade()
        assert (report.waiting, report.encoded) == (12 - done, 12 - done)
        assert again.search("red").waiting == 0


def test_a_picture_whose_file_is_gone_is_encoded_from_its_thumbnail(old: Path, pictures: Path):
    (pictures / "red.png").unlink()
    with later(old) as opened:
        report = opened.upgrade()
        assert (report.encoded, report.from_thumbnails, report.lost) == (12, 1, 0)
        assert first(opened, "red") == "red"


def test_a_picture_without_file_and_thumbnail_is_told(old: Path, pictures: Path):
    (pictures / "red.png").unlink()
    with later(old) as opened:
        lost = next(picture.id for picture in opened if Path(picture.path).stem == "red")
        opened.thumbnail(lost).unlink()
        report = opened.upgrade()
        assert (report.encoded, report.lost, report.lost_ids) == (11, 1, [lost])
        assert opened.waiting() == 0


def test_a_store_that_another_process_has_open_is_left_alone(old: Path):
    with EdgeStore(old / "collections" / "photos" / "store"), later(old) as opened, pytest.raises(BusyError):
        opened.upgrade()
    with open_collection("photos", old, encoder=TinyEncoder()) as opened:
        assert first(opened, "red") == "red"


def test_attributes_are_filtered_as_before(home: Path, pictures: Path, tmp_path: Path):
    table = tmp_path / "table.csv"
    rows = [f"{pictures / (name + '.png')},{place}" for place, name in enumerate(COLOURS)]
    table.write_text("\n".join(["picture,price", *rows]))
    store = MemoryStore()
    with open_collection("photos", home, store, encoder=TinyEncoder(), create=True) as opened:
        opened.index(table)
    with open_collection("photos", home, encoder=LaterEncoder()) as opened:
        opened.upgrade()
        found = opened.search("red", filter="price < 4").results
        assert len(found) == 4
        assert "price" in opened.store.fields()
