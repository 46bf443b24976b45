"""The home folder: private to its owner, of its own version, and with log lines of its own."""

from __future__ import annotations

import json
import logging
import os
import stat
from pathlib import Path

import pytest
from drawing import draw
from processes import visavis
from tiny_encoder import TinyEncoder

from visavis.api import open_collection
from visavis.collections.places import FORMAT
from visavis.errors import StorageError
from visavis.logs import printable
from visavis.pictures import FolderMetadata


def test_nobody_else_can_read_the_home(tmp_path: Path):
    """Files that the vector engine writes itself are protected by the folder around them."""
    pictures, home = tmp_path / "pictures", tmp_path / "home"
    draw(pictures / "a.png", "red")
    before = os.umask(0o022)
    try:
        with open_collection("photos", home, encoder=TinyEncoder(), create=True) as collection:
            collection.index(pictures)
            collection.add(draw(tmp_path / "b.png", "blue").read_bytes())
            entries = [home, *home.rglob("*")]
            modes = {entry: stat.S_IMODE(entry.stat().st_mode) for entry in entries if not entry.is_socket()}
    finally:
        os.umask(before)
    engine = collection.place.store_folder
    assert {mode for entry, mode in modes.items() if entry.is_dir() and engine not in entry.parents} == {0o700}
    files = {entry: mode for entry, mode in modes.items() if entry.is_file() and engine not in entry.parents}
    assert {entry.name: oct(mode) for entry, mode in files.items() if mode != 0o600} == {}
    assert {"catalogue.sqlite", "settings.json"} <= {entry.name for entry in files}
    assert any(entry.suffix == ".webp" for entry in files)


def test_a_home_of_a_newer_version_says_so_and_is_left_alone(tmp_path: Path):
    with open_collection("photos", tmp_path, encoder=TinyEncoder(), create=True) as collection:
        file = collection.place.folder / "settings.json"
    newer = json.dumps({**json.loads(file.read_text()), "format": FORMAT + 1, "of_the_future": True})
    file.write_text(newer)
    with pytest.raises(StorageError, match="newer visavis; nothing was changed"):
        open_collection("photos", tmp_path, encoder=TinyEncoder())
    with pytest.raises(StorageError, match="newer visavis"):
        open_collection("photos", tmp_path, encoder=TinyEncoder(), create=True)
    assert file.read_text() == newer


FORGED = "a\nERROR: all is lost\x1b[2J\x9b31m\u2028.jpg"


def test_a_file_name_cannot_forge_a_log_line(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / Path(FORGED).with_suffix(".json").name).write_text("not json")
    with caplog.at_level(logging.WARNING):
        FolderMetadata(tmp_path).details_of(tmp_path / FORGED)
    assert len(caplog.records) == 1
    line = caplog.records[0].getMessage()
    assert line.isprintable()
    assert "all is lost" in line


def test_a_file_name_cannot_forge_a_line_of_the_report(tmp_path: Path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / FORGED).write_bytes(b"nonsense")
    said = visavis(tmp_path / "home", "index", tmp_path / "pictures", "-c", "photos").stderr
    assert "all is lost" in said
    assert not any(line.startswith("ERROR") for line in said.splitlines())
    assert "\x1b[2J" not in said
    listed = visavis(tmp_path / "home", "collection", "info", "photos", "--failures")
    assert "\x1b[2J" not in listed.stdout + listed.stderr
    assert not any(line.startswith("ERROR") for line in (listed.stdout + listed.stderr).splitlines())


def test_what_can_be_seen_stays():
    assert printable("Ärger mit 日本.jpg") == "Ärger mit 日本.jpg"
    assert printable("a\tb\r") == "a\\tb\\r"
