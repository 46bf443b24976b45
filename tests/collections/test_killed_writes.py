"""A kill at every single write of a run: the next run ends as if there had been no kill."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from drawing import draw
from memory_store import MemoryStore
from sqlalchemy import text
from tiny_encoder import TinyEncoder

from visavis.api import Collection, open_collection
from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.indexing import indexer, stages
from visavis.collections.indexing.indexer import Options
from visavis.collections.indexing.stages import Sorter
from visavis.pictures.picture import Details

COPIES = 9


class Killed(BaseException):
    """The process ends at this point."""


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """Identical files in several folders, a few of them with a row in a table, and two other pictures."""
    folder = tmp_path / "shop"
    for number in range(COPIES):
        draw(folder / f"{number % 3}" / f"{number}.png", (9, 9, 9))
    draw(folder / "red.png", "red")
    draw(folder / "blue.png", "blue")
    (folder / "words.csv").write_text("file,caption,price\n4.png,a black square,3.5\nred.png,a red one,4\n")
    return folder


@contextmanager
def killed_at(step: int, store: MemoryStore, monkeypatch: pytest.MonkeyPatch, kind: str = "") -> Iterator[list[str]]:
    """Raise before the write of this number, of one kind where it is named, and at every later one of any kind.

    A dead process writes nothing.
    """
    done: list[str] = []
    dead = threading.Event()

    def watched(name: str, write: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object, **options: object) -> object:
            reached = done.count(kind) if name == kind else -1 if kind else len(done)
            if dead.is_set() or reached >= step:
                dead.set()
                raise Killed(name)
            done.append(name)
            return write(*args, **options)

        return run

    with monkeypatch.context() as patch:
        for name in ("upsert", "set_payload", "delete", "index_field"):
            patch.setattr(store, name, watched(name, getattr(store, name)))
        patch.setattr(indexer, "save_thumbnail", watched("thumbnail", indexer.save_thumbnail))
        for name in ("record", "fail", "mark_seen", "mark_missing", "payloads_written", "drop_old_failures"):
            patch.setattr(ledger, name, watched(name, getattr(ledger, name)))
        patch.setattr(Catalogue, "set_meta", watched("set_meta", Catalogue.set_meta))
        yield done


def small_steps(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Two files a batch, in another order: what threads do to the order on a busy machine."""
    for module in (indexer,):
        monkeypatch.setattr(module, "BATCH", 2)
        monkeypatch.setattr(module, "READ_BATCH", 1)
    sort = Sorter.sort

    def shuffled(self: Sorter, candidates: object) -> Iterator[object]:
        items = list(sort(self, candidates))  # type: ignore[arg-type]
        random.Random(seed).shuffle(items)
        yield from items

    monkeypatch.setattr(Sorter, "sort", shuffled)


def contents(collection: Collection) -> dict[str, object]:
    return {
        "pictures": {
            picture.id: (picture.paths, picture.captions, dict(picture.attributes), picture.missing)
            for batch in collection.catalogue.scroll()
            for picture in batch
        },
        "payloads": {point.id: dict(point.payload) for batch in collection.store.scroll() for point in batch},
    }


def calm_contents(home: Path, folder: Path) -> dict[str, object]:
    with open_collection("photos", home, MemoryStore(), encoder=TinyEncoder(), create=True) as collection:
        collection.index(folder)
        return contents(collection)


def is_killed_and_recovers(
    home: Path, copies: Path, calm: dict[str, object], monkeypatch: pytest.MonkeyPatch, step: int, kind: str = ""
) -> bool:
    """Whether a run came to a write; the next run must end as one that nobody killed."""
    store = MemoryStore()
    with open_collection("photos", home, store, encoder=TinyEncoder(), create=True) as collection:
        with monkeypatch.context() as patch:
            small_steps(patch, seed=step)
            with killed_at(step, store, patch, kind) as done:
                try:
                    collection.index(copies, options=Options(workers=1))
                except Killed:
                    pass
                else:
                    return False
        collection.index(copies)
        assert contents(collection) == calm, f"killed at write {step}, after {done}"
        assert collection.verify().sound
    return True


