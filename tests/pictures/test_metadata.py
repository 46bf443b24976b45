"""Metadata beside pictures: tables, sidecars, folder names; broken lines warn and are skipped."""

from __future__ import annotations

import csv
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.errors import NotFoundError
from visavis.pictures import Details, FolderMetadata, MetadataWarning, walk

SHARED = Path(__file__).parents[3] / "shared" / "data"


def details(root: Path, picture: str, warnings: list[MetadataWarning] | None = None, **options) -> Details:
    heard = [] if warnings is None else warnings
    found = FolderMetadata(root, warn=heard.append, **options).details_of(root / picture)
    if warnings is None:
        assert heard == []
    return found


def test_json_lines_like_the_demo_writes(tmp_path: Path) -> None:
    line = {"file": "a.png", "title": "Red dress", "caption": "a long red dress", "price": 19.9}
    line["attributes"] = {"colour": "red", "details": ["belt", "lace"], "count": 2, "new": True}
    (tmp_path / "catalogue.jsonl").write_text(json.dumps(line) + "\n\n")
    assert details(tmp_path, "a.png") == Details(
        ("a long red dress",),
        {"title": "Red dress", "price": 19.9, "colour": "red", "details": ["belt", "lace"], "count": 2, "new": True},
    )
    assert details(tmp_path, "b.png") == Details()


def test_table_by_stem_with_its_kinds(tmp_path: Path) -> None:
    (tmp_path / "styles.csv").write_text(
        "id,gender,year,usage,price,productDisplayName\n15970,Men,2011,NA,1.5,Navy Shirt\n"
    )
    assert details(tmp_path, "images/15970.jpg") == Details(
        (), {"title": "Navy Shirt", "folder": ["images"], "gender": "Men", "year": 2011, "price": 1.5}
    )


def test_numbers_match_names_with_leading_zeros(tmp_path: Path) -> None:
    (tmp_path / "captions.jsonl").write_text('{"image_id": 9, "captions": ["bins of food", "a meal"]}\n')
    assert details(tmp_path, "000000000009.jpg").captions == ("bins of food", "a meal")
    assert details(tmp_path, "90.jpg") == Details()


@pytest.mark.parametrize("column", ["file", "File Name", "file_name", "path", "image", "IMAGE_PATH", "img"])
def test_columns_that_name_the_file(column: str, tmp_path: Path) -> None:
    (tmp_path / "meta.csv").write_text(f"colour,{column}\nred,a.jpg\n")
    assert details(tmp_path, "a.jpg") == Details((), {"colour": "red"})


@pytest.mark.parametrize(
    "name", ["sub/a.jpg", "./sub/a.jpg", "sub\\a.jpg", "https://shop.example/i/a.jpg?w=9", "/elsewhere/a.jpg", "a"]
)
def test_ways_to_write_the_same_path(name: str, tmp_path: Path) -> None:
    (tmp_path / "meta.csv").write_text(f"file,colour\n{name},red\n")
    assert details(tmp_path, "sub/a.jpg").attributes["colour"] == "red"


def test_absolute_paths_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "meta.csv").write_text(f"file,colour\n{tmp_path}/x/a.jpg,red\n")
    assert details(tmp_path, "x/a.jpg").attributes["colour"] == "red"
    assert "colour" not in details(tmp_path, "y/a.jpg").attributes


def test_a_name_means_the_picture_beside_the_table_if_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "meta.csv").write_text("file,colour\na.jpg,red\n")
    assert details(tmp_path, "sub/a.jpg").attributes["colour"] == "red"
    (tmp_path / "a.jpg").touch()
    assert "colour" not in details(tmp_path, "sub/a.jpg").attributes


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_quotes_and_line_breaks(delimiter: str, tmp_path: Path) -> None:
    with (tmp_path / "meta.csv").open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([["file", "caption", "n"], ["a.jpg", 'two\nlines, "quoted"; a|b', "1"], ["b.jpg", "é", "2"]])
    assert details(tmp_path, "a.jpg") == Details(('two\nlines, "quoted"; a|b',), {"n": 1})
    assert details(tmp_path, "b.jpg") == Details(("é",), {"n": 2})


def test_several_rows_of_one_picture_are_several_captions(tmp_path: Path) -> None:
    (tmp_path / "captions.csv").write_text("image,caption\na.jpg,one\nb.jpg,other\na.jpg,two\na.jpg,one\n")
    assert details(tmp_path, "a.jpg").captions == ("one", "two")


def test_broken_lines_warn_with_their_number_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"file": "a.jpg", "n": 1}\n{"file": \n[1]\n{"n": 2}\n{"file": "b.jpg", "n": 3}\n'
    )
    warnings: list[MetadataWarning] = []
    assert details(tmp_path, "b.jpg", warnings).attributes == {"n": 3}
    assert [(warning.path.name, warning.line) for warning in warnings] == [
        ("a.jsonl", 2),
        ("a.jsonl", 3),
        ("a.jsonl", 4),
    ]
    assert str(warnings[0]).startswith(f"{tmp_path / 'a.jsonl'}, line 2: not JSON")


