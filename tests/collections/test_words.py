"""The inverted index of words, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.words import WordIndex, document, index_words, without_denied
from visavis.errors import StorageError
from visavis.pictures.picture import Details

A, B, C = "a" * 32, "b" * 32, "c" * 32
SHAPE = ledger.Shape(40, 30, 1000, "PNG")


def entry(path: str, id: str, details: Details | None = None) -> ledger.Entry:
    return ledger.Entry(path, "/p", ledger.Stamp(1, 2), id, SHAPE, details or Details())


def test_captions_titles_attributes_and_file_names_are_found(catalogue: Catalogue):
    details = Details(("A dog on a beach",), {"title": "Puma Running Shoes", "tags": ["Café"], "price": 4.5})
    ledger.record(catalogue, [entry("/p/holiday_IMG2034.jpg", A, details), entry("/p/plain.jpg", B)], 1)
    words = WordIndex(catalogue)
    for word in ("dog", "puma", "shoe", "cafe", "holiday", "img2034"):
        assert words.holding(word, 5) == [A], word
    assert words.holding("plain", 5) == [B]
    assert words.holding("jpg", 5) == []
    assert words.frequencies(["dog", "cat", "plain"]) == {"dog": 1, "plain": 1}


def test_the_index_follows_what_is_written(catalogue: Catalogue):
    words = WordIndex(catalogue)
    ledger.record(catalogue, [entry("/p/one.jpg", A, Details(("a red puma",)))], 1)
    ledger.record(catalogue, [entry("/p/one.jpg", A, Details(("a blue nike",)))], 2)
    assert (words.holding("puma", 5), words.holding("nike", 5)) == ([], [A])
    assert words.frequencies(["puma", "nike"]) == {"nike": 1}
    ledger.record(catalogue, [entry("/p/moved.jpg", A, Details(("a blue nike",)))], 3, moved_from=["/p/one.jpg"])
    assert (words.holding("one", 5), words.holding("moved", 5)) == ([], [A])
    ledger.forget(catalogue, [A])
    assert words.frequencies(["nike", "moved"]) == {}


def test_a_file_with_another_picture_takes_its_name_along(catalogue: Catalogue):
    ledger.record(catalogue, [entry("/p/lisbon.jpg", A)], 1)
    ledger.record(catalogue, [entry("/p/lisbon.jpg", B)], 2)
    assert WordIndex(catalogue).holding("lisbon", 5) == [B]


def test_a_write_that_fails_leaves_the_index_as_it_was(catalogue: Catalogue):
    ledger.record(catalogue, [entry("/p/1", A, Details(("a heron",)))], 1)
    bad = ledger.Entry("/p/2", "/p", ledger.Stamp(1, 2), C, None, Details(("an egret",)))  # a file without its picture
    with pytest.raises(StorageError):
        ledger.record(catalogue, [entry("/p/1", A, Details(("a stork",))), bad], 2)
    assert WordIndex(catalogue).frequencies(["heron", "stork", "egret"]) == {"heron": 1}


def test_an_older_catalogue_gets_its_index_when_it_is_opened(tmp_path: Path):
    file = tmp_path / "c.sqlite"
    old = Catalogue(file, "")
    ledger.record(old, [entry("/p/1.jpg", A, Details(("a heron",), {"brand": "Puma"})), entry("/p/2.jpg", B)], 1)
    old.close()
    with sqlite3.connect(file) as connection:
        for table in ("document_vocabulary", "document_words", "documents"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX ix_pictures_payload_due")
        for table, column in (("pictures", "embedded"), ("pictures", "payload_due"), ("locations", "described")):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("UPDATE alembic_version SET version_num = '0002'")
    words = WordIndex(Catalogue(file, ""))
    assert words.frequencies(["heron", "puma"]) == {"heron": 1, "puma": 1}
    assert words.holding("puma", 5) == [A]


def test_what_a_caption_denies_is_not_found(catalogue: Catalogue):
    ledger.record(catalogue, [entry("/p/1", A, Details(("a shirt without any buttons",)))], 1)
    assert WordIndex(catalogue).frequencies(["shirt", "button"]) == {"shirt": 1}


def test_a_limit_is_kept(catalogue: Catalogue):
    entries = [entry(f"/p/{number}", f"{number:032x}", Details(("one heron",))) for number in range(12)]
    ledger.record(catalogue, entries, 1)
    assert len(WordIndex(catalogue).holding("heron", 5)) == 5
    assert WordIndex(catalogue).frequencies(["heron"]) == {"heron": 12}


@given(st.text(max_size=40))
def test_any_text_can_be_indexed_and_asked(text: str):
    words = document([text], (), ()).split(" ")
    assert [word for word in words if word] == index_words(without_denied(text))  # "no 0" denies what is counted
    assert all('"' not in word and word == word.lower() for word in words)
