"""Names, folders and settings of collections; one indexer at a time."""

from __future__ import annotations

import errno
import multiprocessing
import shutil
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.collections.places import CollectionSettings, Place, index_lock, names
from visavis.errors import BadInputError, BusyError, NotFoundError, StorageError


def test_a_place_keeps_its_settings(home: Path):
    place = Place.of("photos", home)
    assert not place.exists
    place.create(CollectionSettings(store="qdrant://x", catalogue="postgresql://me:secret@y/z"))
    assert place.exists
    assert Place.of("photos", home).settings() == CollectionSettings("qdrant://x", "postgresql://me:secret@y/z")
    mode = stat.S_IMODE((place.folder / "settings.json").stat().st_mode)
    assert mode == 0o600, "a password may be in there"
    assert names(home) == ["photos"]
    place.remove()
    assert names(home) == []


def test_a_thumbnail_that_comes_meanwhile_does_not_keep_a_collection(home: Path, monkeypatch: pytest.MonkeyPatch):
    place = Place.of("photos", home)
    place.create(CollectionSettings())
    once, remove = iter([errno.ENOTEMPTY]), shutil.rmtree

    def busy(folder: Path) -> None:
        for number in once:
            raise OSError(number, "Directory not empty")
        remove(folder)

    monkeypatch.setattr(shutil, "rmtree", busy)
    place.remove()
    assert not place.folder.exists()


@given(st.text(max_size=80))
def test_no_name_leads_out_of_the_home(name: str):
    try:
        place = Place.of(name, "/home/of/visavis")
    except BadInputError:
        return
    assert place.folder.resolve().parent == Path("/home/of/visavis/collections").resolve()


def test_an_unknown_collection_names_the_known_ones(home: Path):
    Place.of("photos", home).create(CollectionSettings())
    with pytest.raises(NotFoundError, match="photos"):
        Place.of("fotos", home).settings()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"colour": 1}', '{"format": 99}'])
def test_damaged_settings_are_told(home: Path, content: str):
    place = Place.of("photos", home)
    place.create(CollectionSettings())
    (place.folder / "settings.json").write_text(content)
    with pytest.raises(StorageError):
        place.settings()


def hold(file: Path, held, release) -> None:
    with index_lock(file, "photos"):
        held.set()
        release.wait(20)


def test_a_second_indexer_is_refused_or_waits(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    file = tmp_path / "index.lock"
    other = context.Process(target=hold, args=(file, held, release))
    other.start()
    try:
        assert held.wait(20)
        with pytest.raises(BusyError, match=str(other.pid)), index_lock(file, "photos"):
            pass
        told = []
        threading.Timer(0.5, release.set).start()
        with index_lock(file, "photos", wait=20, on_wait=told.append):
            pass
        assert len(told) == 1
        assert "Waiting" in told[0]
    finally:
        release.set()
        other.join()


def test_a_killed_indexer_lets_go(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    other = context.Process(target=hold, args=(tmp_path / "index.lock", held, release))
    other.start()
    assert held.wait(20)
    other.kill()
    other.join()
    with index_lock(tmp_path / "index.lock", "photos"):
        pass