def test_unquoted_commas_are_joined_and_a_lonely_quote_swallows_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        'file,n,title\na.jpg,1,Tie, Cufflink and Scarf\nb.jpg,2,"never closed\nc.jpg,3,Hat\n'
    )
    warnings: list[MetadataWarning] = []
    assert details(tmp_path, "a.jpg", warnings).attributes["title"] == "Tie, Cufflink and Scarf"
    assert [warning.line for warning in warnings] == [2, 3]
    assert details(tmp_path, "b.jpg", warnings).attributes["n"] == 2
    assert details(tmp_path, "c.jpg", warnings).attributes == {"n": 3, "title": "Hat"}


def test_many_warnings_are_summed_up(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"file": "a.jpg"}\n' + "broken\n" * 100)
    warnings: list[MetadataWarning] = []
    details(tmp_path, "a.jpg", warnings)
    assert len(warnings) == 21
    assert "80 more" in str(warnings[-1])


def test_warnings_without_a_listener_are_logged(tmp_path: Path, caplog) -> None:
    (tmp_path / "a.jsonl").write_text("broken\n")
    FolderMetadata(tmp_path).details_of(tmp_path / "a.jpg")
    assert "line 1" in caplog.text


def test_tables_of_something_else_and_odd_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("customer,amount\nme,3\n")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "header.csv").write_text("file,colour\n")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / ".hidden.csv").write_text("file,colour\na.jpg,red\n")
    (tmp_path / "log.jsonl").write_text('{"event": 1}\n{"event": 2}\n')
    assert details(tmp_path, "a.jpg") == Details()


def test_western_windows_letters(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("file,title\na.jpg,Crème brûlée\n".encode("cp1252"))
    assert details(tmp_path, "a.jpg").attributes["title"] == "Crème brûlée"


def test_nearer_is_stronger(tmp_path: Path) -> None:
    sub = tmp_path / "sub"
    sub.mkdir()
    (tmp_path / "far.csv").write_text("file,caption,a,b,c\nsub/a.jpg,far,1,1,1\n")
    (sub / "near.csv").write_text("file,caption,b,c\na.jpg,near,2,2\n")
    (sub / "a.jpg.json").write_text('{"c": 3, "description": "own"}')
    assert details(tmp_path, "sub/a.jpg") == Details(
        ("own", "near", "far"), {"folder": ["sub"], "a": 1, "b": 2, "c": 3}
    )
    # Nothing above the root is looked at.
    assert details(sub, "a.jpg") == Details(("own", "near"), {"b": 2, "c": 3})


def test_own_files(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"title": "A"}')
    (tmp_path / "b.txt").write_text("a dog\n\n a dog on grass \n")
    (tmp_path / "c.json").write_text("{broken")
    (tmp_path / "d.json").write_text("[1, 2]")
    assert details(tmp_path, "a.jpg") == Details((), {"title": "A"})
    assert details(tmp_path, "b.jpg") == Details(("a dog", "a dog on grass"))
    warnings: list[MetadataWarning] = []
    assert details(tmp_path, "c.jpg", warnings) == Details()
    assert len(warnings) == 1
    assert details(tmp_path, "d.jpg") == Details()


def test_tables_from_elsewhere(tmp_path: Path) -> None:
    root = tmp_path / "pictures"
    root.mkdir()
    (tmp_path / "meta.csv").write_text("file,colour\nx/a.jpg,red\n")
    assert details(root, "x/a.jpg", tables=[tmp_path / "meta.csv"]).attributes["colour"] == "red"
    for missing in ("nowhere.csv", "meta.docx"):
        with pytest.raises(NotFoundError, match=r"\.csv"):
            FolderMetadata(root, tables=[tmp_path / missing])


def test_a_picture_outside_the_root_has_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "meta.csv").write_text("file,colour\na.jpg,red\n")
    assert FolderMetadata(tmp_path / "root").details_of(tmp_path / "a.jpg") == Details((), {"colour": "red"})


def test_a_table_that_changes_or_goes_does_no_harm(tmp_path: Path) -> None:
    table = tmp_path / "meta.csv"
    table.write_text("file,colour\na.jpg,red\n")
    metadata = FolderMetadata(tmp_path)
    metadata.details_of(tmp_path / "a.jpg")
    table.write_text("file,colour\nother.jpg,blue\n")
    assert metadata.details_of(tmp_path / "a.jpg") == Details()
    table.unlink()
    assert metadata.details_of(tmp_path / "a.jpg") == Details()


