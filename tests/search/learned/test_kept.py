"""What a learned retriever keeps of pictures in a file of the collection."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import numpy as np
import pytest
from drawing import draw

from visavis.api import Collection, open_collection
from visavis.search.learned.kept import KeptVectors, forget, kept_bytes, rounded

IDS = [f"{number:032x}" for number in range(1200)]


def vectors(ids: list[str]) -> dict[str, np.ndarray]:
    return {id: rounded(np.random.default_rng(int(id, 16)).normal(size=256).astype(np.float32)) for id in ids}


def test_vectors_come_back_with_the_text_that_they_were_made_with(tmp_path: Path):
    kept, texts = KeptVectors(tmp_path, "mai", "one"), {id: f"caption {id}" for id in IDS}
    assert kept.read(texts) == {}
    made = vectors(IDS)
    kept.write(made, texts)
    again = KeptVectors(tmp_path, "mai", "one").read(texts)
    assert again.keys() == made.keys()
    assert all((again[id] == made[id]).all() for id in IDS)
    assert kept.read({IDS[0]: "another caption", IDS[1]: texts[IDS[1]]}).keys() == {IDS[1]}
    assert kept_bytes(tmp_path) < 800 * len(IDS)


def test_other_weights_and_removed_pictures_are_forgotten(tmp_path: Path):
    kept, texts = KeptVectors(tmp_path, "mai", "one"), dict.fromkeys(IDS[:3], "")
    kept.write(vectors(IDS[:3]), texts)
    forget(tmp_path, IDS[:1])
    assert kept.read(texts).keys() == {*IDS[1:3]}
    other = KeptVectors(tmp_path, "mai", "two")
    assert other.read(texts) == {}
    other.write(vectors(IDS[:1]), texts)
    assert other.read(texts).keys() == {IDS[0]}


def test_a_damaged_file_is_done_without(tmp_path: Path):
    file = tmp_path / "kept-mai.sqlite"
    file.write_bytes(b"no database" * 1000)
    kept = KeptVectors(tmp_path, "mai", "one")
    kept.write(vectors(IDS[:1]), {IDS[0]: ""})
    assert kept.read({IDS[0]: ""}) == {}
    forget(tmp_path, IDS)
    kept.write(vectors(IDS[:2]), dict.fromkeys(IDS[:2], ""))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with sqlite3.connect(file) as database:
        database.execute("update vectors set vector = zeroblob(512) where id = ?", IDS[:1])
    assert kept.read(dict.fromkeys(IDS[:2], "")).keys() == {IDS[1]}


@pytest.fixture
def shop(tmp_path: Path) -> Collection:
    for colour in ("red", "blue", "green"):
        draw(tmp_path / "pictures" / f"{colour}.png", colour, (64, 64))
    with open_collection("shop", tmp_path / "home", create=True) as collection:
        collection.index(table(tmp_path, "a red square"))
        yield collection


def table(folder: Path, caption: str) -> Path:
    file = folder / "pictures" / "shop.csv"
    file.write_text(f"file,caption\nred.png,{caption}\nblue.png,a blue square\ngreen.png,\n")
    return file


def test_a_collection_is_prepared_once_and_anew_where_a_caption_changed(shop: Collection, tmp_path: Path):
    told: list[tuple[int, int]] = []
    assert shop.engine.prepare("mai", lambda *done: told.append(done)) == 3
    assert told[-1] == (3, 3)
    assert shop.engine.prepare("chatir") == 0, "it keeps nothing"
    reader = shop.engine._reader("mai")
    computed: list[int] = []
    made = reader._made
    reader._made = lambda texts, *more: (computed.append(len(texts)), made(texts, *more))[1]
    reader.refresh()
    shop.engine.prepare("mai")
    assert computed == [0]
    shop.index(table(tmp_path, "a crimson tile"))
    shop.engine.prepare("mai")
    assert computed == [0, 1], "only the picture whose caption changed"
    shop.remove_pictures([next(iter(shop)).id])
    with sqlite3.connect(shop.place.folder / "kept-mai.sqlite") as database:
        assert database.execute("select count(*) from vectors").fetchone() == (2,)
