"""Verification finds every inconsistency of rows, vectors, files and thumbnails, and repairs what can be."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_store import MemoryStore
from sqlalchemy import text
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import Collection, open_collection
from visavis.collections import ledger
from visavis.errors import StorageError
from visavis.stores.region_file import DATA, PLACES


@pytest.fixture
def collection(home: Path, pictures: Path) -> Iterator[Collection]:
    with open_collection("photos", home, MemoryStore(), encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
        yield opened


def some(collection: Collection) -> str:
    return next(iter(collection)).id


def check(collection: Collection, kind: str) -> None:
    """Exactly this fault is found and repaired, and none remains."""
    found = collection.verify()
    assert {fault.kind: fault.count for fault in found.faults.values()} == {kind: 1}
    assert not found.sound
    assert collection.verify(repair=True).sound
    again = collection.verify()
    assert (again.sound, again.faults) == (True, {})


def test_a_fresh_collection_is_sound(collection: Collection):
    result = collection.verify()
    assert (result.sound, result.pictures, result.points) == (True, len(COLOURS), len(COLOURS))


def test_missing_vectors_are_made_again(collection: Collection):
    id = some(collection)
    before = collection.store.vectors([id])[id]
    collection.store.delete([id])
    check(collection, "the vectors are missing")
    assert collection.store.vectors([id])[id] == pytest.approx(before, abs=1e-3)


def test_vectors_without_a_row_are_removed(collection: Collection):
    id = some(collection)
    collection.thumbnail(id).unlink()
    ledger.forget(collection.catalogue, [id])
    check(collection, "vectors without a row")
    assert collection.store.count() == len(COLOURS) - 1


def test_old_attributes_are_brought_up_to_date(collection: Collection):
    collection.store.set_payload(some(collection), {"price": 3})
    check(collection, "the vectors have old attributes")
    assert "price" not in collection.store.payloads([some(collection)])[some(collection)]


def test_a_missing_thumbnail_is_drawn_again(collection: Collection):
    collection.thumbnail(some(collection)).unlink()
    check(collection, "the thumbnail is missing")
    assert collection.thumbnail(some(collection)).is_file()


def test_a_file_that_is_gone_is_marked_and_hidden(collection: Collection, pictures: Path):
    (pictures / "red.png").unlink()
    found = collection.verify()
    assert {fault.kind: fault.count for fault in found.faults.values()} == {"the file is gone": 1}
    assert collection.verify(repair=True).sound
    assert collection.verify().sound
    assert collection.catalogue.counts().missing == 1
    assert "red.png" not in [Path(result.picture.path).name for result in collection.search("red").results]


def test_what_cannot_be_repaired_stays_a_fault(collection: Collection, pictures: Path):
    red = collection.search("red", k=1).results[0].picture
    collection.store.delete([red.id])
    (pictures / "red.png").write_bytes((pictures / "blue.png").read_bytes())  # another picture now
    result = collection.verify(repair=True)
    assert not result.sound
    assert result.faults["the vectors are missing"].repaired == 0


def test_missing_pictures_can_be_forgotten(collection: Collection, pictures: Path):
    (pictures / "red.png").unlink()
    collection.index(pictures)
    assert collection.verify(repair=True, forget_missing=True).sound
    assert collection.catalogue.counts().missing == 0
    assert collection.store.count() == len(COLOURS) - 1


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), blows=st.integers(1, 8))
def test_any_mixture_of_damage_is_repaired(collection: Collection, seed: int, blows: int):
    chance = random.Random(seed)
    for _ in range(blows):
        id = chance.choice([picture.id for picture in collection])
        blow = chance.randrange(4)
        if blow == 0:
            collection.store.delete([id])
        elif blow == 1:
            collection.store.set_payload(id, {"colour": "wrong"})
        elif blow == 2:
            collection.thumbnail(id).unlink(missing_ok=True)
        else:
            point = next(iter(collection.store.scroll(1)))[0]
            collection.store.upsert([type(point)(f"{seed:032x}", point.whole, point.regions, {})])
    assert not collection.verify().sound
    assert collection.verify(repair=True).sound
    assert collection.verify().faults == {}
    assert len(collection) == len(COLOURS)


@pytest.mark.parametrize("factor", [0.0, 3.0, float("nan")])
@pytest.mark.parametrize("part", ["whole", "regions"])
def test_damaged_vectors_are_found_and_made_anew(collection: Collection, factor: float, part: str):
    store = collection.store
    assert isinstance(store, MemoryStore)
    id = some(collection)
    good = store.points[id]
    store.points[id] = replace(good, **{part: getattr(good, part) * np.float32(factor)})
    check(collection, "the vectors are damaged")
    assert np.allclose(store.points[id].whole, good.whole)


@pytest.mark.parametrize("factor", [1.01, 0.99])
def test_a_whole_vector_that_is_hardly_damaged_is_found(collection: Collection, factor: float):
    store = collection.store
    assert isinstance(store, MemoryStore)
    id = some(collection)
    store.points[id] = replace(store.points[id], whole=store.points[id].whole * np.float32(factor))
    check(collection, "the vectors are damaged")


@pytest.mark.parametrize("file", [DATA, PLACES])
def test_damaged_regions_are_told_and_made_anew(
    home: Path, pictures: Path, file: str, caplog: pytest.LogCaptureFixture
):
    with open_collection("photos", home, encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
        folder, ids = opened.place.store_folder, [picture.id for picture in opened]
        good = opened.store.vectors(ids, "regions")
    path = folder / file
    data = bytearray(path.read_bytes())
    data[2] ^= 4
    path.write_bytes(data)
    with open_collection("photos", home, encoder=TinyEncoder()) as opened:
        assert len(opened.store.vectors(ids, "regions")) == len(ids) - 1
        assert ("verify NAME --repair" in caplog.text) == (file == DATA)
        check(opened, "the regions are missing or damaged")
        assert opened.search("red").results
        again = opened.store.vectors(ids, "regions")
        assert all(np.allclose(again[id], good[id], atol=0.01) for id in ids)


def test_a_damaged_row_of_a_file_is_found_and_read_again(home: Path, pictures: Path):
    picture = next(path for path in sorted(pictures.rglob("*")) if path.suffix in {".png", ".jpg"})
    picture.with_suffix(".txt").write_text("a caption of its own")
    with open_collection("photos", home, MemoryStore(), encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
        flip = "UPDATE locations SET described = replace(described, 'a caption', 'a captiom')"
        with opened.catalogue.transaction(writes=True) as session:
            assert session.execute(text(f"{flip} WHERE described LIKE '%a caption%'")).rowcount == 1
        kind = "the row of the file is damaged: index its folder again"
        assert kind in opened.verify().faults
        assert kind in opened.verify(repair=True).faults
        opened.index(pictures)
        opened.verify(repair=True)
        assert opened.verify().faults == {}
        assert ("a caption of its own",) in {one.captions for one in opened}


def test_a_damaged_database_is_told_by_verify(home: Path, pictures: Path):
    with open_collection("photos", home, MemoryStore(), encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
        file = opened.place.catalogue_file
    data = bytearray(file.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    for page in range(2, len(data) // size):  # every page but those of the schema
        data[page * size + size // 2 : page * size + size // 2 + 64] = bytes(64)
    file.write_bytes(data)
    with (
        pytest.raises(StorageError) as caught,
        open_collection("photos", home, MemoryStore(), encoder=TinyEncoder()) as opened,
    ):
        opened.verify()
    assert "catalogue" in str(caught.value)
    assert "\n" not in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    "flip",
    [
        "UPDATE locations SET described = '[[\"a'",
        "UPDATE attributes SET value = '{'",
        "UPDATE captions SET text = CAST(x'61ff62' AS TEXT)",
        "UPDATE pictures SET added_at = '2026=11-16 10:22:01.320419'",
        "UPDATE pictures SET missing_since = 7",
    ],
)
def test_a_damaged_value_is_told_in_words(home: Path, pictures: Path, flip: str):
    for path in pictures.rglob("*.png"):
        path.with_suffix(".json").write_text('{"caption": "a thing", "price": 3}')
    with open_collection("photos", home, MemoryStore(), encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
        with opened.catalogue.transaction(writes=True) as session:
            assert session.execute(text(flip)).rowcount
        with pytest.raises(StorageError, match=r"damaged|refused") as caught:
            opened.verify()
        assert caught.value.remedy


def test_an_index_that_names_lost_rows_is_told_in_words(home: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch):
    with open_collection("photos", home, MemoryStore(), encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
        monkeypatch.setattr("visavis.collections.catalogue._load", lambda *_: {})
        with pytest.raises(StorageError, match="index names rows that are not there"):
            list(opened.catalogue.scroll())


@pytest.mark.parametrize("value", ['{"nam": "tiny-test"}', '{"name": ', '"x"'])
def test_a_damaged_identity_of_the_encoder_is_told(home: Path, pictures: Path, value: str):
    with open_collection("photos", home, encoder=TinyEncoder(), create=True) as opened:
        opened.index(pictures)
        with opened.catalogue.transaction(writes=True) as session:
            session.execute(text("UPDATE meta SET value = :value WHERE key = 'encoder'"), {"value": value})
    with (
        open_collection("photos", home, encoder=TinyEncoder()) as opened,
        pytest.raises(StorageError, match="damaged"),
    ):
        opened.search("red")