def test_threads_read_a_table_once(tmp_path: Path) -> None:
    rows = "".join(f"{number}.jpg,{number}\n" for number in range(500))
    (tmp_path / "meta.csv").write_text("file,n\n" + rows + "x.jpg,1,too many\n")
    warnings: list[MetadataWarning] = []
    metadata = FolderMetadata(tmp_path, warn=warnings.append)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: metadata.details_of(tmp_path / f"{n}.jpg").attributes["n"], range(500)))
    assert found == list(range(500))
    assert len(warnings) == 1


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=400), suffix=st.sampled_from(["csv", "tsv", "jsonl"]), named=st.booleans())
def test_no_table_breaks_it(data: bytes, suffix: str, named: bool, tmp_path_factory) -> None:
    root = tmp_path_factory.mktemp("table")
    head = (b'{"file": "a.jpg"}\n' if suffix == "jsonl" else b"file,caption,n\n") if named else b""
    (root / f"t.{suffix}").write_bytes(head + data)
    heard: list[MetadataWarning] = []
    details = FolderMetadata(root, warn=heard.append).details_of(root / "a.jpg")
    assert all(isinstance(caption, str) for caption in details.captions)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), min_size=1, max_size=8, unique=True))
def test_any_caption_written_by_a_program_comes_back(texts: list[str]) -> None:
    wanted = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    from visavis.pictures.sidecars import details_in

    assert details_in(json.loads(json.dumps({"captions": texts}))).captions == wanted


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data")
def test_shared_samples_have_their_words() -> None:
    coco = FolderMetadata(SHARED / "coco" / "sample")
    assert all(len(coco.details_of(path).captions) == 5 for path in walk(coco.root))
    products = FolderMetadata(SHARED / "products" / "sample")
    found = [products.details_of(path).attributes for path in walk(products.root)]
    assert len(found) == 600
    assert all(attributes.get("title") and attributes.get("articleType") for attributes in found)


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data")
def test_a_real_table_with_unquoted_commas() -> None:
    heard: list[MetadataWarning] = []
    products = FolderMetadata(SHARED / "products", warn=heard.append)
    found = products.details_of(SHARED / "products" / "images" / "3413.jpg").attributes
    assert found["title"] == "Myntra Men's Yes, its all about me White T-shirt"
    assert found["year"] == 2011
    assert 0 < len(heard) <= 21


def test_a_deeply_nested_sidecar_costs_its_own_values_only(tmp_path: Path) -> None:
    for name, value in (("a", "[" * 900 + "]" * 900), ("b", '{"x":' * 900 + "1" + "}" * 900)):
        (tmp_path / f"{name}.json").write_text(f'{{"deep": {value}, "colour": "red"}}')
        assert FolderMetadata(tmp_path).details_of(tmp_path / f"{name}.jpg") == Details((), {"colour": "red"})


def test_a_nested_list_in_a_cell_costs_its_own_values_only(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"file,deep,colour\na.jpg,{'[' * 900}{']' * 900},red\n")
    assert FolderMetadata(tmp_path).details_of(tmp_path / "a.jpg").attributes["colour"] == "red"


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.jpg.json"])
@pytest.mark.parametrize("written", [False, True])
def test_a_pipe_as_a_sidecar_does_not_block(tmp_path: Path, name: str, written: bool) -> None:
    os.mkfifo(tmp_path / name)
    if not written:
        assert FolderMetadata(tmp_path).details_of(tmp_path / "a.jpg") == Details()
        return
    held = os.open(tmp_path / name, os.O_RDWR)  # somebody may write to it later
    assert FolderMetadata(tmp_path).details_of(tmp_path / "a.jpg") == Details()
    os.close(held)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "a.txt", "a.json"])
def test_a_table_of_a_terabyte_of_nothing_is_not_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    os.truncate(tmp_path / name, 10**12)
    heard: list[MetadataWarning] = []
    assert FolderMetadata(tmp_path, warn=heard.append).details_of(tmp_path / "a.jpg") == Details()
    assert name.startswith("a.") or name in str(heard[0])


@pytest.mark.parametrize(("name", "text"), [("a.txt", "secret"), ("a.json", '{"caption": "secret"}'),
                                            ("t.csv", "file,caption\na.jpg,secret\n")])  # fmt: skip
def test_a_sidecar_that_links_out_of_the_folder_is_not_read(tmp_path: Path, name: str, text: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "private").write_text(text)
    (root / name).symlink_to(tmp_path / "private")
    heard: list[MetadataWarning] = []
    assert FolderMetadata(root, warn=heard.append).details_of(root / "a.jpg") == Details()
    assert "--follow-links" in str(heard[0])
    assert FolderMetadata(root, follow_links=True).details_of(root / "a.jpg").captions == ("secret",)
    (root / "inside").write_text(text)
    (root / name).unlink()
    (root / name).symlink_to("inside")
    assert FolderMetadata(root).details_of(root / "a.jpg").captions == ("secret",)