def test_a_kill_at_any_write_changes_nothing_in_the_end(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
):  # fmt: skip
    calm = calm_contents(tmp_path / "calm", copies)
    captions = [found[1] for found in calm["pictures"].values()]  # type: ignore[attr-defined]
    assert sorted(captions) == [(), ("a black square",), ("a red one",)]
    step = 0
    while is_killed_and_recovers(tmp_path / f"h{step}", copies, calm, monkeypatch, step):
        step += 1
    assert step > 10


@pytest.mark.parametrize("kind", ["thumbnail", "upsert", "record", "set_payload", "payloads_written", "index_field"])
def test_a_kill_at_each_kind_of_write_changes_nothing_in_the_end(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch, kind: str
):
    """Counted by its kind: threads decide which write is the tenth."""
    calm = calm_contents(tmp_path / "calm", copies)
    assert is_killed_and_recovers(tmp_path / "first", copies, calm, monkeypatch, 0, kind)
    is_killed_and_recovers(tmp_path / "second", copies, calm, monkeypatch, 1, kind)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_copies_does_not_matter(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch, seed: int
):  # fmt: skip
    """Without any kill: a copy without a row that was written last took the caption away."""
    calm = calm_contents(tmp_path / "calm", copies)
    small_steps(monkeypatch, seed)
    assert calm_contents(tmp_path / "rough", copies) == calm


def test_a_kill_while_files_are_marked_missing_is_made_good(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
):  # fmt: skip
    """Killed after the row and before the store: the picture was still found, though its file is gone."""
    store = MemoryStore()
    with open_collection("photos", tmp_path / "home", store, encoder=TinyEncoder(), create=True) as collection:
        collection.index(copies)
        (copies / "red.png").unlink()
        with monkeypatch.context() as patch:
            patch.setattr(stages.ledger, "payloads_written", lambda *_: None)
            patch.setattr(store, "set_payload", lambda *_: None)
            collection.index(copies)
        assert not collection.verify().sound
        collection.index(copies)
        assert collection.verify().sound


def test_verify_sees_a_lost_caption_and_repair_brings_it_back(tmp_path: Path, copies: Path):
    calm = calm_contents(tmp_path / "calm", copies)
    with open_collection("photos", tmp_path / "home", MemoryStore(), encoder=TinyEncoder(), create=True) as collection:
        collection.index(copies)
        black = next(picture for picture in collection if picture.caption == "a black square")
        with collection.catalogue.transaction(writes=True) as session:
            session.execute(text("DELETE FROM captions"))
            session.execute(text("DELETE FROM attributes WHERE name = 'price'"))
        found = collection.verify()
        assert black.id in found.faults["captions or attributes of its files are missing"].examples
        assert collection.verify(repair=True).sound
        assert collection.verify().sound
        assert contents(collection) == calm


def test_a_home_of_an_older_version_gets_its_captions_back_when_indexed(tmp_path: Path, copies: Path):
    """An older version kept no details of single files, and may have lost a caption to a copy."""
    calm = calm_contents(tmp_path / "calm", copies)
    with open_collection("photos", tmp_path / "home", MemoryStore(), encoder=TinyEncoder(), create=True) as collection:
        collection.index(copies)
        with collection.catalogue.transaction(writes=True) as session:
            session.execute(text("UPDATE locations SET described = NULL"))
            session.execute(text("UPDATE pictures SET embedded = NULL"))
            session.execute(text("DELETE FROM captions"))
        collection.index(copies)
        assert contents(collection) == calm


def test_the_caption_of_a_missing_file_counts_until_another_has_one(catalogue: Catalogue):
    id = "a" * 32
    shape, stamp = ledger.Shape(4, 3, 2, "PNG"), ledger.Stamp(1, 2)

    def entry(path: str, *captions: str) -> ledger.Entry:
        return ledger.Entry(path, "/p", stamp, id, shape, Details(captions), {"year": 2020})

    ledger.record(catalogue, [entry("/p/1", "of the first"), entry("/p/2")], 1)
    ledger.mark_missing(catalogue, ["/p/1"])
    assert catalogue.pictures([id])[id].captions == ("of the first",)
    ledger.record(catalogue, [entry("/p/2", "of the second")], 2)
    assert catalogue.pictures([id])[id].captions == ("of the second",)
    assert catalogue.pictures([id])[id].attributes == {"year": 2020}
