"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from visavis.errors import StorageError
from visavis.files import replace_bytes, replacing


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_and_nothing_else_stays(tmp_path: Path, durable: bool):
    path = tmp_path / "settings.json"
    replace_bytes(path, b"first", durable=durable)
    replace_bytes(path, b"second", durable=durable)
    assert path.read_bytes() == b"second"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_old_file_stays_while_the_new_one_is_written_and_when_that_fails(tmp_path: Path):
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")

    def write_half() -> None:
        with replacing(path) as file:
            file.write(b"half")
            file.flush()
            assert path.read_bytes() == b"old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_error_of_the_disk_names_the_file(tmp_path: Path):
    with pytest.raises(StorageError, match="cannot be written") as caught:
        replace_bytes(tmp_path / "missing" / "a.bin", b"")
    assert "a.bin" in caught.value.message
    replace_bytes(tmp_path / "missing" / "a.bin", b"x", parents=True)
    assert (tmp_path / "missing" / "a.bin").read_bytes() == b"x"


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_permissions_follow_the_umask_unless_they_are_private(tmp_path: Path):
    before = os.umask(0o022)
    try:
        replace_bytes(tmp_path / "public", b"")
        with replacing(tmp_path / "private", mode=0o600) as file:
            file.write(b"key")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("public", "private")]
    assert modes == [0o644, 0o600]


def test_a_durable_file_is_flushed_before_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    calls: list[str] = []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: calls.append("fsync") or sync(handle))
    monkeypatch.setattr(Path, "replace", lambda self, target: calls.append("replace") or rename(self, target))
    replace_bytes(tmp_path / "a", b"x", durable=True)
    assert calls == ["fsync", "replace", "fsync"]
