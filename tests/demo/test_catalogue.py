import json
import os

import pytest
from PIL import Image

from visavis.demo import catalogue, describe, draw, draw_catalogue, draw_scenes, draw_training_set
from visavis.demo import catalogue as module
from visavis.errors import BadInputError, StorageError


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.jpg")}


def test_pictures_and_their_descriptions(tmp_path):
    steps = []
    sidecar = draw_catalogue(tmp_path / "new" / "folder", 5, 7, lambda done, total: steps.append((done, total)))
    lines = lines_of(sidecar)
    assert [set(line) for line in lines] == [{"file", "title", "caption", "attributes", "price", "currency"}] * 5
    for index, line in enumerate(lines):
        item = describe(7, index)
        assert (line["title"], line["caption"], line["price"]) == (item.title, item.caption, item.price)
        assert line["attributes"] == item.attributes
        with Image.open(sidecar.parent / line["file"]) as picture:
            assert picture.size == (384, 512)
    assert steps == [(done, 5) for done in range(6)]
    assert sorted(p.suffix for p in sidecar.parent.iterdir() if not p.name.startswith(".")) == [".jpg"] * 5 + [".jsonl"]


def test_the_number_of_processes_does_not_change_a_byte(tmp_path):
    draw_catalogue(tmp_path / "one", 30, 3, processes=1)
    draw_catalogue(tmp_path / "two", 30, 3, processes=2)
    draw_catalogue(tmp_path / "three", 30, 3, processes=3)
    assert len(bytes_of(tmp_path / "one")) == 30
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two") == bytes_of(tmp_path / "three")


def test_an_interrupted_call_goes_on_where_it_stopped(tmp_path):
    draw_catalogue(tmp_path, 6, 3)
    whole = bytes_of(tmp_path)
    lost = tmp_path / catalogue.file_name("items", 3, 4)
    kept = tmp_path / catalogue.file_name("items", 3, 1)
    lost.unlink()
    os.utime(kept, (1, 1))
    steps = []
    draw_catalogue(tmp_path, 6, 3, lambda done, _total: steps.append(done))
    assert steps == [5, 6]
    assert kept.stat().st_mtime == 1
    assert bytes_of(tmp_path) == whole


def test_a_picture_that_fails_leaves_nothing_half_written(tmp_path, monkeypatch):
    def full_disk(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full_disk)
    with pytest.raises(StorageError, match=r"demo-3-000000.jpg.*No space left"):
        draw_catalogue(tmp_path, 2, 3)
    assert not list(tmp_path.glob("*.jpg"))
    assert not (tmp_path / "catalogue.jsonl").exists()


def test_a_smaller_catalogue_drops_what_it_no_longer_lists_and_nothing_else(tmp_path):
    mine = tmp_path / "holiday.jpg"
    mine.write_bytes(b"mine")
    draw_catalogue(tmp_path, 5, 3)
    draw_catalogue(tmp_path, 2, 3)
    assert sorted(bytes_of(tmp_path)) == ["demo-3-000000.jpg", "demo-3-000001.jpg", "holiday.jpg"]
    assert mine.read_bytes() == b"mine"


def test_pictures_of_an_older_version_are_drawn_anew(tmp_path, monkeypatch):
    draw_catalogue(tmp_path, 2, 3)
    whole = bytes_of(tmp_path)
    for path in tmp_path.glob("*.jpg"):
        path.write_bytes(b"old")
    draw_catalogue(tmp_path, 2, 3)
    assert set(bytes_of(tmp_path).values()) == {b"old"}
    monkeypatch.setattr(module, "DRAWING_VERSION", module.DRAWING_VERSION + 1)
    draw_catalogue(tmp_path, 2, 3)
    assert bytes_of(tmp_path) == whole


def test_worker_trouble_becomes_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue.sys, "executable", "/bin/false")
    with pytest.raises(StorageError, match="stopped half-way"):
        draw_catalogue(tmp_path, 40, 3)


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(StorageError, match="taken"):
        draw_catalogue(tmp_path / "taken", 2, 3)


@pytest.mark.parametrize(("count", "processes"), [(-1, 1), (3, 0)])
def test_impossible_numbers(tmp_path, count, processes):
    with pytest.raises(BadInputError):
        draw_catalogue(tmp_path, count, 1, processes=processes)


def test_an_empty_catalogue(tmp_path):
    assert lines_of(draw_catalogue(tmp_path, 0, 1)) == []


def test_training_sets_have_all_captions_and_negatives(tmp_path):
    for lines in (lines_of(draw_training_set(tmp_path / "a", 3, 5)), lines_of(draw_scenes(tmp_path / "b", 3, 5))):
        for line in lines:
            assert line["caption"] in line["captions"]
            assert line["negatives"]
            assert not set(line["negatives"]) & set(line["captions"])


def test_files_hold_what_draw_gives(tmp_path):
    sidecar = draw_catalogue(tmp_path, 1, 3)
    with Image.open(tmp_path / lines_of(sidecar)[0]["file"]) as picture:
        stored = picture.convert("RGB")
    drawn = draw(describe(3, 0))
    differences = [abs(a - b) for a, b in zip(stored.tobytes(), drawn.tobytes(), strict=True)]
    assert sum(differences) / len(differences) < 3
