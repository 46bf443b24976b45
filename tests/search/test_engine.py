"""Searching: words, pictures, both, without what is avoided, one of what looks the same, or nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing import draw, draw_mixed
from memory_store import MemoryStore
from PIL import Image
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import Collection, open_collection
from visavis.errors import BadInputError, NotFoundError
from visavis.search.exclusion import Calibration
from visavis.stores.base import StoredPoint


@pytest.fixture
def collection(home: Path, tmp_path: Path) -> Iterator[Collection]:
    """Every colour alone, and every pair of colours side by side."""
    folder = tmp_path / "pictures"
    for one in COLOURS:
        draw(folder / f"{one}.png", one, (48, 48))
        for other in COLOURS:
            if one != other:
                draw_mixed(folder / f"{one}-{other}.png", one, other)
    with open_collection("photos", home, MemoryStore(), encoder=TinyEncoder(), create=True) as opened:
        opened.index(folder)
        yield opened


def names(found) -> list[str]:
    return [Path(result.picture.path).stem for result in found.results]


def test_words_find_pictures_best_first(collection: Collection):
    found = collection.search("something red", k=10)
    assert names(found)[0] == "red"
    assert all(name.startswith("red") for name in names(found)[:5])
    order = [(result.match, result.score) for result in found.results]
    assert order == sorted(order, reverse=True), "what matches comes first"


def test_a_picture_finds_its_like_and_not_itself(collection: Collection, tmp_path: Path):
    red = collection.search("red", k=1).results[0].picture
    by_id = collection.search(like=[red.id], k=5)
    assert red.id not in [result.picture.id for result in by_id.results]
    assert all("red" in name for name in names(by_id))
    stranger = draw(tmp_path / "stranger.png", (214, 24, 22))
    assert names(collection.search(like=[stranger], k=1)) == ["red"]
    copy = tmp_path / "copy.png"
    copy.write_bytes(Path(red.path).read_bytes())
    assert names(collection.search(like=[copy], k=5)) == names(by_id), "the same bytes are the same picture"


def test_words_and_a_picture_both_have_a_say(collection: Collection):
    red = collection.search("red", k=1).results[0].picture
    found = collection.search("blue", like=[red.id], k=20)
    best = max(found.results, key=lambda result: result.score)  # what matches the words comes first, whatever its score
    assert Path(best.picture.path).stem == "blue-red", names(found)


def test_the_first_letters_of_an_id_are_enough(collection: Collection):
    red = collection.search("red", k=1).results[0].picture
    assert names(collection.search(like=[red.id[:10]], k=3)) == names(collection.search(like=[red.id], k=3))
    with pytest.raises(NotFoundError):
        collection.search(like=["zzzz"])


def test_nothing_to_search_for_is_refused(collection: Collection):
    with pytest.raises(BadInputError):
        collection.search("  ")


def test_filters_narrow(home: Path, pictures: Path):
    (pictures / "t.csv").write_text("file,price\n" + "".join(f"{n}.png,{i}\n" for i, n in enumerate(COLOURS)))
    with open_collection("shop", home, MemoryStore(), encoder=TinyEncoder(), create=True) as shop:
        shop.index(pictures)
        found = shop.search("red", filter="price >= 4 and price < 6")
    assert set(names(found)) == {list(COLOURS)[4], list(COLOURS)[5]}


def test_k_is_kept_even_when_much_is_left_out(collection: Collection):
    found = collection.search("red", k=30, avoid=["green"])
    assert len(found.results) == 30
    assert len(collection.search("red", k=10**6).results) == len(collection)


def test_near_duplicates_are_folded(home: Path, tmp_path: Path):
    base = Image.effect_noise((64, 64), 80).convert("RGB")
    folder = tmp_path / "burst"
    folder.mkdir()
    for number in range(5):
        shot = base.copy()
        shot.putpixel((number, 0), (255, 0, 0))
        shot.save(folder / f"shot{number}.png")
    draw(folder / "red.png", "red")
    with open_collection("burst", home, MemoryStore(), encoder=TinyEncoder(), create=True) as burst:
        burst.index(folder)
        found = burst.search("grey", k=10)
        assert len(found.results) == 2
        assert len(found.results[0].folded) == 4


def test_a_missing_row_is_never_shown(collection: Collection):
    point = next(iter(collection.store.scroll(1)))[0]
    stranger = StoredPoint("f" * 32, TinyEncoder().encode_texts(["red"])[0], point.regions, {})
    collection.store.upsert([stranger])
    assert "f" * 32 not in [result.picture.id for result in collection.search("red").results]


def test_the_calibration_is_kept_and_measured_anew_when_the_collection_grows(collection: Collection, tmp_path: Path):
    measured = collection.engine.calibration
    assert Calibration.from_json(collection.catalogue.meta("calibration")) == measured
    assert measured.count == len(collection)
    for number in range(80):
        draw(tmp_path / "more" / f"{number}.png", (number, 255 - number, 99))
    collection.index(tmp_path / "more")
    assert collection.engine.calibration.count == len(collection)
    collection.catalogue.set_meta("calibration", {"of": "an older form"})
    collection.refresh()
    assert collection.engine.calibration.count == len(collection)
    assert measured.is_stale(measured.count, "another encoder")


def test_what_is_avoided_does_not_come_back(collection: Collection):
    found = collection.search("red", k=12, avoid=["blue"])
    assert found.results
    assert not [name for name in names(found) if "blue" in name.split("-")]
    assert any("blue" in name.split("-") for name in names(collection.search("red", k=12)))


def test_what_is_there_is_accepted_and_nonsense_is_told(home: Path, tmp_path: Path):
    for number in range(40):
        draw(tmp_path / "warm" / f"{number}.png", (200 + number, 10 + number, 20))
    with open_collection("warm", home, MemoryStore(), encoder=TinyEncoder(), create=True) as warm:
        warm.index(tmp_path / "warm")
        there = warm.search("red")
        assert there.matches > 0
        assert there.results[0].match
        assert there.message == ""
        assert there.confidence is not None
        absent = warm.search("cyan")
        assert absent.matches == 0
        assert absent.results, "the nearest come all the same"
        assert not any(result.match for result in absent.results)
        assert all(result.probability < 0.5 for result in absent.results)
        assert "Nothing in this collection fits 'cyan'" in absent.message
        assert len(warm.search("cyan " * 10_000).message) < 300, "what was pasted in is not read back in full"
        assert absent.confidence is not None
        assert absent.confidence < there.confidence
