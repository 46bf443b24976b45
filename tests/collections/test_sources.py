"""Catalogue files and folders: which pictures they list, and with which words."""

from __future__ import annotations

import csv
import json
import os
from datetime import date
from pathlib import Path

import psutil
import pytest
from drawing import draw
from hypothesis import given
from hypothesis import strategies as st

from visavis.collections.sources import parquet_file
from visavis.collections.sources.candidates import folder_candidates, is_missing
from visavis.collections.sources.catalogue_file import _RowMerger, guess_columns, read_rows, table_candidates
from visavis.errors import BadInputError, NotFoundError
from visavis.pictures.picture import Details

ROWS = [
    {"id": "7", "price": "49.90", "sizes": "S|M", "articleType": "Shirts", "productDisplayName": "A red shirt"},
    {"id": "8", "price": "20", "sizes": "L", "articleType": "Jeans", "productDisplayName": "Blue jeans"},
]


def write_csv(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    draw(tmp_path / "7.jpg", "red")
    draw(tmp_path / "images" / "8.png", "blue")
    return tmp_path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_names_files_by_their_ids(shop: Path, delimiter: str):
    found = list(table_candidates(write_csv(shop / "shop.csv", ROWS, delimiter), None, allow_links=False))
    assert [Path(one.path).name for one in found] == ["7.jpg", "8.png"]
    assert found[0].stamp.size == (shop / "7.jpg").stat().st_size
    assert found[0].details.attributes == {
        "id": 7,
        "price": 49.9,
        "sizes": ["S", "M"],
        "articleType": "Shirts",
        "title": "A red shirt",
    }


def test_columns_can_be_mapped_and_left_out(shop: Path):
    table = write_csv(shop / "shop.csv", ROWS)
    chosen = {"articleType": "category", "productDisplayName": "caption", "price": "ignore"}
    first = next(table_candidates(table, chosen, allow_links=False))
    assert first.details.captions == ("A red shirt",)
    assert first.details.attributes["category"] == "Shirts"
    assert "price" not in first.details.attributes


def test_parquet_and_json_lines_tell_the_same(shop: Path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{"file": "7.jpg", "price": 49.5, "tags": ["a", "b"], "captions": ["one", "two"], "new": True, "none": None}]
    (shop / "shop.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    parquet.write_table(pyarrow.Table.from_pylist(rows), shop / "shop.parquet")
    by_lines = list(table_candidates(shop / "shop.jsonl", None, allow_links=False))
    by_parquet = list(table_candidates(shop / "shop.parquet", None, allow_links=False))
    assert by_lines[0].details == by_parquet[0].details
    assert by_lines[0].details.captions == ("one", "two")
    assert by_lines[0].details.attributes == {"price": 49.5, "tags": ["a", "b"], "new": True}


def test_links_are_a_problem_unless_allowed(tmp_path: Path):
    table = write_csv(tmp_path / "t.csv", [{"image_url": "https://example.org/a.jpg", "name": "A"}])
    (closed,) = table_candidates(table, None, allow_links=False)
    assert "--allow-urls" in closed.problem
    (open_,) = table_candidates(table, None, allow_links=True)
    assert (open_.path, open_.problem, open_.details.attributes) == ("https://example.org/a.jpg", "", {"title": "A"})


@pytest.mark.parametrize("reference", ["", "missing.jpg", "ftp://x/y.jpg", "file:///etc/passwd", "a\0b"])
def test_a_row_without_a_picture_is_a_problem_and_not_the_end(shop: Path, reference: str):
    rows = [{"file": reference, "n": 1}, {"file": "7.jpg", "n": 2}]
    (shop / "t.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    bad, good = table_candidates(shop / "t.jsonl", None, allow_links=True)
    assert bad.problem
    assert not good.problem
    assert Path(good.path).name == "7.jpg"


@pytest.mark.parametrize(("content", "why"), [("", "no rows"), ("colour,size\nred,3\n", "--map"), ("a\n", "no rows")])
def test_a_table_without_pictures_says_what_to_do(tmp_path: Path, content: str, why: str):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(BadInputError, match=why):
        list(table_candidates(tmp_path / "t.csv", None, allow_links=False))


def test_a_damaged_parquet_file_is_told(tmp_path: Path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(BadInputError, match=r"t\.parquet"):
        list(table_candidates(tmp_path / "t.parquet", None, allow_links=False))


def test_a_table_that_is_not_there(tmp_path: Path):
    with pytest.raises(NotFoundError):
        list(table_candidates(tmp_path / "t.csv", None, allow_links=False))


def test_an_unknown_column_is_refused_with_the_known_ones():
    with pytest.raises(BadInputError, match="colour") as caught:
        guess_columns([{"file": "x", "size": 3}], {"colour": "color"})
    assert "file, size" in str(caught.value)


def test_two_columns_cannot_both_be_the_picture():
    with pytest.raises(BadInputError, match="Both"):
        guess_columns([{"a": "x", "b": "y"}], {"a": "picture", "b": "picture"})


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True), st.data())
def test_every_column_ends_up_somewhere_or_nowhere_but_once(columns, data):
    rows = [dict.fromkeys(["path", *columns], "x")]
    mapped = guess_columns(rows)
    used = [mapped.picture, *mapped.captions, *mapped.attributes]
    assert len(used) == len(set(used))
    assert set(used) <= set(rows[0])
    row = {
        column: data.draw(st.one_of(st.none(), st.integers(), st.text(max_size=5), st.floats())) for column in rows[0]
    }
    for value in mapped.details(row).attributes.values():
        assert isinstance(value, str | int | float | bool | list)


def test_a_folder_gives_its_pictures_with_what_lies_beside_them(tmp_path: Path):
    draw(tmp_path / "a.png")
    draw(tmp_path / "cats" / "b.png", "blue")
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / "cats" / "captions.jsonl").write_text(json.dumps({"file": "b.png", "captions": ["a blue cat"]}))
    found = {Path(one.path).name: one for one in folder_candidates(tmp_path)}
    assert set(found) == {"a.png", "b.png"}
    assert found["b.png"].details.captions == ("a blue cat",)
    assert found["b.png"].details.attributes == {"folder": ["cats"]}


def test_a_name_that_is_not_unicode_is_a_problem_and_not_a_crash(tmp_path: Path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.png"
    try:
        Path(os.fsdecode(path)).write_bytes(draw(tmp_path / "ok.png").read_bytes())
    except OSError:
        pytest.skip("this file system only takes UTF-8 names")
    problems = [one.problem for one in folder_candidates(tmp_path)]
    assert sorted(map(bool, problems)) == [False, True]
    assert "UTF-8" in "".join(problems)
    "".join(problems).encode()


def test_what_is_gone(tmp_path: Path):
    draw(tmp_path / "a.png")
    assert not is_missing(str(tmp_path / "a.png"))
    assert is_missing(str(tmp_path / "b.png"))
    assert is_missing(str(tmp_path / "a.png" / "below-a-file"))
    assert not is_missing("https://example.org/a.png"), "links are not asked again"


def test_a_row_whose_path_cannot_be_written_down_is_a_problem_of_its_own(shop: Path):
    paths = ["7.jpg", "\ud800.jpg", "a\0b.jpg", f"{'l' * 3000}.jpg", f"https://example.org/{'l' * 3000}"]
    lines = [json.dumps({"file": path, "caption": "half a character: \ud800", "\0": 1}) for path in paths]
    (shop / "shop.jsonl").write_text("\n".join(lines))
    found = list(table_candidates(shop / "shop.jsonl", None, allow_links=True))
    assert [bool(one.problem) for one in found] == [False, True, True, True, True]
    for one in found:
        assert len(one.path) < 2100
        assert "\0" not in one.path
        f"{one.path}{one.problem}{one.details}".encode()
    assert found[0].details.attributes == {}


def test_rows_of_one_picture_belong_together_however_far_apart_they_stand(tmp_path: Path):
    names = [f"{number}.jpg" for number in range(700)]
    for name in names:
        (tmp_path / name).touch()
    rows = [
        {"file": name, "caption": f"{which} of {name}", "price": at} for which in "abc" for at, name in enumerate(names)
    ]
    rows += [{"file": "0.jpg", "caption": "one more", "colour": "red"}, {"caption": "of nothing"}, {"caption": "again"}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = {Path(one.path).name: one for one in table_candidates(tmp_path / "rows.jsonl", None, allow_links=False)}
    assert len(found) == 700 + 2
    assert found["7.jpg"].details.captions == ("a of 7.jpg", "b of 7.jpg", "c of 7.jpg")
    assert found["0.jpg"].details.captions == ("a of 0.jpg", "b of 0.jpg", "c of 0.jpg", "one more")
    assert found["0.jpg"].details.attributes == {"price": 0, "colour": "red"}


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", ""]), st.integers(0, 9)), max_size=20))
def test_nothing_that_rows_say_is_lost(rows: list[tuple[str, int]]):
    together = _RowMerger(reference for reference, _ in rows)
    done = [(name, said) for name, number in rows if (said := together.add(name, Details((str(number),)))) is not None]
    assert list(together.remaining()) == []
    named = [name for name, _ in done if name]
    assert sorted(named) == sorted({name for name, _ in rows if name})
    for name, said in done:
        if name:
            assert said.captions == tuple(dict.fromkeys(str(number) for other, number in rows if other == name))


def test_rows_that_lead_out_of_the_folder_are_left_out_and_named(tmp_path: Path):
    shop = tmp_path / "shop"
    draw(tmp_path / "outside" / "private.png", "red")
    draw(shop / "a.png", "red")
    (shop / "link.png").symlink_to(tmp_path / "outside" / "private.png")
    absolute = tmp_path / "outside" / "private.png"
    (shop / "t.csv").write_text(f"file\n../outside/private.png\n{absolute}\nlink.png\na.png\n")
    found = list(table_candidates(shop / "t.csv", None, allow_links=False))
    assert [Path(one.path).name for one in found if not one.problem] == ["a.png"]
    assert all("--follow-links" in one.problem for one in found[:3])
    followed = list(table_candidates(shop / "t.csv", None, allow_links=False, follow_links=True))
    assert not any(one.problem for one in followed)


def test_a_link_out_of_the_folder_is_a_problem_in_the_report(tmp_path: Path):
    draw(tmp_path / "outside" / "private.png", "red")
    draw(tmp_path / "root" / "a.png", "red")
    (tmp_path / "root" / "link.png").symlink_to(tmp_path / "outside" / "private.png")
    (tmp_path / "root" / "folder").symlink_to(tmp_path / "outside")
    found = {Path(one.path).name: one.problem for one in folder_candidates(tmp_path / "root")}
    assert sorted(found) == ["a.png", "folder", "link.png"]
    assert "--follow-links" in found["link.png"]
    assert "--follow-links" in found["folder"]
    followed = {Path(one.path).name for one in folder_candidates(tmp_path / "root", follow_links=True)}
    assert followed == {"a.png", "link.png", "private.png"}


def test_a_parquet_file_that_claims_too_much_is_refused(tmp_path: Path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    text = "x" * 100_000_000
    for name, options in (("plain", {"use_dictionary": False}), ("dictionary", {})):
        table = pyarrow.table({"file": ["a.png"], "caption": [text]})
        parquet.write_table(table, tmp_path / f"{name}.parquet", compression="zstd", **options)
        assert (tmp_path / f"{name}.parquet").stat().st_size < 100_000
        with pytest.raises(BadInputError, match="claim to hold"):
            list(table_candidates(tmp_path / f"{name}.parquet", None, allow_links=False))
    repeated = pyarrow.table({"file": [f"{number}.png" for number in range(200)], "caption": ["y" * 2_000_000] * 200})
    parquet.write_table(repeated, tmp_path / "repeated.parquet", compression="zstd")
    with pytest.raises(BadInputError, match=r"megabyte|claim"):
        list(table_candidates(tmp_path / "repeated.parquet", None, allow_links=False))


def test_a_parquet_file_that_unpacks_to_gigabytes_ends_with_its_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The header of a dictionary tells of one value of ten megabytes, not that each row has it."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"file": [f"{number}.png" for number in range(90)]})
    once = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 90, pyarrow.int32()), ["y" * 10_000_000])
    parquet.write_table(table.append_column("caption", once), tmp_path / "t.parquet", compression="zstd")
    assert (tmp_path / "t.parquet").stat().st_size < 100_000
    monkeypatch.setattr(parquet, "ParquetFile", None)  # nothing is read in this process
    monkeypatch.setattr(parquet_file, "_MEMORY", 200_000_000)
    with pytest.raises(BadInputError, match=r"too much memory|megabyte"):
        list(table_candidates(tmp_path / "t.parquet", None, allow_links=False))


@pytest.mark.skipif(os.name != "posix", reason="limits of processes are those of POSIX")
def test_a_parquet_file_that_takes_too_long_ends_with_its_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    # Rows that take many ticks of the clock each batch: a short one may be done before the time is looked at.
    wide = pyarrow.table({"file": ["a.png"] * 200, "sizes": [list(range(20_000))] * 200})
    parquet.write_table(wide, tmp_path / "t.parquet")
    monkeypatch.setattr(parquet_file, "_SECONDS", 0.001)
    with pytest.raises(BadInputError, match=r"longer than the 0\.001 s"):
        list(read_rows(tmp_path / "t.parquet"))


def test_a_parquet_reader_ends_with_whoever_reads(tmp_path: Path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{"file": f"{number}.png", "day": date(2024, 5, 6), "sizes": [1, 2]} for number in range(100_000)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    before = {child.pid for child in psutil.Process().children()}
    found = read_rows(tmp_path / "t.parquet")
    assert next(found) == (1, {"file": "0.png", "day": "2024-05-06", "sizes": [1, 2]})
    assert {child.pid for child in psutil.Process().children()} - before
    found.close()
    assert {child.pid for child in psutil.Process().children()} == before
